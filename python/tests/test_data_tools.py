"""The recipes of docs/data-tools.md, run as they stand there.

What follows `# ` after a print is what it prints.
"""

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest
import unittest.mock

DOCS = pathlib.Path(__file__).parent.parent.parent / "docs"
LIBRARIES = {"pandas": "pandas", "polars": "polars", "DuckDB": "duckdb", "Hugging Face datasets": "datasets"}
if os.environ.get("CI") == "true" and os.environ.get("NEARDUP_TEST_ENGINES") == "1":
    missing = [m for m in LIBRARIES.values() if importlib.util.find_spec(m) is None]
    if missing:
        raise RuntimeError(f"{missing} are missing")


def printed(code):
    """The comments after prints, a line each."""
    return re.findall(r"^(?:print\(.*|.*\"\"\"\)\.fetchall\(\)\))  ?# (.*)$", code, re.M)


class Recipes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        pathlib.Path("news.jsonl").write_bytes((DOCS / "for" / "news.jsonl").read_bytes())
        env = unittest.mock.patch.dict(os.environ, HF_HUB_OFFLINE="1", HF_HOME=folder.name, HF_DATASETS_DISABLE_PROGRESS_BARS="1")
        env.start()
        self.addCleanup(env.stop)

    def run_section(self, page, title):
        section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", (DOCS / page).read_text("utf-8"), re.M | re.S)[1]
        ran = 0
        for kind, code in re.findall(r"^```(python|console)\n(.*?)^```$", section, re.M | re.S):
            if kind == "console":
                subprocess.run(shlex.split(code.strip()[2:]), check=True)
                continue
            want, out = printed(code), io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(code, f"{page}: {title}", "exec"), {})
            self.assertEqual(out.getvalue().splitlines(), want)
            ran += len(want)
        self.assertGreater(ran, 0)

    def test_every_section_is_run(self):
        titles = set(re.findall(r"^## (.*)$", (DOCS / "data-tools.md").read_text("utf-8"), re.M))
        self.assertEqual(titles - {"Limits"}, set(LIBRARIES))

    def test_recipes(self):
        for title, module in LIBRARIES.items():
            with self.subTest(title):
                if importlib.util.find_spec(module) is None:
                    self.skipTest(f"{module} is not installed")
                self.run_section("data-tools.md", title)

    def test_memories(self):
        self.run_section("memories.md", "Without a server")


if __name__ == "__main__":
    unittest.main()
