#!/usr/bin/env python3
"""bench.py DIR [--rounds N] [--core C] [--jobs a,b] [--without c,d]: the speed of neardup next to its peers, as Markdown.

DIR holds the corpora and the binary `neardup` that `run` made. Every contender in turn (A B C A B C ...), each run a
process of its own bound to one core; CPU seconds of the work alone; medians, with the smallest and the largest.
bench/public measures what they find.
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


def run(options, contender, job, corpus):
    """One measured run; None if the contender cannot do the job."""
    path = os.path.join(options.dir, corpus + ".jsonl")
    name, _, variant = contender.partition("+")
    if name == "neardup":
        command = [os.path.join(options.dir, "neardup"), "run", job + ("+" + variant if variant else ""), path]
    else:
        command = [sys.executable, os.path.join(HERE, "peer.py"), job, name, path]
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core", type=int, default=0)
    parser.add_argument("--jobs", type=lambda s: s.split(","))
    parser.add_argument("--without", type=lambda s: s.split(","), default=[], help="contenders to leave out")
    speed(parser.parse_args())


main()
