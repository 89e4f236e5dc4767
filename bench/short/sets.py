"""The short texts of the shared data, and what is known about their pairs."""
import argparse
import json
import os
import random
import subprocess
import typing
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
DATA = os.environ.get("NEARDUP_TEST_DATA", os.path.join(ROOT, "..", "shared", "data"))


def options(about):
    """What `run` hands to each part."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", help="working folder with the binary neardup")
    parser.add_argument("--sets", type=lambda s: s.split(","), help="only these")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core", type=int, default=0)
    return parser.parse_args()


def table(options, name):
    """The table to write: in docs, or thrown away where only some of the sets are in it."""
    return open(os.path.join(options.dir if options.sets else os.path.join(ROOT, "docs"), name), "w", encoding="utf-8")


def lines(name):
    """The lines of a file of the shared data, packed or not."""
    path = os.path.join(DATA, name)
    if path.endswith(".zst"):
        text = subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout.decode()
    else:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    return [line for line in text.split("\n") if line]


def rows(name):
    return map(json.loads, lines(name))


def clean(text):
    """NFKC, lower case, single spaces: for all contenders the same. neardup would also make traditional characters simple ones."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


class Set(typing.NamedTuple):
    """Different clean texts, and of some pairs of places whether they are duplicates."""
    name: str
    texts: list
    labels: dict

    def write(self, folder):
        """The texts as JSONL, their places as ids."""
        path = os.path.join(folder, self.name + ".jsonl")
        with open(path, "w", encoding="utf-8") as f:
            for i, text in enumerate(self.texts):
                f.write(json.dumps({"id": str(i), "text": text}, ensure_ascii=False) + "\n")
        return path


def different(name, texts):
    """A set without labels."""
    return Set(name, list(dict.fromkeys(t for t in map(clean, texts) if t)), {})


def labelled(name, records):
    """Texts of labelled pairs; a pair that is equal when clean is none, and one that is a duplicate anywhere is one."""
    place, labels = {}, {}
    for r in records:
        a, b = (place.setdefault(clean(r[t]), len(place)) for t in ("text_a", "text_b"))
        if a != b:
            pair = (min(a, b), max(a, b))
            labels[pair] = labels.get(pair, 0) or r["label"]
    return Set(name, list(place), labels)


def headlines(name, most=None):
    found = different(name, (line.split("\t", 1)[1] for line in lines("zh_weibo_hotsearch/titles.tsv.zst") if "\t" in line))
    if most is None:
        return found
    return found._replace(texts=random.Random(7).sample(found.texts, most))


SETS = {
    "uci_sms": lambda: different("uci_sms", (d["text"] for d in rows("uci_sms/docs.jsonl"))),
    "zh_edit_pairs": lambda: labelled("zh_edit_pairs", rows("zh_edit_pairs/pairs.jsonl")),
    "dblp_acm": lambda: labelled("dblp_acm", rows("dblp_acm/pairs.jsonl.zst")),
    "headlines-100k": lambda: headlines("headlines-100k", 100_000),
    "headlines": lambda: headlines("headlines"),
}
