"""What one task decides, against the command for the same documents in the same order: each decision."""

import json
import os
import re
import subprocess
import sys
import threading
import unittest.mock

import neardup
from session import Session, lines

FIELDS = ("id", "decision", "leader", "similarity", "distance", "method", "basis", "variant_of")


class Small(Session):
    def documents(self, count=120):
        """(id, text), a third of them copies, a quarter of them edited."""
        texts = [json.loads(r)["text"] for r in lines("uci_sms/docs.jsonl", count)]
        return [(f"d{i}", t) for i, t in enumerate(texts + texts[::3] + [t + " !" for t in texts[::4]])]

    def frame_of(self, documents, kind="id string, text string", parts=3):
        return self.spark.createDataFrame(documents, kind).coalesce(parts)

    def agrees(self, df, texts, flags=(), **options):
        """The decisions of df are those of the command for its documents in the order of their places; texts are those of ids."""
        from neardup.spark import dedup

        got = [r.asDict() for r in dedup(df, **options).orderBy("place").collect()]
        path = self.write("in order.jsonl", [json.dumps({"id": r["id"], "text": texts[r["id"]]}) for r in got])
        want = neardup.dedup(path, **{f.split("=")[0]: f.split("=", 1)[1] for f in flags}) if got else []
        self.assertEqual([{f: r[f] for f in FIELDS} for r in got], [{f: r[f] for f in FIELDS} for r in want])
        self.assertEqual([json.loads(r["conflicts"] or "null") for r in got], [r.get("conflicts") for r in want])
        return got

    def test_plans(self):
        from pyspark.sql import functions as F

        documents = self.documents()
        texts = dict(documents)
        df = self.frame_of(documents)
        other = self.frame_of([(i, "x") for i, _ in documents[::2]], "id string, label string")
        path = os.path.join(self.folder.name, "parquet")
        df.withColumn("day", F.substring("id", 2, 1)).write.partitionBy("day").parquet(path)
        df.createOrReplaceTempView("documents")
        self.addCleanup(self.spark.catalog.dropTempView, "documents")
        cached = df.repartition(4).cache()
        self.addCleanup(cached.unpersist)
        upper = F.udf(lambda t: t, "string")
        for name, plan, count in [
            ("as it is", df, len(documents)),
            ("one partition", df.coalesce(1), len(documents)),
            ("many partitions", df.repartition(60), len(documents)),
            ("sorted", df.sort("text"), len(documents)),
            ("rand", df.where(F.rand(7) < 0.7), None),
            ("join", df.join(other, "id"), len(documents[::2])),
            ("union", df.where("id < 'd5'").union(df.where("id >= 'd5'")), len(documents)),
            ("dropDuplicates", df.dropDuplicates(["text"]), len(set(texts.values()))),
            ("cached", cached, len(documents)),
            ("checkpointed", df.localCheckpoint(), len(documents)),
            ("partitioned", self.spark.read.parquet(path), len(documents)),
            ("pruned", self.spark.read.parquet(path).where("day = '1'"), sum(i[1] == "1" for i, _ in documents)),
            ("view", self.spark.sql("select * from documents where id in (select id from documents)"), len(documents)),
            ("function", df.withColumn("text", upper("text")), len(documents)),
            ("empty", df.where("false"), 0),
            ("one row", df.limit(1), 1),
        ]:
            with self.subTest(name):
                got = self.agrees(plan, texts)
                self.assertEqual(len(got), count or len(got))
                self.assertEqual(len({r["place"] for r in got}), len(got))

    def test_columns(self):
        from pyspark.sql import functions as F

        documents = [(i, t) for i, (_, t) in enumerate(self.documents(60))]
        texts = {str(i): t for i, t in documents}
        df = self.frame_of(documents, "id long, text string")
        nested = df.select(F.struct("id", F.struct(F.col("text").alias("body"))).alias("doc"))
        for name, plan, options in [
            ("long", df, {}),
            ("decimal", df.withColumn("id", F.col("id").cast("decimal(20,0)")), {}),
            ("bytes", df.withColumn("id", F.col("id").cast("string").cast("binary")), {}),
            ("nested", nested, {"id": "doc.id", "text": "doc.col2.body"}),
            ("ordered", df.repartition(3), {"order": ["text"]}),
        ]:
            with self.subTest(name):
                self.agrees(plan, texts, **options)

    def test_texts(self):
        sms = [t for _, t in self.documents(30)]
        chinese = [json.loads(r)["text"] for r in lines("zh_lctt_proofread/docs.jsonl.zst", 40)]
        chain = [" ".join(f"w{i + j}" for j in range(40)) for i in range(0, 300, 2)]
        template = [f"Dear customer {i}, your parcel number {i * 37} leaves our house on day {i % 28} of this month and arrives soon." for i in range(120)]
        for name, texts, flags in [
            ("half are one text", ["the same text of some words"] * 100 + sms, []),
            ("a template", template + sms * 3, []),
            ("Chinese", chinese, []),
            ("a chain", chain, ["method=minhash shingle=words:2"]),
            ("no text", ["", " ", None, *sms], []),
        ] + [(method, sms, ["method=" + method]) for method in ("exact", "simhash", "ngram", "jaccard", "minhash lossless=.9")]:
            with self.subTest(name):
                documents = [(f"d{i}", t) for i, t in enumerate(texts)]
                self.agrees(self.frame_of(documents), dict(documents), flags, **dict(f.split("=", 1) for f in flags))

    def test_ids_that_repeat_or_are_missing(self):
        from neardup.spark import dedup, numbered

        texts = [t for _, t in self.documents(40)]
        df = numbered(self.frame_of([("same" if i % 2 else None, t) for i, t in enumerate(texts)], parts=1))
        got = {r.place: r for r in dedup(df, method="exact").collect()}
        first = {}
        for r in df.collect():
            self.assertEqual(got[r.place].id, r.id or str(r.place))
            self.assertEqual(got[r.place].leader, first.get(r.text))
            first.setdefault(r.text, r.id or str(r.place))

    def test_numbered_rows_that_were_shuffled_since(self):
        """Their places are their order."""
        from neardup.spark import dedup, numbered

        df = numbered(self.frame_of(self.documents(60)))
        want = {tuple(r) for r in dedup(df).collect()}
        self.assertEqual({tuple(r) for r in dedup(df.repartition(4)).collect()}, want)

    def test_a_function_of_sql(self):
        """Registered by one call: the decisions for the rows in their order, or that of a column."""
        from neardup.spark import register

        documents = [(f"d{i:03}", t) for i, (_, t) in enumerate(self.documents(60))]
        self.frame_of(documents, "nid string, body string").repartition(3).createOrReplaceTempView("sql_documents")
        self.addCleanup(self.spark.catalog.dropTempView, "sql_documents")
        register(self.spark)
        call = "SELECT * FROM neardup_dedup(TABLE(sql_documents), id => 'nid', text => 'body', order => 'nid', method => 'minhash', threshold => 0.7) ORDER BY place"
        got = [r.asDict() for r in self.spark.sql(call).collect()]
        path = self.write("sql.jsonl", [json.dumps({"id": i, "text": t}) for i, t in documents])
        want = neardup.dedup(path, method="minhash", threshold=0.7)
        self.assertEqual([{f: r[f] for f in FIELDS} for r in got], [{f: r[f] for f in FIELDS} for r in want])
        self.assertGreater(sum(r["decision"] == "duplicate" for r in got), 10)
        with self.assertRaisesRegex(Exception, "neardup: no column 'id'; the columns are nid, body"):
            self.spark.sql("SELECT * FROM neardup_dedup(TABLE(sql_documents))").collect()
        with self.assertRaisesRegex(Exception, "neardup: .*colour"):
            self.spark.sql("SELECT * FROM neardup_dedup(TABLE(sql_documents), id => 'nid', text => 'body', colour => 'red')").collect()

    def test_rulings_and_an_index(self):
        documents = self.documents(100)
        found = self.agrees(self.frame_of(documents), dict(documents))
        removed = [d for d in found if d["decision"] == "duplicate"]
        ruled = self.write("rulings.jsonl", [json.dumps({"a": d["id"], "b": d["leader"], "link": "cannot"}) for d in removed[::2]] + [json.dumps({"a": "d1", "b": "d7", "link": "must"})])
        now = self.agrees(self.frame_of(documents), dict(documents), ["overrides=" + ruled], overrides=ruled)
        self.assertNotEqual(now, found)
        index = os.path.join(self.folder.name, "index")
        subprocess.run(["neardup", "index", "create", "--method=minhash", index], check=True)
        old = self.write("old.jsonl", [json.dumps({"id": "old " + i, "text": t}) for i, t in documents[::3]])
        subprocess.run(["neardup", "index", "add", "-q", index, old], check=True)
        against = self.agrees(self.frame_of(documents), dict(documents), ["against=" + index], against=index)
        self.assertGreater(sum((d["leader"] or "").startswith("old ") for d in against), 20)

    def test_the_bound(self):
        """What is larger than one task goes to the stages of a cluster, to the same decisions."""
        from neardup.spark import _decide, dedup

        df = self.frame_of(self.documents(50))
        with unittest.mock.patch.object(_decide, "decide", side_effect=_decide.decide) as decide:
            for one_task, calls in ((10_000, 0), (60, 1), (0, 2)):
                with self.subTest(one_task):
                    rows = dedup(df, one_task=one_task, partitions=2)
                    self.assertEqual(decide.call_count, calls)
        self.assertEqual({tuple(r) for r in rows.collect()}, {tuple(r) for r in dedup(df).collect()})

    def test_many_partitions_on_a_cluster(self):
        """They share tasks, four for each core, and their tallies are added up some at a time."""
        from neardup.spark import _records
        from neardup.spark._places import placed

        documents = self.documents(40)
        df = self.frame_of(documents).repartition(60).localCheckpoint()
        self.assertEqual(placed(df, "id", "text", (), 1 << 20).rows.rdd.getNumPartitions(), 4 * self.spark.sparkContext.defaultParallelism)
        with unittest.mock.patch.object(_records, "TALLIES", 3):
            self.agrees(df, dict(documents), ["method=ngram"], method="ngram", one_task=0, partitions=2)

    def test_what_it_refuses(self):
        from neardup.spark import dedup, pairs

        df = self.frame_of(self.documents(20))
        other = lambda id: df.selectExpr(f"{id} AS id", "text")
        for name, call, why in [
            ("array", lambda: dedup(other("array(id)")), "column 'id' is array<string>, not a string"),
            ("timestamp", lambda: dedup(other("timestamp_seconds(1)")), "column 'id' is timestamp, not a string"),
            ("bytes", lambda: dedup(other("unhex('ff')")), r"column 'id' has bytes that are not UTF-8, such as FF: take hex\(id\)"),
            ("bytes on a cluster", lambda: dedup(other("unhex('ff')"), one_task=0), "column 'id' has bytes that are not UTF-8, such as FF"),
            ("long text", lambda: dedup(df, max_document=40), r"column 'text' has a text of \d+ bytes, more than max_document=40"),
            ("long text on a cluster", lambda: dedup(df, max_document=40, one_task=0), r"column 'text' has a text of \d+ bytes, more than max_document=40"),
            ("long text in pairs", lambda: pairs(df, max_document=40), r"column 'text' has a text of \d+ bytes, more than max_document=40"),
            ("size", lambda: dedup(df, max_document="much"), "max_document='much': invalid size"),
        ]:
            with self.subTest(name), self.assertRaisesRegex(neardup.Error, why) as said:
                call()
            self.assertLess(len(str(said.exception)), 300)

    def test_a_limit_for_both(self):
        """A text of the size that the command reads is decided, by one task too, though its record is longer."""
        from neardup.spark import dedup

        text = "one text of some words" + "\x01" * 1000
        found = dedup(self.frame_of([("a", text), ("b", text)]), max_document=len(text))
        self.assertEqual([r.leader for r in found.orderBy("place").collect()], [None, "a"])

    def test_what_a_failed_task_says(self):
        """The words of the command, or what to do, and not those of Py4J."""
        from neardup.spark._small import reason

        for said, want in [
            ("x\nRuntimeError: neardup: --tmp /f: no space left\n\tat y", "--tmp /f: no space left"),
            ("[USER_RAISED_EXCEPTION] neardup: column 'id' has bytes SQLSTATE: P0001\nat x", "column 'id' has bytes"),
            ("Job aborted: ExecutorLostFailure (executor 1 exited)", "set a checkpoint folder"),
            ("Checkpoint block rdd_3_0 not found! Either the executor", "set a checkpoint folder"),
            ("ModuleNotFoundError: No module named 'pyarrow'", "the Python of Spark's executors has no pyarrow"),
        ]:
            told = str(reason(Exception(said)))
            self.assertIn(want, told)
            self.assertNotIn("SQLSTATE", told)
        for said in ("another failure", "a plan with raise_error(concat(neardup: column 'id' has bytes"):
            self.assertIsNone(reason(Exception(said)))

    def test_executors_without_the_package(self):
        """The function is sent by value; the command is sent as a file."""
        from pyspark import cloudpickle

        from neardup.spark._small import task

        sent = os.path.join(self.folder.name, "task")
        with open(sent, "wb") as f:
            f.write(cloudpickle.dumps(task([neardup.path()])))
        program = """
import pickle, sys
sys.modules["neardup"] = None
import pyarrow as pa
run = pickle.load(open(sys.argv[1], "rb"))
batch = pa.record_batch({"place": [3, 8], "id": ["a", "b"], "text": ["one text of some words", "one text of some words!"]})
print([r["leader"] for b in run(iter([batch])) for r in b.to_pylist()])
def broken():
    yield batch
    raise OSError("the rows end")
try:
    list(run(broken()))
except OSError as e:
    print(e)
"""
        done = subprocess.run([sys.executable, "-c", program, sent], capture_output=True, text=True)
        self.assertEqual(done.stdout.splitlines(), ["[None, 'a']", "the rows end"], done.stderr[-2000:])

    def test_settings_stay_as_they_are(self):
        """Whatever runs at the same time in one session."""
        from neardup.spark import dedup, numbered, pairs, passages

        df = self.frame_of(self.documents(30), parts=1)
        settings = lambda: {r.key: r.value for r in self.spark.sql("SET").collect()}
        before, failed = settings(), []

        def run(call):
            try:
                call().collect()
            except BaseException as e:
                failed.append(e)

        calls = [lambda: dedup(df, one_task=0, partitions=1), lambda: pairs(numbered(df), partitions=1), lambda: passages(df, partitions=1)]
        threads = [threading.Thread(target=run, args=(call,)) for call in calls]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])
        self.assertEqual(settings(), before)

    def test_public_calls_alone(self):
        """Spark Connect has no others; what measures an input asks for them only where they are."""
        from neardup.spark import _columns, _small

        for module in (_columns, _small):
            with open(module.__file__, encoding="utf-8") as f:
                private = [line.strip() for line in f if re.search(r"\._(j|gateway|sc\b)", line)]
            self.assertLessEqual(len(private), 1, private)


