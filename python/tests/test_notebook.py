"""Runs the cells of python/notebook.ipynb in order; each must give the outputs that the notebook stores, but for fractions.

`python3 test_notebook.py --write` stores them again.
"""

import ast
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import re
import sys
import unittest

NOTEBOOK = pathlib.Path(__file__).parent.parent / "notebook.ipynb"


def lines(text):
    return text.splitlines(keepends=True)


def outputs(source, names):
    """What a cell prints, and the value of its last expression, as a notebook stores them."""
    *body, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        body, last = [*body, last], None
    out, value = io.StringIO(), None
    with contextlib.redirect_stdout(out):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    found = [{"name": "stdout", "output_type": "stream", "text": lines(out.getvalue())}] if out.getvalue() else []
    if value is not None:
        data = {"text/html": lines(value._repr_html_())} if hasattr(value, "_repr_html_") else {"text/plain": lines(repr(value))}
        found.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return found


def masked(found):
    return re.sub(r"[-+]?\d+\.\d+", "#", json.dumps(found, indent=1, sort_keys=True))


def run(check):
    notebook, names = json.loads(NOTEBOOK.read_text("utf-8")), {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            check(cell, outputs("".join(cell["source"]), names))
    return notebook


@unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
class Notebook(unittest.TestCase):
    maxDiff = None

    def test_cells(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(NOTEBOOK.parent)
        notebook = run(lambda cell, got: self.assertEqual(masked(got), masked(cell["outputs"]), "".join(cell["source"])))
        self.assertGreaterEqual(len(notebook["cells"]), 10)


if __name__ == "__main__":
    if "--write" in sys.argv:
        os.chdir(NOTEBOOK.parent)
        text = json.dumps(run(lambda cell, got: cell.update(outputs=got)), indent=1, ensure_ascii=False)
        NOTEBOOK.write_text(text + "\n", "utf-8")
    else:
        unittest.main()
