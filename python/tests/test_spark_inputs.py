"""What may be given to Spark, and what comes back: any plan, any column, tables, folders; the right answer, or an error that names the reason."""

import json
import os
import subprocess
import sys
import textwrap
import unittest.mock

import neardup
from session import Session, lines


class Frames(Session):
    def documents(self, count=300):
        rows = [json.loads(r) for r in lines("uci_sms/docs.jsonl", count)]
        texts = [r["text"] for r in rows]
        return [(f"d{i}", t) for i, t in enumerate(texts + texts[::3] + [t + " !" for t in texts[::4]])]

    def folder_of(self, name, documents):
        """A folder of Parquet in three files."""
        path = os.path.join(self.folder.name, name)
        self.spark.createDataFrame(documents, "id string, text string").coalesce(1).write.option("maxRecordsPerFile", len(documents) // 3 + 1).parquet(path)
        return self.spark.read.parquet(path)

    def agrees(self, decisions):
        """They are those of the command for the same documents, in the order of their places."""
        from neardup.spark import digest

        texts = dict(self.documents())
        rows = decisions.select("place", "id").orderBy("place").collect()
        path = self.write("in order.jsonl", [json.dumps({"id": r.id, "text": texts[r.id]}) for r in rows])
        want = self.local(path, "--method=minhash shingle=words:3")
        self.assertGreater(want["removed"], 0)
        self.assertEqual(digest(decisions), want["digest"])
        return len(rows)

    def test_plans_that_may_give_other_rows_when_they_run_again(self):
        """Places are bound to the rows that were read first."""
        from pyspark.sql import functions as F

        from neardup.spark import dedup

        documents = self.documents()
        df = self.folder_of("unstable", documents)
        other = self.spark.createDataFrame([(i, "x") for i, _ in documents], "id string, label string")
        cached = df.repartition(5).cache()
        cached.count()
        for name, plan, count in [
            ("repartition", df.repartition(7), len(documents)),
            ("evicted", cached, len(documents)),
            ("rand", df.where(F.rand() < 0.7), None),
            ("join", df.hint("merge").join(other.repartition(4), "id"), len(documents)),
            ("subquery", self.in_subquery(df), len(documents)),
            ("files", df, len(documents)),
        ]:
            with self.subTest(name):
                found = dedup(plan, method="minhash shingle=words:3", partitions=3, one_task=0)
                if name == "evicted":
                    cached.unpersist(blocking=True)
                got = self.agrees(found)
                self.assertEqual(got, count or got)

    def in_subquery(self, df):
        df.createOrReplaceTempView("documents")
        return self.spark.sql("select * from documents where id in (select id from documents)")

    def test_texts_that_change_are_told(self):
        """A function that Spark takes for one of its argument alone, and is not."""
        from pyspark.sql import functions as F

        from neardup.spark import _components, dedup

        changing = F.udf(lambda t: t + " " + os.urandom(4).hex(), "string")
        df = self.folder_of("changing", self.documents(60)).withColumn("text", changing("text"))
        for large in (1, 1 << 20):  # where candidates are compared, and where a component is decided
            with unittest.mock.patch.object(_components, "LARGE", large), self.assertRaisesRegex(Exception, "the text has changed since the stage records read it: at "):
                dedup(df, method="minhash shingle=words:1 threshold=.5", partitions=2, one_task=0).count()

    def test_repeated_ids(self):
        """Rows are joined back by the place that numbered gives them."""
        from neardup.spark import dedup, digest, numbered

        documents = [(f"same {i % 7}", t) for i, (_, t) in enumerate(self.documents(90))]
        path = self.write("repeated.jsonl", [json.dumps({"id": i, "text": t}) for i, t in documents])
        kept = os.path.join(self.folder.name, "repeated kept.jsonl")
        want = self.local(path, "--out", kept)
        with open(kept, encoding="utf-8") as f:
            kept = sorted(tuple(json.loads(line).values()) for line in f)
        df = self.folder_of("repeated", documents)
        for name, rows in (("files", numbered(df)), ("narrow", numbered(df).where("true").select("text", "place", "id")), ("shuffled", numbered(df.orderBy("id")))):
            with self.subTest(name):
                decisions = dedup(rows, partitions=2, one_task=0)
                joined = rows.join(decisions.where("decision = 'new'"), "place", "left_semi").select("id", "text").collect()
                if name != "shuffled":
                    self.assertEqual(digest(decisions), want["digest"])
                    self.assertEqual(sorted(map(tuple, joined)), kept)
                self.assertEqual(len({r.text for r in joined}), len(joined))
                self.assertEqual(decisions.join(rows, "place").count(), len(documents))
        with self.assertRaisesRegex(neardup.Error, "'place' was shuffled"):
            dedup(numbered(df).repartition(2), one_task=0)
        with self.assertRaisesRegex(TypeError, "order= is of no use here"):
            dedup(numbered(df), order="id")

    def test_no_id(self):
        """Such a document has its place for one, as a record without one has where it lies."""
        from neardup.spark import dedup

        df = self.spark.createDataFrame([(None, "one text of some words"), ("a", None), ("", "one text of some words"), ("b", "one text of some words")], "id string, text string")
        got = {r.place: r for r in dedup(df.coalesce(1), method="exact").collect()}
        self.assertEqual([got[p].id for p in sorted(got)], ["0", "a", "2", "b"])
        self.assertEqual([got[p].leader for p in sorted(got)], [None, None, "0", "0"])
        self.assertEqual(got[1].basis, "no text")

    def test_columns_of_any_name(self):
        from pyspark.sql import functions as F

        from neardup.spark import dedup, digest

        documents = self.documents(60)
        df = self.folder_of("of any name", documents)
        want = digest(dedup(df, method="minhash"))
        dotted = df.select(F.col("id").alias("n.id"), F.col("text").alias("the `text`"), F.struct("id", F.struct(F.col("text").alias("body"))).alias("doc"))
        self.assertEqual(digest(dedup(dotted, id="n.id", text="the `text`", method="minhash")), want)
        dotted = dotted.select(F.col("`n.id`").alias("n"), F.struct("doc.id", F.col("doc.col2").alias("in")).alias("doc"))
        self.assertEqual(digest(dedup(dotted, id="doc.id", text="doc.in.body", method="minhash")), want)
        for name, why in (("doc.out", "no column 'doc.out'"), ("doc.in", "is struct<body:string>, not string")):
            with self.assertRaisesRegex(neardup.Error, why):
                dedup(dotted, id="n", text=name)

    def test_what_is_not_a_frame(self):
        from neardup.spark import dedup, digest, numbered, pairs

        for call in (dedup, pairs, digest, numbered):
            with self.assertRaisesRegex(neardup.Error, "a DataFrame of Spark is needed, not builtins.list: neardup.dedup takes pandas and polars"):
                call([])

    def test_outside_of_an_activated_environment(self):
        """As in a notebook: neither PATH nor anything else names this Python, or the command."""
        path = self.write("notebook.jsonl", lines("uci_sms/docs.jsonl", 40))
        program = textwrap.dedent("""
            import sys
            from pyspark.sql import SparkSession
            from neardup.spark import dedup, digest
            spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1") \\
                .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC").getOrCreate()
            spark.conf.set("spark.sql.shuffle.partitions", 1)
            df = spark.read.schema("id string, text string").json(sys.argv[1])
            print(digest(dedup(df, method="minhash")))
        """)
        kept = {k: v for k, v in os.environ.items() if k in ("HOME", "JAVA_HOME", "LANG", "PYTHONPATH", "SPARK_LOCAL_IP")}
        done = subprocess.run([sys.executable, "-c", program, path], env={**kept, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), self.local(path, "--method=minhash")["digest"], done.stderr[-2000:])


class Folders(Session):
    def on_spark(self, inputs, name, **more):
        from neardup.spark import _run

        out = os.path.join(self.folder.name, name)
        spec = {"verb": "dedup", "inputs": inputs, "out": out, "format": "auto", "input": [], "method": ["--method=exact"], "partitions": 3, **more}
        try:
            return _run.run(self.spark, spec), out
        finally:
            self.spark.conf.set("spark.sql.shuffle.partitions", "3")

    def parquet(self, name, **columns):
        import pyarrow
        import pyarrow.parquet

        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        return path

    def test_parquet_loses_no_column(self):
        """Neither those of folders' names, which stay as they are written, nor those that some files have."""
        self.parquet("t/day=01/a.parquet", id=["a", "b"], text=["one", "two"])
        self.parquet("t/day=01/b.parquet", text=["one", "three"], more=[7, 8], id=["c", "d"])
        self.parquet("t/day=2/c.parquet", id=["e", None], text=["four", "five"])
        folder = os.path.join(self.folder.name, "t")
        want = {("a", "one", None, "01"), ("b", "two", None, "01"), ("d", "three", 8, "01"), ("e", "four", None, "2"), (None, "five", None, "2")}
        for name, inputs in (("folder", [folder]), ("folders", [folder + "/day=01", folder + "/day=2"]), ("pattern", [folder + "/day=*"])):
            with self.subTest(name):
                summary, out = self.on_spark(inputs, "kept of " + name)
                got = self.spark.read.parquet(out + "/kept").select("id", "text", "more", "day").collect()
                self.assertEqual(set(map(tuple, got)), want)
                self.assertEqual((len(got), summary["kept"], summary["removed"]), (5, 5, 1))
                ids = {json.loads(line)["id"] for line in os.popen(f"cat '{out}'/decisions/part-*")}
                self.assertEqual(ids, {"a", "b", "c", "d", "e", folder + "/day=2/c.parquet:2"})
        self.parquet("u/a.parquet", id=["a"], text=["one"], more=[7])
        self.parquet("u/b.parquet", id=["b"], text=["two"], more=["seven"])
        with self.assertRaisesRegex(neardup.Error, "not the files of one table"):
            self.on_spark([os.path.join(self.folder.name, "u")], "of two kinds")

    def test_a_file_that_changes_before_kept_texts_are_written(self):
        """By as many lines as it had: what would be written was not decided."""
        from neardup.spark import _run

        def other(step):
            if step == "kept":
                make("five")

        records = lambda last: self.write("changing.jsonl", [json.dumps({"id": t, "text": t}) for t in ("one", "two", last)])
        rows = lambda last: self.parquet("changing/a.parquet", id=["a", "b", "c"], text=["one", "two", last])
        for make in (records, rows):
            out = os.path.join(self.folder.name, "of what changed")
            spec = {"verb": "dedup", "inputs": [make("four")], "out": out, "format": "auto", "input": [], "method": ["--method=exact"], "partitions": 2}
            with self.assertRaisesRegex(neardup.Error, "of 3 texts to keep 3 were written, or other texts: the input has changed meanwhile"):
                _run.run(self.spark, spec, other)
            self.assertFalse(os.path.exists(out))

    def test_tables_are_not_read_as_files(self):
        """Of a Delta, an Iceberg or a Hudi table: the folder, one in it, and a file; by the command and as a frame."""
        from neardup.spark import _files, dedup, numbered

        logs = {"Delta": "_delta_log/00000000000000000000.json", "Iceberg": "metadata/00000-a.metadata.json", "Hudi": ".hoodie/hoodie.properties"}
        for kind, log in logs.items():
            file = self.parquet(f"{kind}/data/day=1/a.parquet", id=["a"], text=["one"])
            log = os.path.join(self.folder.name, kind, log)
            os.makedirs(os.path.dirname(log))
            open(log, "w").close()
            for path in (os.path.join(self.folder.name, kind), os.path.join(self.folder.name, kind, "data"), file, os.path.dirname(file) + "/*"):
                with self.subTest(path), self.assertRaisesRegex(neardup.Error, f"{kind} is a table of {kind}"):
                    _files.listed(self.spark, [path])
            for call in (dedup, numbered):
                with self.assertRaisesRegex(neardup.Error, f"{kind} is a table of {kind}"):
                    call(self.spark.read.parquet(os.path.join(self.folder.name, kind, "data")))
        plain = os.path.dirname(self.parquet("no table/metadata/a.parquet", id=["a"], text=["one"]))
        self.assertEqual(len(_files.listed(self.spark, [os.path.dirname(plain)])[0]), 1)

    def test_two_runs_to_one_folder(self):
        """A folder that appears between the question and the rename takes what is renamed into itself."""
        from neardup.spark import _files

        class Late:
            """A file system whose first answer comes too late."""

            def __init__(self, fs, end):
                self.fs, self.end = fs, end

            def exists(self, path):
                early, self.end = self.end, None
                return early != path and self.fs.exists(path)

            def __getattr__(self, name):
                return getattr(self.fs, name)

        end = os.path.join(self.folder.name, "two runs")
        with _files.Output(self.spark, end) as first:
            first.write("mine", "first")
            with self.assertRaisesRegex(neardup.Error, "two runs was created by another program meanwhile"):
                with _files.Output(self.spark, end) as second:
                    second.write("mine", "second")
                    first.commit()
                    second.fs = Late(second.fs, second.end)
                    second.commit()
        self.assertEqual(sorted(n for n in os.listdir(end) if not n.endswith(".crc")), ["_SUCCESS", "mine"])
        self.assertEqual([n for n in os.listdir(self.folder.name) if n.startswith("_two runs")], [])

    def test_no_text_is_shuffled_by_place(self):
        """However many rows there are to join: only texts that have candidates travel, to their blocks; what is kept keeps its order."""
        from neardup.spark import _components, _decide, _verify

        words = lambda i, n: " ".join(f"w{i * n * 7919 % 99991}x{j}" for j in range(n))
        rows = [json.dumps({"id": f"d{i}", "text": words(i % 1990, 150)}) for i in range(2000)]
        path = self.write("many.jsonl", rows)
        size = os.path.getsize(path)
        want = self.local(path, "--method=minhash")
        for few, large in ((1 << 20, 1 << 20), (0, 1 << 20), (0, 0)):
            with self.subTest(few=few, large=large), unittest.mock.patch.multiple(_components, FEW=few, LARGE=large), unittest.mock.patch.object(_verify, "FEW", few), unittest.mock.patch.object(_decide, "FEW", few):
                before = self.shuffled()
                summary, out = self.on_spark([path], f"shuffled {few} {large}", method=["--method=minhash"])
                self.assertEqual(summary["digest"], want["digest"])
                self.assertLess(self.shuffled() - before, size // 2)
                parts = sorted(n for n in os.listdir(out + "/kept") if n.startswith("part-"))
                kept = [line for n in parts for line in lines(os.path.join(out, "kept", n)) if line]
                self.assertEqual(kept, rows[:1990])

    def shuffled(self):
        """Bytes that all stages have written."""
        store = self.spark.sparkContext._jsc.sc().statusStore()
        stages = store.stageList(None, False, False, self.spark.sparkContext._gateway.new_array(self.spark._jvm.double, 0), None)
        return sum(stages.apply(i).shuffleWriteBytes() for i in range(stages.size()))
