"""The pages of docs/for, run line by line beside the packages whose users they are for.

A block of Python or YAML that begins with `# NAME` is the file of that name. In a block of console
what follows a `$ ` is a command, and the lines below it are all that it prints. What a page
supposes (an index, compressed documents, pictures) is made first. NeMo Curator is not
installed, for it needs a GPU's libraries; nor is imagededup, which needs torch.
"""

import glob
import gzip
import importlib.util
import json
import os
import pathlib
import pickle
import random
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

PAGES = pathlib.Path(__file__).parent.parent.parent / "docs" / "for"
HAVE = all(importlib.util.find_spec(name) for name in ("datasketch", "datatrove", "imagehash", "simhash", "text_dedup"))
if os.environ.get("CI") == "true" and os.environ.get("NEARDUP_TEST_ENGINES") == "1" and not HAVE:
    raise RuntimeError("what python/tests/users.txt names is missing")

# dolma's mixer as its command calls it; all else that dolma imports is not needed for it.
DOLMA = """
    import glob, importlib.machinery, importlib.util, json, sys, yaml
    [library] = [p for folder in sys.path for p in glob.glob(folder + "/dolma/dolma.*.so")]
    loader = importlib.machinery.ExtensionFileLoader("dolma", library)
    dolma = importlib.util.module_from_spec(importlib.util.spec_from_loader("dolma", loader))
    loader.exec_module(dolma)
    assert sys.argv[1] == "-c" and sys.argv[3] == "mix", sys.argv
    dolma.mixer_entrypoint(json.dumps(yaml.safe_load(open(sys.argv[2]))))
"""


def documents():
    return [json.loads(line) for line in (PAGES / "news.jsonl").read_text("utf-8").splitlines()]


def sketches():
    """An index of the words of the news, as a user of datasketch has it."""
    import datasketch

    index, of = datasketch.MinHashLSH(threshold=.5, num_perm=128), {}
    for d in documents():
        sketch = datasketch.MinHash(num_perm=128)
        sketch.update_batch([w.encode() for w in re.findall(r"\w+", d["text"].lower())])
        of[d["id"]] = sketch
        index.insert(d["id"], sketch)
    return index, of


def drawn(seed):
    from PIL import Image, ImageDraw

    r = random.Random(seed)
    picture = Image.new("RGB", (320, 240), tuple(r.randrange(256) for _ in range(3)))
    draw = ImageDraw.Draw(picture)
    for _ in range(60):
        x, y, size = r.randrange(320), r.randrange(240), r.randrange(10, 90)
        draw.ellipse((x - size, y - size, x + size, y + size), fill=tuple(r.randrange(256) for _ in range(3)))
    return picture


def blocks(page):
    """The fenced blocks of a page, by kind."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)


@unittest.skipUnless(HAVE, "what python/tests/users.txt names is not there")
class Users(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        news = (PAGES / "news.jsonl").read_bytes()
        (self.at / "news.jsonl").write_bytes(news)
        documents = self.at / "corpus" / "documents"
        documents.mkdir(parents=True)
        for i, half in enumerate((news.splitlines(True)[:3], news.splitlines(True)[3:])):
            with gzip.open(documents / f"news-{i}.jsonl.gz", "wb") as f:
                f.writelines(half)
        (self.at / "bin").mkdir()
        dolma = self.at / "bin" / "dolma"
        dolma.write_text(f"#!{sys.executable}\n" + textwrap.dedent(DOLMA))
        dolma.chmod(0o755)

    def run_page(self, name):
        env = dict(os.environ, PATH=f"{self.at}/bin:{os.environ['PATH']}", HF_HUB_OFFLINE="1", HF_HOME=f"{self.at}/hf", PYTHONWARNINGS="ignore")
        page = (PAGES / name).read_text("utf-8")
        self.assertLessEqual(len(page.split()), 170, "more than a screen")
        ran = 0
        for kind, text in blocks(page):
            if kind != "console":
                (self.at / re.match(r"# (\S+)\n", text).group(1)).write_text(text)
                continue
            for command, want in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
                got = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.at, env=env, capture_output=True, text=True, timeout=120)
                self.assertEqual(got.stdout, want, f"{name}: {command}\n{got.stderr}\n{self.log()}")
                self.assertEqual(got.returncode, 0, f"{name}: {command}\n{got.stderr}\n{self.log()}")
                ran += 1
        self.assertGreater(ran, 1)

    def log(self):
        log = self.at / "log"
        return log.read_text() if log.exists() else ""

    def test_every_page_is_run(self):
        for page in glob.glob(str(PAGES / "*.md")):
            name = "test_" + pathlib.Path(page).stem.replace("-", "_")
            self.assertTrue(hasattr(self, name), name)

    def test_datasketch(self):
        index, of = sketches()
        (self.at / "lsh.pickle").write_bytes(pickle.dumps((index, of)))
        self.run_page("datasketch.md")
        # Their estimates, also of bytes, are within four deviations of what is said to be exact.
        import datasketch

        out = subprocess.run(["neardup", "pairs", "--exact", "--method", "jaccard threshold=.5 shingle=words:1", "-q", "news.jsonl"],
                             cwd=self.at, capture_output=True, text=True, check=True).stdout
        self.assertEqual(len(out.splitlines()), 5)
        for line in out.splitlines()[1:]:
            a, b, exact = line.split("\t")[:3]
            lean = []
            for key in (a, b):
                sketch = datasketch.LeanMinHash(of[key])
                buffer = bytearray(sketch.bytesize())
                sketch.serialize(buffer)
                lean.append(datasketch.LeanMinHash.deserialize(buffer))
            j = float(exact)
            self.assertAlmostEqual(lean[0].jaccard(lean[1]), j, delta=4 * (j * (1 - j) / 128) ** .5)

    def test_text_dedup(self):
        self.run_page("text-dedup.md")

    def test_datatrove(self):
        self.run_page("datatrove.md")
        from datatrove.pipeline.dedup.minhash import MinhashConfig

        of = MinhashConfig()
        self.assertEqual((of.n_grams, of.num_buckets, of.hashes_per_bucket), (5, 14, 8))
        self.assertAlmostEqual((1 / 14) ** (1 / 8), .72, places=2)
        self.assertAlmostEqual(1 - (1 - .72 ** 8) ** 14, .65, places=2)

    def test_dolma(self):
        self.run_page("dolma.md")

    def test_nemo_curator(self):
        self.run_page("nemo-curator.md")

    def test_simhash(self):
        self.run_page("simhash.md")

    def test_imagehash(self):
        (self.at / "photos").mkdir()
        harbour = drawn(1)
        for name, picture in ("harbour", harbour), ("harbour-small", harbour.resize((200, 150))), ("tower", drawn(2)):
            picture.save(self.at / "photos" / f"{name}.png")
        self.run_page("imagehash.md")


if __name__ == "__main__":
    unittest.main()
