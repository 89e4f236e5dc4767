"""How far the contents of articles with one title may differ: the data behind
the default of agrees of neardup serve --title.

For pairs of documents with an equal title, says which share are versions of
one article, and what a least Jaccard similarity of the contents (3-grams of
words; of characters for Chinese) keeps of them. Usage:

    python3 bench/title-agreement.py ../shared/data    (needs zstdcat)
"""
import collections
import itertools
import json
import random
import re
import subprocess
import sys

SETS = [("ota_terms_versions", False), ("zh_lctt_proofread", True),
        ("zh_tidb_docs_versions", True), ("zh_laws", True)]


def load(path):
    out = subprocess.run(["zstdcat", path], capture_output=True, check=True).stdout.decode()
    return [json.loads(line) for line in out.split("\n") if line]


def shingles(text, cjk):
    text = text.lower()
    units = [c for c in text if c.isalnum()] if cjk else re.findall(r"\w+", text)
    return {tuple(units[i:i + 3]) for i in range(max(1, len(units) - 2))}


def title(doc, name):
    """The kind of document for terms of service, else the first heading."""
    if name.startswith("ota"):
        return doc["family"].split("/")[-1].lower()
    for line in doc["text"].splitlines():
        line = line.strip("#= -*\ufeff").strip().lower()
        if line:
            return line
    return ""


def sample(docs, name):
    groups = collections.defaultdict(list)
    for doc in docs:
        groups[title(doc, name)].append(doc)
    pairs = []
    for group in groups.values():
        all_pairs = list(itertools.combinations(group, 2))
        pairs += all_pairs if len(all_pairs) < 400 else random.sample(all_pairs, 400)
    return pairs if len(pairs) <= 3000 else random.sample(pairs, 3000)


def main(data):
    random.seed(1)
    for name, cjk in SETS:
        rows = []
        for a, b in sample(load(f"{data}/{name}/docs.jsonl.zst"), name):
            x, y = shingles(a["text"], cjk), shingles(b["text"], cjk)
            rows.append((len(x & y) / len(x | y), a["family"] == b["family"]))
        same = sum(f for _, f in rows)
        print(f"{name}: {len(rows)} pairs of equal title")
        for least in (0, .05, .1, .2, .3, .5, .8):
            kept = [f for j, f in rows if j >= least]
            print(f"  J >= {least:4}: precision {sum(kept) / max(1, len(kept)):.3f}, recall {sum(kept) / max(1, same):.3f}")


main(sys.argv[1])
