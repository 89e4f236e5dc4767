"""Frames and files on Spark against an index, beside the command on one machine: one digest."""

import json
import os
import subprocess
import unittest.mock

import neardup
from session import Session, lines


class Against(Session):
    def index(self, name, rows, *flags):
        """The folder of an index of some records."""
        folder = os.path.join(self.folder.name, name)
        subprocess.run(["neardup", "index", "create", *flags, folder], check=True)
        if rows:
            subprocess.run(["neardup", "index", "add", "-q", folder, self.write(name + ".jsonl", rows)], check=True)
        return folder

    def cut(self, name, count):
        """(what is there, what is new): every other record of a set, the new ones with copies of both."""
        rows = lines(name, count)
        again = lambda some: [r.replace('"id": "', '"id": "again ', 1) for r in some]
        return rows[::2], rows[1::2] + again(rows[: count // 4]) + again(rows[1 : count // 4 : 2])

    def same(self, index, path, **options):
        from neardup.spark import dedup, digest

        counts = {}
        want = self.local(path, "--against", index)
        got = dedup(self.frame(path), against=index, partitions=3, one_task=0, counts=counts, **options)
        self.assertEqual((digest(got), counts["method"]), (want["digest"], want["method"]))
        return got, want, counts

    def test_short_texts_by_auto(self):
        """A leader of the index is named by its id, also by a variant."""
        old, new = self.cut("uci_sms/docs.jsonl", 1600)
        index, path = self.index("sms", old), self.write("new sms.jsonl", new)
        held = {json.loads(r)["id"] for r in old}
        got, want, _ = self.same(index, path)
        rows = got.collect()
        self.assertGreater(sum(r.leader in held for r in rows), 200)
        self.assertGreater(sum(r.decision == "duplicate" and r.leader not in held for r in rows), 20)
        self.assertGreater(sum(r.variant_of in held and r.conflicts is not None for r in rows), 2)
        self.assertEqual(sum(r.decision == "duplicate" for r in rows), want["removed"])

    def test_long_texts_with_hot_buckets(self):
        """A component that is decided whole finds the leaders of the index itself, also where its candidates are compared."""
        from neardup.spark import _components

        old, new = self.cut("en_license_texts/docs.jsonl.zst", 400)
        index, path = self.index("licences", old, "--method=minhash", "--threshold=.7"), self.write("new licences.jsonl", new)
        for large in (1 << 20, 2):
            with unittest.mock.patch.object(_components, "LARGE", large):
                _, want, counts = self.same(index, path, small=3)
            self.assertGreater(counts["largest_component"], 3)
            self.assertGreater(want["removed"], want["documents"] // 3)

    def test_files(self):
        """As `neardup spark dedup --against` runs it: rejects, an index in two parts that was cleaned in a way of its own."""
        from neardup.spark import _run

        old, new = self.cut("uci_sms/docs.jsonl", 800)
        index = self.index("parts", old[:300], "--method=minhash shingle=words:2", "--normalize=nfkc,lower")
        subprocess.run(["neardup", "index", "add", "-q", index, self.write("more.jsonl", old[300:350])], check=True)
        new[7] = '{"id": 7, "text": '
        path = self.write("new files.jsonl", [r.replace("you", "YOU") for r in new])
        want = self.local(path, "--against", index)
        spec = {"verb": "dedup", "inputs": [path], "out": os.path.join(self.folder.name, "out"), "format": "auto", "input": [], "method": [], "against": index, "partitions": 3}
        got = _run.run(self.spark, spec)
        self.assertEqual((got["digest"], got["rejected"], got["removed"]), (want["digest"], want["rejected"], want["removed"]))
        self.assertGreater(got["removed"], 100)

    def test_an_index_of_no_documents(self):
        """Is as none: also where texts have no keys."""
        _, new = self.cut("uci_sms/docs.jsonl", 300)
        path = self.write("all new.jsonl", [*new, *(json.dumps({"id": f"short {i}", "text": t}) for i, t in enumerate(["a", "b", "a", ""]))])
        _, want, _ = self.same(self.index("empty", [], "--method=simhash"), path)
        self.assertEqual(want["digest"], self.local(path, "--method=simhash")["digest"])

    def test_damage(self):
        """An error about a damaged file names the file, whichever stage reads it."""
        from neardup.spark import dedup

        old, new = self.cut("uci_sms/docs.jsonl", 300)
        frame = self.frame(self.write("damaged new.jsonl", new))
        index = self.index("damaged", old, "--method=minhash")
        for kind in ("keys", "texts"):
            (name,) = (n for n in os.listdir(index) if n.endswith(kind))
            path = os.path.join(index, name)
            with open(path, "rb") as f:
                whole = f.read()
            with open(path, "wb") as f:
                f.write(whole[:99] + bytes([whole[99] ^ 1]) + whole[100:])
            with self.subTest(kind), self.assertRaisesRegex(Exception, f"the index is damaged: file {name}: block 1 of"):
                dedup(frame, against=index, partitions=1, one_task=0).count()
            with open(path, "wb") as f:
                f.write(whole)

    def test_what_it_refuses(self):
        from neardup.spark import dedup

        frame = self.frame(self.write("few.jsonl", lines("uci_sms/docs.jsonl", 3)))
        index = self.index("unlike", lines("uci_sms/docs.jsonl", 9), "--method=minhash", "--threshold=.7")
        for options, why in (
            ({"method": "minhash"}, "the index was made with threshold=0.7, this run uses threshold=0.8"),
            ({"method": "minhash", "threshold": 0.7, "normalize": "none"}, "the texts of the index were normalised by"),
            ({"against": index + " none"}, "no index"),
            ({"against": ["a.jsonl"]}, "against= is the folder of an index"),
            ({"against": "s3a://bucket/index"}, "s3a"),
            ({"add": True}, "unexpected keyword argument 'add'"),
            ({"overrides": "rulings.jsonl"}, "overrides= cannot be combined with against="),
        ):
            with self.subTest(why), self.assertRaisesRegex((neardup.Error, TypeError), why):
                dedup(frame, **{"against": index, **options})
        with open(os.path.join(index, "MANIFEST"), "a", encoding="utf-8") as f:
            f.write("x")
        with self.assertRaisesRegex(neardup.Error, "the index is damaged: file MANIFEST"):
            dedup(frame, against=index)
