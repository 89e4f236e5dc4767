"""The package over the command; standard library only, pandas where it is."""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import typing
import unittest
import warnings

import neardup
from neardup import _command, _options

TEXTS = [
    "今天天气很好，我们去公园", "something else, of other words", "今天天气真好，我们去公园",
    "今天天气很好，我们去公园", "",
]


class Hints(unittest.TestCase):
    """Editors and type checkers know the options that there are."""

    KINDS = {"": "bool", "float": "float", "int": "int", "size": "Size"}

    def known(self, command, own):
        """The options of a command by its help, but for those that are parameters, and those that Python sets."""
        said = _command.run([command, "--help"])
        found = re.findall(r"^ {2,6}(?:-\w, )?--([a-z-]+)(?: (\w+))?", said.split("Usage:")[1], re.MULTILINE)
        return {"progress": None, **{name.replace("-", "_"): self.KINDS.get(kind) for name, kind in found if name not in own}}

    def test_options(self):
        ours = {"json", "quiet", "help", "method", "threshold", "text-field"}
        for command, own, hints in (
            ("dedup", ours | {"decisions", "against", "dry-run"}, _options.DedupOptions),
            ("pairs", ours | {"out", "exact", "with-variants"}, _options.PairsOptions),
            ("contaminated", ours | {"findings"}, _options.ContaminatedOptions),
        ):
            known = self.known(command, own)
            hinted = {name: hint.__forward_arg__ for name, hint in hints.__annotations__.items()}
            self.assertEqual(sorted(hinted), sorted(known))
            for name, kind in known.items():
                self.assertEqual(hinted[name], kind or hinted[name], name)


class Dedup(unittest.TestCase):
    def test_strings(self):
        got = neardup.dedup(TEXTS, method="ngram")
        self.assertEqual([d["leader"] for d in got], [None, None, 0, 0, None])
        self.assertEqual([d["decision"] for d in got], ["new", "new", "duplicate", "duplicate", "new"])
        self.assertEqual(got[2]["similarity"], 11 / 12)
        self.assertEqual(got[2]["distance"], 1)
        self.assertEqual(got[3]["basis"], "equal text")

    def test_kept(self):
        self.assertEqual(neardup.kept(TEXTS, method="ngram"), [TEXTS[0], TEXTS[1], TEXTS[4]])
        self.assertEqual(neardup.kept((s for s in TEXTS), method="exact"), [TEXTS[i] for i in (0, 1, 2, 4)])
        self.assertEqual(neardup.kept([]), [])
        self.assertEqual(neardup.kept([TEXTS[0], "other words"], against=[TEXTS[0]]), ["other words"])
        with self.assertRaisesRegex(TypeError, "out="):
            neardup.kept(pathlib.Path(__file__))

    def test_groups_and_summary(self):
        run = {}
        self.assertEqual([d["group"] for d in neardup.dedup(TEXTS, method="ngram", summary=run)], [0, 1, 0, 0, 4])
        self.assertEqual((run["documents"], len(run["digest"])), (5, 64))

    CHATS = [{"id": "x", "messages": [{"role": "user", "content": "How do I boil an egg?"}, {"role": "bot", "content": s}], "title": "Eggs"}
             for s in ("Ten minutes in water.", "Nine minutes in water.", "Ten minutes in water.")]

    def test_dicts(self):
        for data in (self.CHATS, iter(self.CHATS)):
            got = neardup.dedup(data, text="messages[].content,title", method="exact")
            self.assertEqual([d["leader"] for d in got], [None, None, 0])
        self.assertEqual(neardup.kept(self.CHATS, text="messages[].content", method="exact"), self.CHATS[:2])
        self.assertEqual([p["b"] for p in neardup.pairs(self.CHATS, text="messages[].content", method="exact")], [2])
        self.assertEqual([d["leader"] for d in neardup.dedup([{"text": "a", "time": 2}, {"text": "a", "time": 1}], keep="earliest", time_field="time")], [1, None])
        self.assertEqual(neardup.dedup(self.CHATS[1:], text="title", against=self.CHATS[:1])[0]["leader"], "against:0")
        with self.assertRaisesRegex(TypeError, "text 1 is int, not str"):
            neardup.dedup([{"text": "a"}, 1])

    def test_nested_columns(self):
        for module, frame in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table.from_pylist"), ("datasets", "Dataset.from_list")):
            if importlib.util.find_spec(module) is None:
                continue
            with self.subTest(module):
                make = importlib.import_module(module)
                for name in frame.split("."):
                    make = getattr(make, name)
                data = make(self.CHATS)
                got = neardup.kept(data, text="messages[].content,title", method="exact")
                self.assertEqual(len(got), 2)
                with self.assertRaisesRegex(KeyError, "no column 'mesages': the columns are id"):
                    neardup.dedup(data, text="mesages[].content")

    def test_rethreshold(self):
        draw = random.Random(1)
        texts = [" ".join(draw.choices("ferry harbour nine ten island rain north wind coast".split(), k=8)) for _ in range(300)]
        for method in ("jaccard shingle=words:1", "ngram"):
            found = neardup.pairs(texts, method=method, threshold=.4)
            for threshold in (.5, .6, .75, 1):
                want = [(d["leader"], i) for i, d in enumerate(neardup.dedup(texts, method=method, threshold=threshold)) if d["leader"] is not None]
                self.assertEqual([(p["a"], p["b"]) for p in neardup.rethreshold(found, threshold)], want)
        self.assertEqual(neardup.rethreshold([{"a": 0, "b": 1, "similarity": .9, "relation": "variant", "basis": ""}], .5), [])
        self.assertEqual(neardup.rethreshold([], .5), [])

    def test_progress(self):
        lines = []
        neardup.dedup((str(i) for i in range(3000)), method="exact", progress=lines.append)
        self.assertRegex(lines[0], r"^read +[\d,]+ documents?")
        with contextlib.redirect_stderr(io.StringIO()) as err:
            neardup.pairs(TEXTS, method="ngram", progress=True)
        self.assertIn("documents", err.getvalue())
        with self.assertRaisesRegex(neardup.Error, '^all 2,000 records were rejected.*no field "txet"'), tempfile.TemporaryDirectory() as folder:
            name = pathlib.Path(folder, "a.jsonl")
            name.write_text('{"text": "one"}\n' * 2000, encoding="utf-8")
            neardup.dedup(name, text="txet", progress=lines.append)

    def test_any_iterable_and_none(self):
        self.assertEqual(neardup.dedup(iter([])), [])
        self.assertEqual(len(neardup.dedup(s for s in TEXTS)), 5)
        self.assertEqual([d["basis"] for d in neardup.dedup([None, "a text"])], ["no text", None])

    def test_rejected_records_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            name = pathlib.Path(folder, "a.jsonl")
            name.write_text('{"text": "one"}\n{"text": \n', encoding="utf-8")
            for of_file in (neardup.dedup, neardup.pairs):
                with self.assertWarnsRegex(UserWarning, r"1 records were rejected, the first: .*a\.jsonl:2: JSON: truncated") as told:
                    of_file(name)
                self.assertEqual(told.filename, __file__)
            with self.assertRaisesRegex(neardup.Error, r"1 records were rejected, the first: .*a\.jsonl:2: JSON: truncated"):
                neardup.dedup(name, strict=True)
            with self.assertRaisesRegex(neardup.Error, 'no field "txet"; it has "text"; name the fields by text, id_field and so on'):
                neardup.dedup(name, text="txet")

    def test_no_text_is_no_evidence(self):
        self.assertEqual([d["leader"] for d in neardup.dedup(["", "a text", " ", "", "a text"], method="exact")], [None, None, None, None, 1])
        self.assertEqual([(p["a"], p["b"]) for p in neardup.pairs(["", "a text", " ", "", "a text"], method="exact")], [(1, 4)])

    def test_threshold_and_options(self):
        got = neardup.dedup(TEXTS, method="ngram", threshold=0.95, keep="longest")
        self.assertEqual([d["leader"] for d in got], [None, None, None, 0, None])

    def test_lossless_keeps_what_says_more(self):
        said = "The council met on Monday and agreed to build a new bridge over the river, officials said"
        got = neardup.dedup([said, said + ".", said + " at noon"], method="lossless=.95", keep="shortest")
        self.assertEqual([(d["leader"], d["variant_of"]) for d in got], [(None, None), (0, None), (None, 0)])

    def test_contained_in_a_longer_text(self):
        part = " ".join(f"word{i}" for i in range(50))
        whole = " ".join(f"other{i}" for i in range(200)) + " " + part
        got = neardup.dedup([part, whole], method="containment=.9")
        self.assertEqual([(d["leader"], d["similarity"], d["basis"]) for d in got], [(1, 1.0, "contained share of passages"), (None, None, None)])
        self.assertEqual([(p["a"], p["b"], p["relation"]) for p in neardup.pairs([part, whole], method="containment=.9")], [(1, 0, "contained")])

    def test_texts_that_are_none(self):
        with self.assertRaisesRegex(TypeError, "text 1 is int"):
            neardup.dedup(["a", 1])
        for data in ({"a": "text"}, b"text"):
            with self.assertRaisesRegex(TypeError, "an iterable of texts, a table or a path is wanted"):
                neardup.dedup(data)
        with self.assertRaisesRegex(FileNotFoundError, "pass a list"):
            neardup.dedup("no such file")

        with self.assertRaisesRegex(TypeError, "text is list, not str; name several fields in one string"):
            neardup.dedup(["one"], text=["title", "body"])
        with self.assertRaisesRegex(TypeError, "text 1 is PosixPath, not str: pass a list of paths only"):
            neardup.dedup(["a", pathlib.Path("b")])
        with self.assertRaisesRegex(TypeError, "data is int"):
            neardup.dedup(7)

    def test_names_of_files_as_texts(self):
        for texts in (["a text", __file__], ["no/such/file.jsonl", "b"], ["x", "crawl.warc.gz"]):
            with self.assertWarnsRegex(UserWarning, "looks like the name of a file"):
                neardup.dedup(texts)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            neardup.dedup(["read me.txt or not", "so.txt is it"])

    def test_errors_are_of_pythons_kinds(self):
        for kind, says, options in (
            (ValueError, r'^method: unknown method "best" \(want auto, exact,', {"method": "best"}),
            (TypeError, r"^unexpected keyword argument 'colour'$", {"colour": "red"}),
            (TypeError, r"^unexpected keyword argument 'treshold'; did you mean threshold\?$", {"treshold": .8}),
            (TypeError, r"^unexpected keyword argument 'max_documents'; did you mean max_document\?$", {"max_documents": 9}),
            (ValueError, r'^threshold "high": invalid .want a number.$', {"threshold": "high"}),
            (ValueError, '^keep "best": invalid .want first', {"keep": "best"}),
            (ValueError, "^max_document: invalid size", {"max_document": "much"}),
            (FileNotFoundError, "no such file or directory$", {"overrides": "/no/such/file"}),
        ):
            with self.assertRaisesRegex(kind, says):
                neardup.dedup(TEXTS, **options)
        with self.assertRaisesRegex(TypeError, "did you mean threshold"):
            neardup.dedup([], treshold=.8)  # of nothing, too
        self.assertTrue(issubclass(neardup.OptionError, neardup.Error))
        for kind, says in (
            (FileNotFoundError, "open a: The system cannot find the file specified."),
            (PermissionError, "open a: Access is denied."),
        ):
            self.assertIs(type(_command.failure(1, f"neardup: {says}\n")), kind)

    def test_types_are_shipped(self):
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(neardup.__file__), "py.typed")))
        self.assertEqual(set(neardup.Decision.__annotations__), {"id", "conflicts", *neardup.FIELDS})
        variant = neardup.dedup([f"The storm closed the port on {day}, and ferries to the islands were cancelled." for day in ("Monday", "Tuesday")])[1]
        self.assertLessEqual(set(variant["conflicts"][0]), set(neardup.Conflict.__annotations__))

    def test_types_without_tables(self):
        # Where pandas is not installed its types are Any, and an overload that takes them takes all.
        for function in (neardup.dedup, neardup.pairs):
            taken = [o.__annotations__["data"].strip("\"'") for o in typing.get_overloads(function)]
            self.assertEqual(taken[0], "Path | Sequence[Optional[str]]")
            self.assertEqual(taken[-1], "Iterable[Optional[str]]")

    def test_odd_characters(self):
        odd = ["a\tb\nc\\", "\u2028 \U0001f600", "a\tb\nc\\", '"quoted"']
        self.assertEqual([d["leader"] for d in neardup.dedup(odd, method="exact")], [None, None, 0, None])

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "a.jsonl")
            with open(name, "w", encoding="utf-8") as f:
                for i, s in enumerate(TEXTS):
                    f.write(json.dumps({"id": f"d{i}", "text": s}) + "\n")
            got = neardup.dedup(name, method="ngram")
        self.assertEqual([(d["id"], d["leader"]) for d in got][2], ("d2", "d0"))

    def test_fields_patterns_and_lists_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            names = [pathlib.Path(folder, f"{i}.jsonl") for i in "ab"]
            for name in names:
                name.write_text(json.dumps({"id": name.stem, "doc": {"body": "one text"}}) + "\n", encoding="utf-8")
            want = [("a", None), ("b", "a")]
            for data in (names, os.path.join(folder, "*.jsonl"), folder):
                got = neardup.dedup(data, text="doc.body", method="exact")
                self.assertEqual([(d["id"], d["leader"]) for d in got], want)
            self.assertEqual([(d["a"], d["b"]) for d in neardup.pairs(names, text="doc.body", method="exact")], [("a", "b")])
            with self.assertRaisesRegex(neardup.Error, 'no field "text"; it has "id", "doc.body"'):
                neardup.dedup(names[0])
            with self.assertWarnsRegex(UserWarning, "looks like the name of a file"):
                neardup.dedup([str(n) for n in names], method="exact")

    def test_command(self):
        out = subprocess.run(["neardup", "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(out.split()[2], neardup.__version__)  # of the wheel

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_pandas(self):
        import pandas

        frame = pandas.DataFrame({"body": [*TEXTS[:4], None]}, index=list("abcde"))
        got = neardup.dedup(frame, text="body", method="ngram")
        self.assertEqual(list(got.index), list("abcde"))
        self.assertEqual(list(got["leader"]), [pandas.NA, pandas.NA, "a", "a", pandas.NA])
        self.assertEqual(got.dtypes.astype(str).to_dict(), {
            "decision": "string", "leader": "string", "similarity": "float64", "distance": "Int64", "method": "string",
            "basis": "string", "variant_of": "string", "kept_by": "string", "group": "string"})
        self.assertEqual(list(got["group"]), ["a", "b", "a", "a", "e"])
        self.assertEqual(list(neardup.kept(frame, text="body", method="ngram").index), ["a", "b", "e"])
        self.assertEqual(list(neardup.kept(frame["body"], text="body", method="ngram").index), ["a", "b", "e"])
        kept = frame[got["decision"] == "new"]
        self.assertEqual(list(kept.index), ["a", "b", "e"])

        series = neardup.dedup(frame["body"], method="ngram")
        self.assertEqual(list(series["leader"]), [pandas.NA, pandas.NA, "a", "a", pandas.NA])
        self.assertEqual(list(neardup.dedup(pandas.Series(["x", pandas.NA, "x"]), method="exact")["leader"])[2], 0)
        with self.assertRaisesRegex(KeyError, "no column 'text': the columns are body"):
            neardup.dedup(frame)

        found = neardup.pairs(frame, text="body", method="ngram")
        self.assertEqual(list(zip(found["a"], found["b"])), [("a", "c"), ("a", "d"), ("c", "d")])
        again = neardup.rethreshold(found, .95)
        self.assertEqual((list(again["b"]), list(again.columns)), (["d"], list(found.columns)))
        empty = neardup.pairs(frame[:0].reset_index(), text="body")
        self.assertEqual(empty.dtypes.astype(str).tolist(), ["Int64", "Int64", "float64", "Int64", "string", "string"])

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_keep_looks_at_columns(self):
        import pandas

        data = pandas.DataFrame({"text": ["one and the same text"] * 3, "source": ["news", "wiki", None], "score": [2.5, pandas.NA, 1]})
        got = neardup.dedup(data, keep="source:wiki,*; largest score")
        self.assertEqual(got["leader"].tolist(), [1, pandas.NA, 1])
        self.assertEqual((got["leader"].dtype, got["group"].dtype, got["distance"].dtype), ("Int64",) * 3)
        self.assertEqual(got["kept_by"].tolist(), ["source", pandas.NA, "source"])
        self.assertEqual(neardup.dedup(data, keep="smallest score")["leader"].tolist(), [2, 2, pandas.NA])
        self.assertEqual(neardup.dedup(data, per="source")["leader"].tolist(), [pandas.NA] * 3)
        with self.assertRaisesRegex(neardup.Error, 'no record has a field "sauce"'):
            neardup.dedup(data, keep="sauce:wiki")

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "pyarrow is not installed")
    def test_arrow(self):
        import pyarrow

        table = pyarrow.table({"text": pyarrow.chunked_array([TEXTS[:2], TEXTS[2:4] + [None]])})
        got = neardup.dedup(table, method="ngram")
        self.assertEqual(got.column("leader").to_pylist(), [None, None, 0, 0, None])
        self.assertEqual(neardup.kept(table, method="ngram").column("text").to_pylist(), [TEXTS[0], TEXTS[1], None])
        self.assertEqual(got.schema.field("variant_of").type, pyarrow.int64())
        found = neardup.pairs(table, method="exact")
        self.assertEqual(found.column("b").to_pylist(), [3])
        self.assertEqual(neardup.rethreshold(found, .9), found)

    @unittest.skipUnless(importlib.util.find_spec("polars"), "polars is not installed")
    def test_polars(self):
        import polars

        frame = polars.DataFrame({"body": [*TEXTS[:4], None]})
        got = neardup.dedup(frame, text="body", method="ngram")
        self.assertEqual(got["leader"].to_list(), [None, None, 0, 0, None])
        self.assertEqual(neardup.kept(frame.lazy(), text="body", method="ngram")["body"].to_list(), [TEXTS[0], TEXTS[1], None])
        self.assertEqual(neardup.kept(frame.head(0), text="body").height, 0)
        self.assertEqual(frame.filter(got["decision"] == "new").height, 3)
        self.assertEqual(neardup.pairs(frame, text="body", method="ngram")["a"].to_list(), [0, 0, 2])
        self.assertEqual(neardup.dedup(frame.lazy(), text="body", method="ngram")["leader"].to_list(), [None, None, 0, 0, None])
        self.assertEqual(neardup.dedup(frame["body"], method="ngram")["leader"].to_list(), [None, None, 0, 0, None])

    def test_pairs(self):
        got = neardup.pairs(TEXTS, method="ngram")
        self.assertEqual([(d["a"], d["b"], d["relation"]) for d in got], [(0, 2, "duplicate"), (0, 3, "duplicate"), (2, 3, "duplicate")])
        self.assertEqual((got[0]["similarity"], got[0]["distance"]), (11 / 12, 1))
        self.assertEqual(neardup.pairs([]), [])
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "a.jsonl")
            with open(name, "w", encoding="utf-8") as f:
                for i in ("x\ty", "x\\t"):
                    f.write(json.dumps({"id": i, "text": "one text"}) + "\n")
            got = neardup.pairs(name, method="exact")
        self.assertEqual([(d["a"], d["b"]) for d in got], [("x\ty", "x\\t")])


if __name__ == "__main__":
    unittest.main()
