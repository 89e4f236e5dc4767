"""What the stages on Spark are made of: components, parts, tasks."""

import os
import random
import subprocess
import time
import unittest.mock

import neardup
from session import Session, lines


class Components(Session):
    def test_components(self):
        """Against a search: of edges in any order, chains and stars among them, in one task and by rounds."""
        import pyarrow as pa
        from neardup.spark import _components
        from neardup.spark._components import components
        from neardup.spark._job import Job

        def searched(edges):
            near, label = {}, {}
            for a, b in edges:
                near.setdefault(a, []).append(b)
                near.setdefault(b, []).append(a)
            for place in sorted(near):
                todo = [] if place in label else [place]
                for at in todo:
                    if label.setdefault(at, place) == place:
                        todo += (p for p in near[at] if p not in label)
            return label

        rng = random.Random(3)
        graphs = [[(rng.randrange(n), rng.randrange(n)) for _ in range(m)] for n in (1, 2, 30, 200) for m in (1, n // 2 + 1, n)]
        job = Job(self.spark, {})
        # All of them side by side, and a star, chains in the order of their places and in none.
        edges, at = [], 0
        some = list(range(40))
        rng.shuffle(some)
        for graph in [*graphs, [(i, 7) for i in range(300)], list(zip(range(1, 40), range(39))), list(zip(some[1:], some))]:
            edges += [(a + at, b + at) for a, b in graph if a != b]
            at += 1000
        rng.shuffle(edges)
        frame = self.spark.createDataFrame(pa.table({"later": [e[0] for e in edges], "earlier": [e[1] for e in edges]})).repartition(2)
        for one_task in (len(edges), 0):
            with unittest.mock.patch.object(_components, "ONE_TASK", one_task):
                got = [tuple(r) for r in components(job, frame).select("place", "label").collect()]
            self.assertEqual(len(got), len(dict(got)))
            self.assertEqual(dict(got), searched(edges), one_task)

    def test_components_of_a_long_chain(self):
        """Every other round takes three eighths of it, in the order of its places, which is the worst; others take its end."""
        from pyspark.sql import functions as F

        from neardup.spark import _components
        from neardup.spark._job import Job

        n = 100_000
        chain = self.spark.range(1, n, 1, 2).select(F.col("id").alias("later"), (F.col("id") - 1).alias("earlier"))
        with unittest.mock.patch.object(_components, "ONE_TASK", 70_000), unittest.mock.patch.object(_components, "_gone", side_effect=_components._gone) as rounds:
            got = _components.components(Job(self.spark, {}), chain)
        self.assertEqual([r.label for r in got.select("label").distinct().collect()], [0])
        self.assertEqual(got.count(), n)
        self.assertLess(rounds.call_count, 5)

    def test_parts_lie_where_spark_sends_them(self):
        import pyarrow as pa
        from pyspark.sql import functions as F

        from neardup.spark._jar import stages

        labels = lambda n: list(map(int, stages(self.spark).labels(n).split(",")))
        for n in (1, 3, 8, 200):
            made = self.spark.createDataFrame(pa.table({"part": pa.array(labels(n), pa.int32())})).select(F.pmod(F.hash("part"), F.lit(n)).alias("at"))
            self.assertEqual([r.at for r in made.collect()], list(range(n)))
        self.assertEqual(len(labels(100_000)), 100_000)

    def test_executors_need_no_python(self):
        """Whatever decides: pairs, hot buckets, the cluster, settings of a tally."""
        from neardup.spark import dedup, digest

        path = self.write("few.jsonl", lines("uci_sms/docs.jsonl", 300))
        sc = self.spark.sparkContext
        with unittest.mock.patch.object(sc, "pythonExec", "/no/python"):
            for options in ({"method": "auto"}, {"method": "ngram", "small": 2}):
                made = dedup(self.frame(path), one_task=0, **options)
                self.assertEqual(digest(made), self.local(path, "--method", options["method"])["digest"])

    def test_no_jar(self):
        from neardup.spark import _jar

        with unittest.mock.patch.object(_jar, "JAR", "/no/neardup-spark.jar"), self.assertRaisesRegex(neardup.Error, "no /no/neardup-spark.jar.* built without it"):
            _jar.check()


class Children(Session):
    """What stands between rows and a child, which is a shell here."""

    def run_shell(self, script, df, reads, makes, **more):
        from neardup.spark import _jar, _stage

        return _jar.run(self.spark, [["/bin/sh"], ["-c"], [script]], _stage.Stage((), reads, makes, **more), df)

    def test_rows_come_back(self):
        import pyarrow as pa

        table = pa.table({
            "n": [0, -(2**63), 2**63 - 1, -1, None, 7], "d": [0.1, 1e-300, float(2**60), 1.0, None, 2.5], "s": ["", "a\tb\nc\rd\\e", "\\t\\", "\u6c34\U0001f600\0", None, "x" * 3_000_000],
            "b": [b"", b"\n", bytes(range(256)), None, b"*3\n", os.urandom(400_000)]})
        df = self.spark.createDataFrame(table).repartition(2)
        got = self.run_shell("cat", df, "n d s b", "n long, d double, s string, b binary").collect()
        key = lambda row: repr(row[0])
        rows = [tuple(bytes(v) if isinstance(v, bytearray) else v for v in r) for r in got]
        self.assertEqual(sorted(rows, key=key), sorted(zip(*(table[n].to_pylist() for n in "ndsb")), key=key))

    def test_what_comes_before(self):
        """The rows of a partition, and of what Python writes itself."""
        import pyarrow as pa
        from neardup.spark import _stage

        rows = [("a", None, 0.5), ("twelve bytes", "", -1.0)]
        df = self.spark.createDataFrame(pa.table({"a": ["a", "twelve bytes"], "b": [None, ""], "c": [0.5, -1.0]})).coalesce(1)
        written = os.path.join(self.folder.name, "written")
        made = self.run_shell(f"cat >{written}; tail -c +9 {written}", df, "a b c", "a string, b string, c double", first=_stage.row(*rows[0]))
        self.assertEqual([tuple(r) for r in made.collect()], [rows[0], *rows])
        with open(written, "rb") as f:
            self.assertEqual(f.read()[8:], b"".join(_stage.row(*r) for r in [rows[0], *rows]))

    def test_failures(self):
        """An error of a child has its first and its last words; an error of the rows hides that the child then got no more rows."""
        from pyspark.sql import functions as F

        df = self.spark.range(0, 100_000, 1, 1).select("id", F.when(F.col("id") < 90_000, "x").otherwise(F.raise_error(F.lit("a bad row"))).alias("t"))
        for script, rows, why in (
            ("echo why >&2; exit 3", df.where("id < 9"), "ends with 3: why"),
            ("exit 0 <&-; ", df.where("id < 9"), None),  # it may hear less than all
            ("for i in $(seq 9000); do echo word $i >&2; done; exit 1", df.where("id < 9"), "(?s)word 1\n.*word 9000"),
            ("kill -9 $$", df.where("id < 9"), "ends with 137"),
            ("cat >/dev/null", df, "a bad row"),
            ("printf 1", df.where("id < 9"), "inside a row"),
        ):
            with self.subTest(script):
                made = self.run_shell(script, rows, "id t", "id long")
                if why is None:
                    self.assertEqual(made.count(), 0)
                    continue
                with self.assertRaisesRegex(Exception, why):
                    made.collect()

    def test_children_end_with_their_task(self):
        """Of a job that is cancelled, and where a limit needs no more rows."""
        from pyspark import InheritableThread

        sc, name = self.spark.sparkContext, f"neardup-test-{os.getpid()}"
        rows = self.spark.range(0, 10, 1, 1)
        living = lambda: subprocess.run(["pgrep", "-f", f"echo {name}[;]"], capture_output=True).returncode == 0
        row = r"\020" + r"\0" * 7 + r"\001" + r"\0" * 15
        self.assertEqual(self.run_shell(f"true echo {name}; printf '{row}'; sleep 600", rows, "id", "made string").limit(1).count(), 1)
        self.wait_until(lambda: not living())
        failed = []

        def run():
            sc.setJobGroup(name, name)
            try:
                self.run_shell(f"true echo {name}; sleep 600", rows, "id", "made string").collect()
            except Exception as e:
                failed.append(e)

        thread = InheritableThread(target=run)
        thread.start()
        self.wait_until(living)
        sc.cancelJobGroup(name)
        thread.join(600)
        self.assertEqual(len(failed), 1)
        self.wait_until(lambda: not living())

    def wait_until(self, true):
        for _ in range(6000):
            if true():
                return
            time.sleep(0.1)
        self.fail("not within ten minutes")
