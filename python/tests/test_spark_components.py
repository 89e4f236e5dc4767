"""What the stages on Spark are made of: components, forests, parts, tasks."""

import os
import random
import struct
import subprocess
import time
import unittest.mock

import neardup
from session import Session, lines


class Components(Session):
    def test_components(self):
        """Against a search: of edges in any order, chains and stars among them, in the driver and on the cluster."""
        import numpy as np
        import pyarrow as pa
        from neardup.spark._components import components, labelled
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
        for edges in graphs:
            places, label = labelled(*(np.array([e[i] for e in edges], np.int64) for i in (0, 1)))
            self.assertEqual(dict(zip(places.tolist(), label.tolist())), searched(edges))
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
        for on_driver in (len(edges), 0):
            got = [tuple(r) for r in components(job, frame, on_driver).select("place", "label").collect()]
            self.assertEqual(len(got), len(dict(got)))
            self.assertEqual(dict(got), searched(edges), on_driver)

    def test_components_of_a_long_chain(self):
        """Every other round takes three eighths of it, in the order of its places, which is the worst; others take its end."""
        from pyspark.sql import functions as F

        from neardup.spark import _components
        from neardup.spark._job import Job

        n = 100_000
        chain = self.spark.range(1, n, 1, 2).select(F.col("id").alias("later"), (F.col("id") - 1).alias("earlier"))
        with unittest.mock.patch.object(_components, "_gone", side_effect=_components._gone) as rounds:
            got = _components.components(Job(self.spark, {}), chain, 70_000)
        self.assertEqual([r.label for r in got.select("label").distinct().collect()], [0])
        self.assertEqual(got.count(), n)
        self.assertLess(rounds.call_count, 5)

    def test_forests(self):
        """Of postings and of edges, in pieces that part a bucket anywhere and hold few of them at once."""
        import numpy as np
        import pyarrow as pa
        from neardup.spark import _components
        from neardup.spark._job import Job

        rng = random.Random(4)
        postings = sorted((rng.randrange(40), rng.randrange(500)) for _ in range(700))
        edges = [(p, min(q for k2, q in postings if k2 == k)) for k, p in postings]
        want = dict(zip(*(c.tolist() for c in _components.labelled(*(np.array(c, np.int64) for c in zip(*edges))))))
        job = Job(self.spark, {})
        for held in (1 << 20, 50, 1):
            for rows, stars in ((postings, True), (edges, False)):
                frame = self.spark.createDataFrame(pa.table(list(map(list, zip(*rows))), ["a", "b"])).coalesce(1)
                with unittest.mock.patch.object(_components, "HELD", held):
                    found = [tuple(r) for r in _components.forest(job, frame, stars).collect()]
                self.assertTrue(all(a > b for a, b in found))
                self.assertLessEqual(len(found), len(postings))
                self.assertTrue(held < 1000 or len(found) == len(want) - len(set(want.values())))
                got = dict(zip(*(c.tolist() for c in _components.labelled(*(np.array(c, np.int64) for c in zip(*found))))))
                self.assertEqual(got, {p: label for p, label in want.items() if p != label or p in want.values() and list(want.values()).count(p) > 1})

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
            for options in ({"method": "auto"}, {"method": "ngram", "on_driver": 0, "small": 2}):
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

        texts = ["", "a\tb\nc\rd\\e", "\\t\\", "\u6c34\U0001f600\0", None, "x" * 3_000_000]
        n = [0, -(2**63), 2**63 - 1, -1, None, 7]
        packs = [b"", b"\n", bytes(range(256)), None, b"*3\n", os.urandom(400_000)]
        table = pa.table({"n": n, "h": n, "d": [0.1, 1e-300, float(2**60), 1.0, None, 2.5], "s": texts, "t": texts, "b": packs})
        df = self.spark.createDataFrame(table).repartition(2)
        got = self.run_shell("cat", df, "n n, h x, d d, s s, t t, b b", "n n, h x, d d, s s, t t, b b").collect()
        want = [(a, a, d, s or None, s or "", b) for a, d, s, b in zip(n, table["d"].to_pylist(), texts, packs)]
        key = lambda row: repr((row[0], row[2], row[3] and row[3][:9]))
        self.assertEqual(sorted((tuple(None if v is None else bytes(v) if isinstance(v, bytearray) else v for v in r) for r in got), key=key), sorted(want, key=key))

    def test_fields(self):
        """Those that are not there, and what comes before; a place and its number; all that a child writes in one."""
        import pyarrow as pa

        df = self.spark.createDataFrame(pa.table({"a": [1, 2], "b": [None, 5], "c": ["x", None]})).coalesce(1)
        (row,) = self.run_shell("cat", df, "a n, b n?, c r?", "", first=b"first\n").collect()
        self.assertEqual(bytes(row.made), b"first\n1\tx\n2\t5\n")
        starts = struct.pack("<4q", 0, 10, 10, 25)  # the second piece is empty
        places = [0, 9, 2 << 33, (2 << 33) + 14]
        df = self.spark.createDataFrame(pa.table({"place": places})).coalesce(1)
        (row,) = self.run_shell("cat", df, "place N", "", starts=starts).collect()
        self.assertEqual(bytes(row.made), b"0\n9\n10\n24\n")
        self.assertEqual([r.place for r in self.run_shell("cat", df, "place N", "place N", starts=starts).collect()], places)

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
            ("printf 1", df.where("id < 9"), "inside a line"),
            ("printf '1\t2\n'", df.where("id < 9"), "more than 1 fields"),
            ("printf 'x\n'", df.where("id < 9"), "no number: x"),
        ):
            with self.subTest(script):
                made = self.run_shell(script, rows, "id n, t s", "id n")
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
        self.assertEqual(self.run_shell(f"echo {name}; echo 1; sleep 600", rows, "id n", "made t").limit(1).count(), 1)
        self.wait_until(lambda: not living())
        failed = []

        def run():
            sc.setJobGroup(name, name)
            try:
                self.run_shell(f"echo {name}; sleep 600", rows, "id n", "made t").collect()
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
