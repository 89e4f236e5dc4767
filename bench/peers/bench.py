#!/usr/bin/env python3
"""bench.py DIR [--rounds N] [--core C] [--jobs a,b] [--without c,d] [--speed|--pairs]: neardup beside its peers, as Markdown.

DIR holds the corpora and the binary `neardup` that `run` made. Speed: every contender in turn (A B C A B C ...), each run a
process of its own bound to one core; CPU seconds of the work alone; medians, with the smallest and the largest.
Pairs: recall by band of Jaccard and precision against the brute-force pairs of the shared data.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SPEED = [  # job, corpus, contenders (first: what the others are compared with)
    ("minhash-words", "ota_terms_versions", ["neardup", "gaoya", "rensa", "datasketch"]),
    ("minhash-runes", "zh_lctt_proofread", ["neardup", "gaoya", "rensa", "datasketch"]),
    ("simhash-chars", "ota_terms_versions", ["neardup", "neardup+clean", "chdb", "gaoya"]),
    ("simhash-words", "ota_terms_versions", ["neardup", "neardup+clean", "chdb", "gaoya"]),
    ("simhash-runes", "chinese", ["neardup", "neardup+clean", "chdb", "gaoya"]),
    ("simhash-words", "short", ["neardup", "neardup+clean", "chdb", "gaoya"]),
    ("simhash-chars", "short", ["neardup", "neardup+clean", "chdb", "gaoya"]),
]
SETS = [("ota_terms_versions", "words"), ("zh_lctt_proofread", "runes"), ("zh_tidb_docs_versions", "runes"), ("zh_laws", "runes")]
PEERS = ["neardup minhash", "neardup jaccard", "gaoya minhash", "rensa minhash", "datasketch minhash"]


def run(options, contender, job, corpus, *pairs):
    """One measured run; None if the contender cannot do the job."""
    path = os.path.join(options.dir, corpus + ".jsonl")
    name, _, variant = contender.partition("+")
    if name == "neardup":
        command = [os.path.join(options.dir, "neardup"), "run", job + ("+" + variant if variant else ""), path, *pairs]
    else:
        command = [sys.executable, os.path.join(HERE, "peer.py"), job, name, path, *pairs]
    done = subprocess.run(["taskset", "-c", str(options.core), *command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(f"{contender}: {job} failed", file=sys.stderr)
        return None
    return json.loads(done.stdout)


def speed(options):
    print("| job | corpus | contender | MB/s, median | range | CPU s | ratio to it |\n|---|---|---|---|---|---|---|")
    for job, corpus, contenders in SPEED:
        if options.jobs and job not in options.jobs:
            continue
        contenders = [c for c in contenders if c not in options.without]
        rates, last = {c: [] for c in contenders}, {}
        for _ in range(options.rounds):
            for contender in contenders:
                result = run(options, contender, job, corpus)
                if result:
                    rates[contender].append(result["bytes"] / 1e6 / result["cpu"])
                    last[contender] = result
        first = statistics.median(rates[contenders[0]]) if rates[contenders[0]] else None
        for c in contenders:
            if not rates[c]:
                continue
            middle = statistics.median(rates[c])
            ratio = f"{first / middle:.2f}" if first else "-"
            size = f"{last[c]['bytes'] / 1e6:.1f} MB, {last[c]['documents']} texts"
            print(f"| {job} | {corpus} ({size}) | {c} | {middle:.1f} | {min(rates[c]):.1f} .. {max(rates[c]):.1f} "
                  f"| {last[c]['bytes'] / 1e6 / middle:.3f} | {ratio} |", flush=True)


def pairs(options):
    """Recall and precision at .7, by set and over all sets."""
    total = {}
    print("| set | contender | precision | recall >= .7 | recall >= .8 | .7 to .8 | .8 to .9 | .9 to 1 |\n|---|---|---|---|---|---|---|---|")
    for corpus, unit in SETS:
        for peer in PEERS:
            name, method = peer.split()
            if name in options.without:
                continue
            out = os.path.join(options.dir, "pairs.tsv")
            if not run(options, name, f"{method}-{unit}", corpus, out):
                continue
            truth = os.path.join(options.data, corpus, "exact_pairs.tsv")
            scored = subprocess.run([os.path.join(options.dir, "neardup"), "score", truth, out],
                                    stdout=subprocess.PIPE, text=True, check=True)
            counts = shares(json.loads(scored.stdout))
            total.setdefault(peer, []).append(counts)
            row(corpus, peer, counts)
    for peer, sets in total.items():
        if len(sets) == len(SETS):
            row("all four", peer, [tuple(map(sum, zip(*column))) for column in zip(*sets)])


def shares(report):
    band = {b["low"]: b["recall"] for b in report["bands"]}
    least = {b["low"]: b["recall"] for b in report["at_least"]}
    rates = [report["precision"], report["recall"], least[.8], band[.7], band[.8], band[.9]]
    return [(r["count"], r["of"]) for r in rates]


def row(corpus, peer, counts):
    cells = [f"{count / of:.4f} ({count}/{of})" if of else "-" for count, of in counts]
    print(f"| {corpus} | {peer} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--jobs", type=lambda s: s.split(","))
    parser.add_argument("--without", type=lambda s: s.split(","), default=[], help="contenders to leave out")
    parser.add_argument("--data", default=os.environ.get("NEARDUP_TEST_DATA", os.path.join(HERE, "..", "..", "..", "shared", "data")))
    parser.add_argument("--speed", action="store_true", help="only the speeds")
    parser.add_argument("--pairs", action="store_true", help="only recall and precision")
    options = parser.parse_args()
    if not options.pairs:
        speed(options)
    if not options.speed:
        print()
        pairs(options)


main()
