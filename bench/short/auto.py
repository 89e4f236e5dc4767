#!/usr/bin/env python3
"""auto.py DIR [--sets a,b] [--core C]: what each side of auto finds, by length and script.

auto judges a pair by edit similarity >= .8 where the shorter text has fewer runes than its limit, else by Jaccard >= .8 of
auto:3. Here both sides judge all: every pair of both exact joins, by runes of the shorter text; then what each side costs on
the texts of one length alone, what a looser MinHash would find of the pairs by edit similarity, and pairs at random that one
side alone finds.
"""
import bisect
import difflib
import itertools
import random

import process
import sets

EDIT, LONG = "--method 'ngram similarity=edit' --threshold .8", "--method 'jaccard shingle=auto:3' --threshold .8"
MINHASH = "--method minhash --threshold .8"
LOOSE = "--method 'minhash shingle=runes:3' --threshold .5"  # would it do as keys for edit similarity?
BORDERS = [0, 30, 60, 100, 150, 200, 300, 400, 601]
MOST, EXAMPLES = 6_000, 10
COLUMNS = ["set", "script", "runes", "texts", "edit", "jaccard", "both", "edit_only", "jaccard_only"]


def paragraphs(name, family):
    """Paragraphs of 100 to 600 runes of families taken at random, so that versions of one text stay together."""
    families = {}
    for d in sets.rows(f"{name}/docs.jsonl.zst"):
        families.setdefault(d[family], []).append(d["text"])
    order = sorted(families)
    random.Random(7).shuffle(order)
    texts = {}
    for f in order:
        if len(texts) >= MOST:
            break
        for p in itertools.chain(*(t.split("\n\n") for t in families[f])):
            if 100 <= len(p := sets.clean(p)) <= 600:
                texts[p] = True
    return sets.Set(name, list(texts), {})


SOURCES = {n: sets.SETS[n] for n in ("uci_sms", "zh_edit_pairs", "dblp_acm", "headlines-100k")} | {
    "ota_terms_versions": lambda: paragraphs("ota_terms_versions", "family"),
    "en_license_texts": lambda: paragraphs("en_license_texts", "id"),
    "zh_lctt_proofread": lambda: paragraphs("zh_lctt_proofread", "family"),
}


def script(text):
    """CJK where at least half of the letters and digits are."""
    known = [c for c in text if c.isalnum()]
    cjk = sum("\u3040" <= c <= "\u30ff" or "\u3400" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3" for c in known)
    return "CJK" if 2 * cjk >= len(known) > 0 else "other"


def band(length):
    return bisect.bisect_right(BORDERS, length) - 1


def name_of(b):
    return f"{BORDERS[b]}-{BORDERS[b + 1] - 1}"


def count(known, edit, jaccard):
    """Rows of the table of one set, and the pairs of each side alone by script and band."""
    kind = [script(t) for t in known.texts]
    cells, alone = {}, {}
    for text, k in zip(known.texts, kind):
        if len(text) < BORDERS[-1]:
            cells.setdefault((k, band(len(text))), [0, 0, 0, 0])[0] += 1
    for pair in edit | jaccard:
        shorter = min(pair, key=lambda i: len(known.texts[i]))
        if len(known.texts[shorter]) >= BORDERS[-1]:
            continue
        where = kind[shorter], band(len(known.texts[shorter]))
        cell = cells[where]
        side = 3 if pair in edit and pair in jaccard else 1 if pair in edit else 2
        cell[side] += 1
        if side < 3:
            alone.setdefault((*where, ("edit", "jaccard")[side - 1]), []).append([known.texts[i] for i in pair])
    rows = []
    for (k, b), (texts, by_edit, by_jaccard, both) in sorted(cells.items()):
        rows.append([known.name, k, name_of(b), texts, by_edit + both, by_jaccard + both, both, by_edit, by_jaccard])
    return rows, alone


def costs(options, pool):
    """CPU of both sides where all texts have one length, up to MOST of them; without that of starting the command."""
    nothing = sets.Set("nothing", ["one text"], {}).write(options.dir)
    start = min(process.neardup(options, EDIT, nothing).cpu for _ in range(5))
    print("\n| script | runes | texts | edit, CPU us a text | minhash, CPU us a text |\n|---|---|---|---|---|")
    for (k, b), texts in sorted(pool.items()):
        if len(texts) < 1000:
            continue
        some = sets.Set("pool", random.Random(7).sample(texts, min(MOST, len(texts))), {})
        corpus = some.write(options.dir)
        used = [(process.neardup(options, side, corpus).cpu - start) / len(some.texts) * 1e6 for side in (EDIT, MINHASH)]
        print(f"| {k} | {name_of(b)} | {len(some.texts)} | {used[0]:.0f} | {used[1]:.0f} |", flush=True)


def loose(found):
    """How many of the pairs by edit similarity a looser MinHash has among its own, and what both cost."""
    print("\n| set | texts | edit >= .8, pairs | CPU s | J3 >= .5, pairs | CPU s | share of the first |\n" + "|---" * 7 + "|")
    for known, edit, other in found:
        share = len(edit.pairs & other.pairs) / len(edit.pairs)
        print(f"| {known.name} | {len(known.texts)} | {len(edit.pairs)} | {edit.cpu:.2f} | {len(other.pairs)} | {other.cpu:.2f} | {share:.4f} |")


def shown(a, b):
    """The second text with what it lacks of the first as [-..-] and what it has more as [+..+]."""
    out = []
    for op, i, j, x, y in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if op == "equal":
            out.append(a[i:j] if j - i < 60 else a[i:i + 25] + " .. " + a[j - 25:j])
        else:
            out.append(("[-" + a[i:j] + "-]" if j > i else "") + ("[+" + b[x:y] + "+]" if y > x else ""))
    return "".join(out)


def main():
    options = sets.options(__doc__)
    pool, alone, found = {}, {}, []
    with sets.table(options, "short-texts-auto.tsv") as table:
        print(*COLUMNS, sep="\t", file=table)
        print("\n| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
        for name in options.sets or SOURCES:
            known = SOURCES[name]()
            corpus = known.write(options.dir)
            edit, jaccard, other = (process.neardup(options, side, corpus) for side in (EDIT, LONG, LOOSE))
            found.append((known, edit, other))
            rows, one = count(known, edit.pairs, jaccard.pairs)
            for row in rows:
                print(*row, sep="\t", file=table, flush=True)
                print("| " + " | ".join(map(str, row)) + " |", flush=True)
            for key, pairs in one.items():
                alone.setdefault(key, []).extend((name, *pair) for pair in pairs)
            for text in known.texts:
                if len(text) < BORDERS[-1]:
                    pool.setdefault((script(text), band(len(text))), []).append(text)
    loose(found)
    costs(options, pool)
    for (kind, b, side), pairs in sorted(alone.items()):
        print(f"\n{len(pairs)} pairs of {kind} texts of {name_of(b)} runes by {side} alone; at random:\n")
        for name, a, b in random.Random(7).sample(pairs, min(EXAMPLES, len(pairs))):
            print(f"- {name} {min(len(a), len(b))}: {shown(a, b)}")


main()
