"""Lines of files that are read in pieces: what the command on one machine makes of the same files."""

import bz2
import gzip
import json
import os
import pathlib
from types import SimpleNamespace

import neardup
from session import Session


class Pieces(Session):
    def run_on_spark(self, inputs, name, pieces, format="auto"):
        """The summary, and the lines of kept, decisions and rejects in the order of their parts."""
        from neardup.spark import _run

        out = os.path.join(self.folder.name, name)
        spec = {"verb": "dedup", "inputs": inputs, "out": out, "format": format, "input": [], "method": ["--method=ngram"], "partitions": pieces}
        try:
            summary = _run.run(self.spark, spec)
        finally:
            self.spark.conf.set("spark.sql.shuffle.partitions", "3")

        def read(name):
            lines = b""
            for part in sorted(os.listdir(os.path.join(out, name))) if os.path.isdir(os.path.join(out, name)) else []:
                if part.startswith("part-"):
                    with open(os.path.join(out, name, part), "rb") as f:
                        lines += f.read()
            return lines

        return summary, *map(read, ("kept", "decisions", "rejects"))

    def agrees(self, inputs, name, pieces, format="auto"):
        """Spark's answer is the local one, and what it writes is in its order; with how many rejects."""
        kept = os.path.join(self.folder.name, f"{name} kept" + (".txt" if format == "lines" else ".jsonl"))
        decisions, rejects = (os.path.join(self.folder.name, f"{name} {n}.jsonl") for n in ("decisions", "rejects"))
        want = self.local(inputs[-1], "--method=ngram", "--format", format, "--out", kept, "--decisions", decisions, "--rejects", rejects, *inputs[:-1])
        got = self.run_on_spark(inputs, name, pieces, format)
        content = lambda path: pathlib.Path(path).read_bytes() if os.path.exists(path) else b""
        self.assertEqual(got[1], content(kept).removesuffix(b"\n") + b"\n")
        self.assertEqual((got[0]["documents"], got[0]["removed"]), (want["documents"], want["removed"]))
        of = lambda lines, *names: [tuple(json.loads(line)[n] for n in names) for line in lines.splitlines()]
        if format != "lines":  # there an id is a place
            self.assertEqual(got[0]["digest"], want["digest"])
            self.assertEqual(of(got[2], "id", "decision"), of(content(decisions), "id", "decision"))
        rejected = of(got[3], "file", "line", "reason")
        self.assertEqual(sorted(rejected), sorted(of(content(rejects), "file", "line", "reason")))
        return len(rejected)

    def record(self, id, text):
        return json.dumps({"id": id, "text": text}, ensure_ascii=False).encode()

    def file(self, name, content, open=open):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(content)
        return path

    def files(self):
        """Four, the longest neither first nor last, each with what a reader of lines may get wrong."""
        text = lambda i: " ".join(f"word{i * j % 97}" for j in range(1, 12))
        of = lambda name, n: [self.record(f"{name}{i}", text(i)) for i in range(n)]
        first = b"\xef\xbb\xbf" + b"\r\n".join([*of("a", 12), b"", b'{"id": "cut', *of("b", 3), b" ", b"\t\r", b"[1]"])
        second = b"\n".join([
            *of("c", 80), b'{"id": "bad bytes", "text": "one \xff\xfe two \xe4\xbd three"}', b'{"id": "bad bytes", "text": "one \xff\xfe two \xe4\xbd three four"}',
            b'{"id": "a return",\r"text": "alone between two fields"}', b"", b"", b'{"text": 1', self.record("long", text(3) + " and " * 9000), *of("d", 60), b"{}", b"\r", *of("e", 9),
        ]) + b"\n"
        third = b"\n" * 40 + b"\n".join([*of("f", 7), b"no json"])  # a last line without its end
        fourth = b"\r\n".join(of("g", 30)) + b"\r\n"
        self.file("b/first, [1] {x}?*.jsonl", first)
        return [
            os.path.join(self.folder.name, "b"), self.file("a second.jsonl", second), self.file("0.jsonl", b""),
            self.file("third.jsonl", third), self.file("d fourth.jsonl.gz", fourth, gzip.open),
        ]

    def test_decisions_and_rejects(self):
        """Order, bytes, and file and line of each reject; in a piece a partition, and in one of all."""
        for partitions in (8, 1):
            with self.subTest(partitions):
                self.assertEqual(self.agrees(self.files(), f"of {partitions}", partitions), 7)

    def test_places(self):
        """Of files cut anywhere: each line once, in the order of places, against a division of the whole."""
        from neardup.spark import _files
        from neardup.spark._pieces import Pieces
        from neardup.spark._places import CO_PARTITION
        from pyspark.sql import functions as F

        files = self.files()
        long = b"\n".join(c * n for c, n in ((b"a", 5), (b"b", 3 << 20), (b"c", (1 << 20) - 2), (b"d", 9)))  # longer than what is read at once
        files += [self.file("long.jsonl", long), self.file("g.jsonl.bz2", b"\n".join(b"line %d" % i for i in range(3000)), bz2.open)]
        found, sizes, _ = _files.listed(self.spark, files)
        want = []
        for f in map(_files.plain, found):
            with {"gz": gzip.open, "z2": bz2.open}.get(f[-2:], open)(f, "rb") as content:
                lines = content.read().removeprefix(b"\xef\xbb\xbf").split(b"\n")
                want += lines if lines[-1] else lines[:-1]
        for pieces in range(1, 9):
            read = Pieces(SimpleNamespace(spark=self.spark, pieces=pieces), found, sizes, lambda names: self.spark.read.text(names, lineSep="\n"))
            placed = read.placed(read.scan.select(read.place.alias("place"), F.col("value").alias("text")))
            rows = sorted(placed.rows.withColumn("text", F.col("text").cast("binary")).collect(), key=lambda r: r.place)
            self.assertEqual([bytes(r.text) for r in rows], want)
            self.assertEqual(len({r.place for r in rows}), len(want))
            # A side that is sent to the partitions meets the rows it is of.
            before = self.spark.conf.get(CO_PARTITION)
            self.spark.conf.set(CO_PARTITION, "false")
            try:
                some = self.spark.createDataFrame([(r.place,) for r in rows[::3]], "place long")
                self.assertEqual(placed.join(some).count(), len(rows[::3]))
                self.assertEqual(placed.join(some, "left_anti").count(), len(rows) - len(rows[::3]))
            finally:
                self.spark.conf.set(CO_PARTITION, before)

    def test_one_text_a_line(self):
        path = self.file("texts.txt", b"one text here\r\none text\there\n\n \n\xff bytes \xe4\r\none  text here\nand \r inside\nlast")
        self.assertEqual(self.agrees([path], "of lines", 3, "lines"), 0)

    def test_names_that_spark_does_not_read(self):
        """Named they are refused; in a folder they are left out, and said where they are not what programs leave there."""
        from neardup.spark import _files
        from neardup.spark._job import Job

        files = {n: self.file(f"some/{n}", self.record(n, "text")) for n in ("a.jsonl", "_hidden.jsonl", "_SUCCESS", ".a.jsonl.crc", "b.jsonl._COPYING_")}
        for name in ("_hidden.jsonl", "b.jsonl._COPYING_"):
            with self.assertRaisesRegex(neardup.Error, name + ": Spark reads no file of such a name"):
                _files.listed(self.spark, [files[name]])
        found, _, hidden = _files.listed(self.spark, [os.path.dirname(files["a.jsonl"])])
        self.assertEqual((list(map(_files.plain, found)), hidden), ([files["a.jsonl"]], [files["_hidden.jsonl"], files["b.jsonl._COPYING_"]]))
        notes = []
        _files.read(Job(self.spark, {}, flags=[]), [os.path.dirname(files["a.jsonl"])], "auto", [], notes.append)
        self.assertEqual(notes, [f"left out, as Spark reads no file of such a name: {files['_hidden.jsonl']} and 1 more"])
        with self.assertRaisesRegex(neardup.Error, "a:b.jsonl: Hadoop reads no file with a colon"):
            _files.listed(self.spark, [os.path.dirname(self.file("colon/a:b.jsonl", b"{}"))])
        for once in (self.file("once/a.csv", b"id,text\n1,one\n"), self.file("twice/b.jsonl", self.record("b", "text"))):
            with self.assertRaisesRegex(neardup.Error, os.path.basename(once) + " is named twice"):
                _files.read(Job(self.spark, {}, flags=[]), [once, os.path.dirname(once)], "auto", [])
