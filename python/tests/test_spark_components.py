"""What the stages on Spark are made of: components, forests, parts, tasks."""

import random
import sys
import unittest.mock

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
        """Of postings and of edges, in batches that part a bucket anywhere and hold few of them at once."""
        import numpy as np
        import pyarrow as pa
        from neardup.spark import _components

        rng = random.Random(4)
        postings = sorted((rng.randrange(40), rng.randrange(500)) for _ in range(700))
        keys, places = (np.array(c, np.int64) for c in zip(*postings))
        edges = [(p, min(q for k2, q in postings if k2 == k)) for k, p in postings]
        want = dict(zip(*(c.tolist() for c in _components.labelled(*(np.array(c, np.int64) for c in zip(*edges))))))
        for held, size in ((1 << 20, 1000), (1 << 20, 3), (50, 7), (1, 1)):
            cut = lambda **columns: pa.table(columns).to_batches(size)
            with unittest.mock.patch.object(_components, "HELD", held):
                for found in (_components.star_forest(cut(key=keys, place=places)), _components.edge_forest(cut(later=[e[0] for e in edges], earlier=[e[1] for e in edges]))):
                    found = [(a, b) for batch in found for a, b in zip(*(c.to_pylist() for c in batch.columns))]
                    self.assertTrue(all(a > b for a, b in found))
                    self.assertLessEqual(len(found), len(postings))
                    self.assertTrue(held < 1000 or len(found) == len(want) - len(set(want.values())))
                    got = dict(zip(*(c.tolist() for c in _components.labelled(*(np.array(c, np.int64) for c in zip(*found))))))
                    self.assertEqual(got, {p: label for p, label in want.items() if p != label or p in want.values() and list(want.values()).count(p) > 1})

    def test_parts_lie_where_spark_sends_them(self):
        from pyspark.sql import functions as F

        from neardup.spark._packs import labels

        for n in (1, 3, 8, 200):
            made = self.spark.createDataFrame([(x,) for x in labels(n)], "part int").select(F.pmod(F.hash("part"), F.lit(n)).alias("at"))
            self.assertEqual([r.at for r in made.collect()], list(range(n)))
        self.assertEqual(len(labels(100_000)), 100_000)

    def test_tasks_find_no_zip_to_read_again(self):
        """Before each task Spark invalidates caches of imports, a finder of a zip would read its directory; after each it collects all garbage."""
        import gc
        import zipimport

        import pyarrow

        path = self.write("few.jsonl", lines("uci_sms/docs.jsonl", 40))
        from neardup.spark import dedup

        self.assertGreater(dedup(self.frame(path), method="exact", partitions=1).count(), 0)

        def left(batches):
            list(batches)
            zips = sum(isinstance(f, zipimport.zipimporter) for f in sys.path_importer_cache.values())
            yield pyarrow.RecordBatch.from_pydict({"n": [zips], "frozen": [gc.get_freeze_count()]})

        rows = self.spark.range(0, 8, 1, 8).mapInArrow(left, "n long, frozen long").collect()
        found = [r.n for r in rows]
        self.assertGreater(max(r.frozen for r in rows), 10_000)  # what was imported is no garbage to look for
        self.assertEqual(gc.get_freeze_count(), 0)  # the driver's is its own
        # A worker that has run a stage may look at Spark's zip again for what a task imports; not once for each package in it.
        self.assertLess(min(found), 8)
