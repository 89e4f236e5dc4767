"""Pictures on Spark against the command on one machine: one digest."""

import os

import neardup
from session import Session
from test_images import ONE, OTHER, bmp


class Images(Session):
    def test_a_frame_of_files(self):
        from neardup.spark import dedup, digest, fingerprints

        folder = os.path.join(self.folder.name, "photos")
        os.mkdir(folder)
        flat = bmp(ONE, light=0)
        files = {"a.bmp": bmp(ONE), "b.bmp": bmp(OTHER), "c.bmp": bmp(ONE, light=.8), "d.bmp": flat, "e.bmp": flat + b" ", "f.bmp": flat, "g.bmp": b"no picture"}
        files.update({f"more{i}.bmp": bmp(10 + i // 3, light=1 - i % 3 / 10) for i in range(12)})
        for name, content in files.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(content)
        photos = self.spark.read.format("binaryFile").load(folder).selectExpr("substring_index(path, 'file:', -1) AS path", "length", "content")
        hashes = fingerprints(photos).cache()
        self.assertEqual(hashes.columns, ["path", "length", "pdq", "error"])
        rows = {os.path.basename(r.path): r for r in hashes.collect()}
        self.assertRegex(rows["a.bmp"].pdq, "^pdq:[0-9a-f]{64} quality:\\d+ size:160x120 file:[0-9a-f]{64}")
        self.assertEqual((rows["a.bmp"].error, rows["a.bmp"].length), (None, len(files["a.bmp"])))
        self.assertIsNone(rows["g.bmp"].pdq)
        self.assertIn("not a supported picture", rows["g.bmp"].error)
        read = hashes.where("error is null")
        decisions = dedup(read, id="path", text="pdq", method="images turned=true", order="path").cache()
        leaders = {os.path.basename(r.id): r.leader and os.path.basename(r.leader) for r in decisions.collect()}
        self.assertEqual({n: leaders[n] for n in "abcdef" for n in [n + ".bmp"]}, {"a.bmp": None, "b.bmp": None, "c.bmp": "a.bmp", "d.bmp": None, "e.bmp": None, "f.bmp": "d.bmp"})
        want = self.local(folder, "--format=images", "--method=images turned=true")
        self.assertGreater(want["removed"], 5)
        self.assertEqual(digest(decisions), want["digest"])

    def test_what_is_refused(self):
        from neardup.spark import fingerprints

        frame = self.spark.sql("SELECT 'a' AS path, cast(NULL AS binary) AS content, 1 AS pdq")
        with self.assertRaisesRegex(neardup.Error, "column 'pdq' already exists"):
            fingerprints(frame)
        with self.assertRaisesRegex(neardup.Error, "no column 'picture'"):
            fingerprints(frame.drop("pdq"), content="picture")
        with self.assertRaisesRegex(neardup.Error, "column 'path' is string, not binary"):
            fingerprints(frame.drop("pdq"), content="path")
        row = fingerprints(frame.drop("pdq")).first()
        self.assertEqual((row.path, row.pdq), ("a", None))
        self.assertIn("not a readable file", row.error)
