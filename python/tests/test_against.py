"""Decisions against what is there already, and items of an evaluation in texts."""

import importlib.util
import json
import os
import tempfile
import unittest

import neardup

ROBE = "A robe takes 2 bolts of blue fiber and half that much white fiber. How many bolts in total does it take?"


def write(folder, name, rows):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        for row in rows:
            f.write(json.dumps(row) + "\n")
    return path


class Against(unittest.TestCase):
    def test_texts(self):
        got = neardup.dedup(["one text", "a new one", "a new one"], against=["other", "one text"], method="exact")
        self.assertEqual([d["leader"] for d in got], ["against:1", None, 1])
        self.assertEqual([d["decision"] for d in got], ["duplicate", "new", "duplicate"])
        self.assertEqual(neardup.dedup([], against=["one text"]), [])
        with self.assertRaisesRegex(TypeError, "text 1 is int"):
            neardup.dedup(["a"], against=["a", 1])
        with self.assertRaisesRegex(FileNotFoundError, "no such index"):
            neardup.dedup(["a"], against="no such index")

    def test_index(self):
        with tempfile.TemporaryDirectory() as folder:
            january = write(folder, "january.jsonl", [{"id": "0", "text": "one text"}, {"id": "1", "text": "another"}])
            february = write(folder, "february.jsonl", [{"id": "f", "text": "another"}])
            index = os.path.join(folder, "crawl.index")
            self.assertEqual([d["leader"] for d in neardup.dedup(january, method="exact", against=index, add=True)], [None, None])
            # The method is that of the index, and an id of it is not a number of a text.
            got = neardup.dedup(["x", "another"], against=index)
            self.assertEqual([(d["leader"], d["method"]) for d in got], [(None, "exact"), ("1", "exact")])
            self.assertEqual([d["leader"] for d in neardup.dedup(february, against=index)], ["1"])
            self.assertEqual([d["leader"] for d in neardup.dedup(february, against=january, method="exact")], ["1"])
            with self.assertRaisesRegex(TypeError, "add=True adds files"):
                neardup.dedup(["a"], against=index, add=True)
            with self.assertRaisesRegex(TypeError, "against must be files"):
                neardup.dedup(february, against=["a text"])

    def test_resume(self):
        with tempfile.TemporaryDirectory() as folder:
            january = write(folder, "january.jsonl", [{"id": "0", "text": "one text"}, {"id": "1", "text": "one text"}])
            left = os.path.join(folder, "left")
            self.assertEqual([d["leader"] for d in neardup.dedup(january, method="exact", resume=left)], [None, "0"])
            self.assertEqual(os.listdir(left), [])
            with self.assertRaisesRegex(neardup.OptionError, "resume: standard input cannot be read twice"):
                neardup.dedup(["a", "b"], resume=left)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_pandas(self):
        import pandas

        frame = pandas.DataFrame({"body": ["x", "one text", "x"]}, index=list("abc"))
        got = neardup.dedup(frame, text="body", method="exact", against=pandas.Series(["one text"]))
        self.assertEqual(list(got["leader"]), [pandas.NA, "against:0", "a"])
        found = neardup.contaminated([ROBE], pandas.DataFrame({"body": ["nothing", ROBE]}, index=["p", "q"]), text="body")
        self.assertEqual(list(found["id"]), ["q"])

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "pyarrow is not installed")
    def test_arrow(self):
        import pyarrow

        table = pyarrow.table({"text": ["x", "one text", "x"]})
        got = neardup.dedup(table, method="exact", against=["one text"])
        self.assertEqual(got.column("leader").to_pylist(), [None, "against:0", "0"])
        found = neardup.contaminated([ROBE], pyarrow.table({"text": [ROBE, "nothing"]}))
        self.assertEqual(found.select(["id", "item", "verdict", "answered"]).to_pylist(), [
            {"id": 0, "item": "0", "verdict": "contaminated", "answered": False}])
        self.assertEqual(neardup.contaminated([ROBE], pyarrow.table({"text": ["nothing"]})).num_rows, 0)


class Contaminated(unittest.TestCase):
    def test_strings(self):
        item = {"id": "gsm/2", "question": ROBE, "answer": "3"}
        got = neardup.contaminated([item], ["nothing", "So: " + ROBE, ROBE.replace("2", "5")])
        self.assertEqual([(d["id"], d["item"], d["verdict"], d["start"]) for d in got],
                         [(1, "gsm/2", "contaminated", 4), (2, "gsm/2", "partial", 0)])
        self.assertEqual(got[1]["differs"], [{"item": "2", "passage": "5"}])
        self.assertEqual(set(got[1]) - set(neardup.Finding.__annotations__), set())
        self.assertEqual(neardup.contaminated([item], []), [])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            evals = write(folder, "evals.jsonl", [{"eval_key": "gsm", "doc_id": 2, "question": ROBE}])
            docs = write(folder, "docs.jsonl", [{"id": "a", "body": ROBE}, {"id": "b", "body": "clean"}])
            clean = os.path.join(folder, "clean.jsonl")
            got = neardup.contaminated(evals, docs, text="body", out=clean)
            self.assertEqual([(d["id"], d["item"]) for d in got], [("a", "gsm/2")])
            with open(clean, encoding="utf-8") as f:
                self.assertEqual([json.loads(line)["id"] for line in f], ["b"])

    def test_mistakes(self):
        with self.assertRaisesRegex(TypeError, "item 0 is int"):
            neardup.contaminated([7], ["a"])
        with self.assertRaisesRegex(neardup.Error, "no item of an evaluation"):
            neardup.contaminated([], ["a"])
        with self.assertRaisesRegex(ValueError, "least 0.3"):
            neardup.contaminated([ROBE], ["a"], least=.3)


if __name__ == "__main__":
    unittest.main()
