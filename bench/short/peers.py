#!/usr/bin/env python3
"""peers.py DIR [--sets a,b] [--rounds N] [--core C]: neardup beside its peers on short texts, time and accuracy.

Every contender reads the same texts as JSONL, already clean, and writes its pairs, in a process of its own bound to one core, in
turn; CPU seconds (user + system) of the whole process, reading and starting included, median of the rounds; one round where it took a
minute. What is known of a pair: its label; that the exact joins have it at edit similarity >= .8 or at Jaccard of 2-grams
>= .6 (neardup ngram; the latter compared with brute force here, the former by go test ./ngram). Own measure: the share of
the pairs that the contender's own n-grams and threshold give by brute force.
"""
import os
import statistics
import sys

import numpy
import scipy.sparse

import process
import sets

PEER = os.path.join(sets.ROOT, "bench", "peers", "peer.py")
EDIT, JACCARD = "neardup ngram, edit >= .8", "neardup ngram, J2 >= .6"
NEARDUP = {
    EDIT: "--method 'ngram similarity=edit' --threshold .8",
    JACCARD: "--method 'ngram similarity=jaccard shingle=runes:2' --threshold .6",
    "neardup auto (no flag)": "",
    "neardup minhash, J2 >= .6": "--method 'minhash shingle=runes:2' --threshold .6",
    "neardup minhash, J3 >= .5": "--method 'minhash shingle=runes:3' --threshold .5",
    "neardup simhash, k = 3": "--method 'simhash verify=off distance=3'",
    "neardup simhash, k = 6": "--method 'simhash verify=off distance=6'",
}
PEERS = {
    "gaoya minhash, 2-grams, .6": ("minhash-chars:2:.6", "gaoya"),
    "gaoya minhash, 3-grams, .5": ("minhash-chars:3:.5", "gaoya"),
    "gaoya simhash, 2-grams, k = 3": ("hamming-chars:2:3", "gaoya"),
    "gaoya simhash, 2-grams, k = 6": ("hamming-chars:2:6", "gaoya"),
    "datasketch minhash, 2-grams, .6": ("minhash-chars:2:.6", "datasketch"),
    "datasketch minhash, 3-grams, .5": ("minhash-chars:3:.5", "datasketch"),
}
# Those that estimate a Jaccard similarity: of n-grams of what, and least; each is compared with brute force by its own too.
OWN = {c: (2 if "2-grams" in c or "J2" in c else 3, .6 if c.endswith(".6") else .5, c not in NEARDUP)
       for c in [*NEARDUP, *PEERS] if "minhash" in c or c == JACCARD}
SMALL = 20_000  # texts: brute force goes so far
SLOW, WHOLE = "datasketch", "headlines"  # a peer that takes minutes for all headlines: it has the sample
COLUMNS = ["set", "texts", "contender", "cpu_s", "cpu_min", "cpu_max", "runs", "pairs", "labelled", "labelled_of",
           "negatives", "negatives_of", "edit_8", "edit_8_of", "j2_6", "j2_6_of", "other_true", "unsupported",
           "precision", "own", "own_of"]


def run(options, contender, corpus):
    if contender in NEARDUP:
        return process.neardup(options, NEARDUP[contender], corpus)
    return process.run(options, sys.executable, PEER, *PEERS[contender], corpus)


def measure(options, chosen, corpus):
    """All contenders in turn, round after round."""
    runs = {}
    for _ in range(options.rounds):
        for contender in chosen:
            before = runs.setdefault(contender, [])
            if not before or before[0].cpu < 60:
                before.append(run(options, contender, corpus))
                print(f"{contender}: {before[-1].cpu:.2f} s, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    return runs


def brute_force(texts, n, least, every):
    """Every pair with this Jaccard similarity of n-grams, of every character or of letters and digits: sparse products over all pairs."""
    vocabulary, columns = {}, []
    for text in texts:
        t = text if every else "".join(c for c in text if c.isalnum())
        grams = {t[i:i + n] for i in range(max(1, len(t) - n + 1))} if t else ()
        columns.append([vocabulary.setdefault(g, len(vocabulary)) for g in grams])
    size = numpy.array([len(c) for c in columns])
    where = numpy.concatenate([numpy.array(c, dtype=numpy.int32) for c in columns])
    x = scipy.sparse.csr_matrix((numpy.ones(len(where), dtype=numpy.float32), where, numpy.concatenate([[0], numpy.cumsum(size)])))
    pairs = set()
    for start in range(0, len(texts), 200):
        common = (x[start:start + 200] @ x.T).tocoo()
        a, b = common.row + start, common.col
        near = (a < b) & (common.data / (size[a] + size[b] - common.data) >= least)
        pairs.update(zip(a[near].tolist(), b[near].tolist()))
    return pairs


def score(known, runs, edit, jaccard, own):
    """The counts of one contender; own is what it would find without an estimate, None where that is not known."""
    found = runs[0].pairs
    same = {p for p, label in known.labels.items() if label}
    other = known.labels.keys() - same
    measured = edit | jaccard
    rest = found - known.labels.keys()
    r = {"pairs": len(found), "runs": len(runs)}
    for column, truth in (("labelled", same), ("negatives", other), ("edit_8", edit), ("j2_6", jaccard)):
        r[column], r[column + "_of"] = len(found & truth), len(truth)
    r["other_true"], r["unsupported"] = len(rest & measured), len(rest - measured)
    if other:
        right, judged = r["labelled"], r["labelled"] + r["negatives"]
    else:
        right, judged = len(found) - r["unsupported"], len(found)
    r["precision"] = right / judged if judged else None
    r["own"], r["own_of"] = (None, None) if own is None else (len(found & own), len(own))
    seconds = [run.cpu for run in runs]
    r["cpu_s"], r["cpu_min"], r["cpu_max"] = statistics.median(seconds), min(seconds), max(seconds)
    return r


def cell(value):
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def markdown(r):
    share = lambda c: f"{r[c] / r[c + '_of']:.3f}" if r[c + "_of"] else "-"
    precision = "-" if r["precision"] is None else f"{r['precision']:.3f}"
    return (f"| {r['contender']} | {r['cpu_s']:.2f} | {r['pairs']} | {share('labelled')} | {share('negatives')} "
            f"| {share('edit_8')} | {share('j2_6')} | {r['other_true']} | {r['unsupported']} | {precision} | {share('own')} |")


def compare(options, table):
    for name in options.sets or sets.SETS:
        known = sets.SETS[name]()
        corpus = known.write(options.dir)
        chosen = [c for c in [*NEARDUP, *PEERS] if not (name == WHOLE and c.startswith(SLOW))]
        runs = measure(options, chosen, corpus)
        edit, jaccard = runs[EDIT][0].pairs, runs[JACCARD][0].pairs
        print(f"\n**{name}**: {len(known.texts)} different texts, load {os.getloadavg()[0]:.1f}.")
        own = {}
        if len(known.texts) <= SMALL:
            exact = {measure: brute_force(known.texts, *measure) for measure in set(OWN.values())}
            own = {contender: exact[measure] for contender, measure in OWN.items()}
            print(f"Brute force at J2 >= .6: {len(own[JACCARD])} pairs, {len(own[JACCARD] ^ jaccard)} different in the join.")
        print("\n| contender | CPU s | pairs | labelled | negatives | edit >= .8 | J2 >= .6 | others, true | unsupported "
              "| precision | own measure |\n" + "|---" * 11 + "|")
        for contender in chosen:
            counts = score(known, runs[contender], edit, jaccard, own.get(contender))
            r = {"set": name, "texts": len(known.texts), "contender": contender, **counts}
            print(*(cell(r[c]) for c in COLUMNS), sep="\t", file=table, flush=True)
            print(markdown(r), flush=True)


def main():
    options = sets.options(__doc__)
    with sets.table(options, "short-texts-peers.tsv") as table:
        print(*COLUMNS, sep="\t", file=table)
        compare(options, table)


main()
