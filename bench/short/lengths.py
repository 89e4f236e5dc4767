#!/usr/bin/env python3
"""lengths.py DIR: where SimHash and MinHash lose short texts, by length.

For labelled pairs of similar texts and by the length of the longer one, the
share that is found by edit similarity >= .8 (ngram), by Jaccard of rune
2-grams >= .5 and 3-grams >= .8 (what an exact MinHash would verify), and by
64-bit SimHash of rune 2-grams at Hamming distance <= 3 and <= 6.
"""
import hashlib

import sets


def grams(text, n):
    t = "".join(c for c in text if c.isalnum())
    return {t[i:i + n] for i in range(max(1, len(t) - n + 1))}


def jaccard(a, b, n):
    x, y = grams(a, n), grams(b, n)
    return len(x & y) / len(x | y)


def simhash(text):
    votes = [0] * 64
    for g in grams(text, 2):
        h = int.from_bytes(hashlib.blake2b(g.encode(), digest_size=8).digest(), "big")
        for bit in range(64):
            votes[bit] += 1 if h >> bit & 1 else -1
    return sum(1 << bit for bit in range(64) if votes[bit] > 0)


def edit(a, b):
    row = list(range(len(b) + 1))
    for i, r in enumerate(a):
        diagonal, row[0] = row[0], i + 1
        for j, s in enumerate(b):
            least = min(row[j] + 1, row[j + 1] + 1, diagonal + (r != s))
            diagonal, row[j + 1] = row[j + 1], least
    longer = max(len(a), len(b))
    return (longer - row[-1]) / longer


judges = [
    ("edit.8", lambda a, b: edit(a, b) >= .8),
    ("J2>=.5", lambda a, b: jaccard(a, b, 2) >= .5),
    ("J3>=.8", lambda a, b: jaccard(a, b, 3) >= .8),
    ("sim<=3", lambda a, b: bin(simhash(a) ^ simhash(b)).count("1") <= 3),
    ("sim<=6", lambda a, b: bin(simhash(a) ^ simhash(b)).count("1") <= 6),
]
borders = [0, 10, 20, 30, 50, 80, 120, 200, 10**9]


def table(name, pairs):
    print(f"\n{name}: share of the pairs found, by runes of the longer text\n")
    print("| runes | pairs | " + " | ".join(n for n, _ in judges) + " |\n" + "|---" * (2 + len(judges)) + "|")
    for low, high in zip(borders, borders[1:]):
        some = [p for p in pairs if low <= max(map(len, p)) < high]
        if some:
            shares = [sum(j(*p) for p in some) / len(some) for _, j in judges]
            print(f"| {low}-{high - 1 if high < 10**9 else ''} | {len(some)} | " + " | ".join(f"{s:.3f}" for s in shares) + " |")


def main():
    sets.options(__doc__)
    corrections = [(d["text_a"], d["text_b"]) for d in sets.rows("zh_edit_pairs/pairs.jsonl")]
    table("zh_edit_pairs", corrections[:2500])
    records = list(sets.rows("dblp_acm/pairs.jsonl.zst"))
    for label in (1, 0):
        table(f"dblp_acm, label {label}", [(d["text_a"], d["text_b"]) for d in records if d["label"] == label][:1000])
    sms = {d["id"]: d["text"] for d in sets.rows("uci_sms/docs.jsonl")}
    near = [line.split("\t") for line in sets.lines("uci_sms/exact_pairs.tsv")[1:]]
    table("uci_sms, pairs at J >= .6 of 3-grams that are not equal",
          [(sms[r[0]], sms[r[1]]) for r in near if .6 <= float(r[2]) < 1 and sms[r[0]].strip() and sms[r[0]] != sms[r[1]]])


main()
