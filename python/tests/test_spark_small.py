"""What one task decides, against the command for the same documents in the same order: each decision."""

import json
import os
import re
import subprocess
import sys
import threading
import unittest.mock

import neardup
from session import FIELDS, Documents


class Small(Documents):
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

    def test_an_id_that_looks_like_conflicts(self):
        documents = [('a",\\"conflicts\\":[x],"', "meet me at 5 tomorrow near the station for coffee please"), ("b", "meet me at 6 tomorrow near the station for coffee please")]
        got = self.agrees(self.frame_of(documents), dict(documents))
        self.assertEqual([r["variant_of"] for r in got], [None, documents[0][0]])
        self.assertIn("number", got[1]["conflicts"])

    def test_numbered_rows_that_were_shuffled_since(self):
        """Their places are their order. Only what comes in another one is sorted."""
        from pyspark.sql import functions as F

        from neardup.spark import _small, dedup, numbered

        df, found = numbered(self.frame_of(self.documents(60))), []
        for rows, attempts in ((df, 1), (df.repartition(4), 2), (df.coalesce(1).sortWithinPartitions(F.desc("place")), 2), (df.limit(1), 1)):
            with unittest.mock.patch.object(_small, "documents", side_effect=_small.documents) as documents:
                found.append({tuple(r) for r in dedup(rows).collect()})
            self.assertEqual(documents.call_count, attempts)
        self.assertEqual(found[:3], [found[0]] * 3)
        self.assertEqual(len(found[3]), 1)

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
        """They share tasks, four for each core, and counts of some documents choose the keys."""
        from neardup.spark import _records
        from neardup.spark._places import placed

        documents = self.documents(40)
        df = self.frame_of(documents).repartition(60).localCheckpoint()
        self.assertEqual(placed(df, "id", "text", (), 1 << 20).rows.rdd.getNumPartitions(), 4 * self.spark.sparkContext.defaultParallelism)
        for tallied in (1 << 20, 1):
            with unittest.mock.patch.object(_records, "TALLIED", tallied):
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
            ("OSError: [Errno 28] Error writing bytes to file. Detail: [errno 28] No space left on device", "the disk of the task is full"),
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


