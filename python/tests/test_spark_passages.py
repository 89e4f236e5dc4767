"""`neardup.spark.passages` and `neardup spark passages` against the command on one machine."""

import json
import os
import subprocess

from session import Session, lines


class Passages(Session):
    def local_passages(self, path, *flags):
        """(lines of the spans, lines of what is left, summary) of one machine."""
        spans, left = (os.path.join(self.folder.name, n) for n in ("local.spans", "local.jsonl"))
        done = subprocess.run(["neardup", "passages", "--json", "--overwrite", path, "--spans", spans, "--out", left, *flags], capture_output=True, text=True, check=True)
        return lines(spans)[:-1], lines(left)[:-1], json.loads(done.stdout)

    def test_as_on_one_machine(self):
        """Files line by line, with a child killed in each stage, and frames by rows; also of other flags, in other partitions."""
        from neardup.spark import _run, passages

        rows = lines("ota_terms_versions/docs.jsonl.zst", 25) + lines("zh_lctt_proofread/docs.jsonl.zst", 40)
        broken = '{"id": 17, "text": '
        rows[5:5] = ["", broken, '{"id": "none", "text": ""}', rows[9]]  # a copy, of which nothing is left
        path = os.path.join(self.folder.name, "texts.jsonl")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(rows) + "\n")
        spans, left, want = self.local_passages(path)
        out = os.path.join(self.folder.name, "out")
        spec = {"verb": "passages", "inputs": [path], "out": out, "format": "auto", "input": [], "method": []}
        with self.killed_children("anchors", "again", "contexts", "matches", "join", "sources", "cut"):
            got = _run.run(self.spark, spec)
        read = lambda name: [r for f in sorted(os.listdir(os.path.join(out, name))) if f.startswith("part-") for r in lines(os.path.join(out, name, f))[:-1]]
        self.assertEqual(read("spans"), spans)
        self.assertEqual(read("clean"), left)
        names = ("documents", "rejected", "repeatedBytes", "cutBytes", "keptWithinBytes", "keptHeadingBytes", "spans", "changed", "dropped")
        self.assertEqual({n: got[n] for n in names}, {n: want[n] for n in names})
        self.assertGreater(min(len(spans), got["changed"], got["dropped"]), 0)

        path = self.write("good.jsonl", [r for r in rows if r != broken])
        spans = self.local_passages(path, "--all", "--least=60 runes", "--whole=words")[0]
        found = passages(self.frame(path), all=True, least="60 runes", whole="words", partitions=1).orderBy("place", "bytes").collect()
        self.assertEqual([{k: v for k, v in r.asDict(True).items() if v is not None and k != "place"} for r in found], [json.loads(s) for s in spans])
