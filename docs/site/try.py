"""Makes the page "Try it": try.py PACKAGE OUT. PACKAGE is made by scripts/npm, and OUT a new folder.

The page may connect to nothing (connect-src 'none'). So the worker and the engine are in a script, and the tables of
Chinese in another one, which the page loads when they are needed."""

import base64
import json
import pathlib
import re
import shutil
import sys

package, out = map(pathlib.Path, sys.argv[1:])
root = pathlib.Path(__file__).resolve().parents[2]
out.mkdir(parents=True)
page = root / "docs/site/try"
for source in page / "index.html", page / "try.js", root / "pages/style.css", root / "pages/js/dom.js", root / "pages/js/text.js", package / "LICENSE-go":
    shutil.copy(source, out)


def script(name, files):
    (out / name).write_text(f"globalThis.neardupFiles = Object.assign(globalThis.neardupFiles ?? {{}}, {json.dumps(files)});\n")


def packed(*names):
    return {name: base64.b64encode((package / name).read_bytes()).decode() for name in names}


index = re.sub(r"^import .*\n", "", (package / "index.js").read_text(), flags=re.M)
worker = "\n".join([(package / "wasm_exec.js").read_text(), index, (page / "worker.js").read_text()])
script("engine.js", {"worker": worker, **packed("neardup.wasm.gz")})
script("tables.js", packed("dict.trie.zst", "hmm.txt.gz", "idf.zh.columns.zst"))
