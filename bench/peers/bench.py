#!/usr/bin/env python3
"""bench.py DIR [--rounds N] [--core C] [--jobs a,b] [--without c,d]: the speed of neardup next to its peers, as Markdown.
bench.py DIR --whole BINARY[,BINARY] ...: whole commands, from a file to the file of what is kept, by the binaries and by
the peers that are installed: CPU seconds and peak MiB of the process, and the ratio of the best peer to the last binary.

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

DATA = os.environ.get("NEARDUP_TEST_DATA", os.path.join(HERE, "../../../shared/data"))
WHOLE = [  # job, input, options of neardup, job of the peers, peers
    ("english", "english.jsonl", [], "kept-near:words", ["gaoya", "rensa", "datasketch"]),
    ("minhash", "english.jsonl", ["--method", "minhash"], "kept-near:words", []),
    ("chinese", "chinese.jsonl", [], "kept-near:runes", ["gaoya", "rensa"]),
    ("short", "short.jsonl", [], "kept-near:words", ["gaoya", "rensa"]),
    ("mails", "mails.jsonl", [], "kept-near:words", ["rensa"]),
    ("jobs", "jobs.jsonl", [], "kept-near:words", ["rensa"]),
    ("bank", "bank.jsonl", [], "kept-near:runes", ["rensa"]),
] + [(name, name + "/docs.jsonl.zst", [], "", []) for name in ("en_license_texts", "ota_terms_versions", "zh_lctt_proofread", "zh_tidb_docs_versions", "zh_laws")] + [
    ("exact-" + kind, "english." + kind, ["--method", "exact"], "kept-exact", ["duckdb", "polars"])
    for kind in ("jsonl", "csv", "parquet", "jsonl.gz", "jsonl.zst")]
MADE = {  # by `generate` in DIR, or by bench/templates
    "english.jsonl": ["generate", *"-of pages -chinese 0 -bytes 130000000 -copies 50 -near 150".split(), "ota_terms_versions/docs.jsonl.zst", "en_license_texts/docs.jsonl.zst"],
    "chinese.jsonl": ["generate", *"-of pages -chinese 1000 -bytes 42000000 -copies 50 -near 150".split(), "zh_lctt_proofread/docs.jsonl.zst"],
    "short.jsonl": ["generate", *"-of sentences -documents 300000 -near 100".split(), "ota_terms_versions/docs.jsonl.zst", "en_license_texts/docs.jsonl.zst", "uci_sms/docs.jsonl"],
    "mails.jsonl": ["../templates", "2000", "mail"], "jobs.jsonl": ["../templates", "10000", "job"], "bank.jsonl": ["../templates", "4000", "bank"],
}


def made(folder, name):
    """The path of an input, which is made if it is not there."""
    path = os.path.join(folder, name)
    if os.path.exists(path):
        return path
    if name in MADE:
        program, *arguments = MADE[name]
        command = [os.path.join(folder if program == "generate" else HERE, program)]
        command += [os.path.join(DATA, a) if "/docs.jsonl" in a else a for a in arguments]
        with open(path, "wb") as out:
            subprocess.run(command, stdout=out, check=True)
    elif name.startswith("english."):
        plain = made(folder, "english.jsonl")
        if name.endswith((".gz", ".zst")):
            subprocess.run(["gzip" if name.endswith(".gz") else "zstd", "-kqf", plain], check=True)
        else:
            import duckdb
            duckdb.sql(f"COPY (SELECT * FROM '{plain}') TO '{path}'" + " (header)" * name.endswith("csv"))
    else:
        path = os.path.join(DATA, name)
    return path


def usage(command):
    """The CPU seconds, peak MiB and output of a process, or None if it failed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            print(f"{command}: {process.stderr.read().decode()[-300:]}", file=sys.stderr)
            return None
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, out


def whole(options):
    contenders = [f"binary {i + 1}" for i in range(len(options.whole))] + ["gaoya", "rensa", "datasketch", "duckdb", "polars"]
    contenders = [c for c in contenders if c not in options.without]
    print("CPU seconds, peak MiB.", *(f"Binary {i + 1} is {path}." for i, path in enumerate(options.whole)))
    print("| job |", " | ".join(contenders), "| first / last binary | best peer / last binary | same decisions |")
    print("|---" * (len(contenders) + 4) + "|")
    for job, name, flags, peer_job, peers in WHOLE:
        if options.jobs and job not in options.jobs:
            continue
        path = made(options.dir, name)
        out = os.path.join(options.dir, "kept-" + os.path.basename(name))
        runs, digests = {}, set()
        for _ in range(options.rounds):
            for c in contenders:
                if c.startswith("binary "):
                    command = [options.whole[int(c[7:]) - 1], "dedup", "--json", "--overwrite", *flags, "--out", out, path]
                elif c in peers:
                    command = [sys.executable, os.path.join(HERE, "peer.py"), peer_job, c, path, out]
                else:
                    continue
                done = usage(command)
                if done:
                    runs.setdefault(c, []).append(done[:2])
                    if c.startswith("binary "):
                        digests.add(json.loads(done[2])["digest"])
        median = {c: [statistics.median(x) for x in zip(*r)] for c, r in runs.items()}
        binaries = [median[c][0] for c in contenders if c.startswith("binary ") and c in median]
        best = min((median[c][0] for c in peers if c in median), default=None)
        cells = [f"{median[c][0]:.2f} s, {median[c][1]:.0f}" if c in median else "" for c in contenders]
        ratios = [f"{binaries[0] / binaries[-1]:.2f}", f"{best / binaries[-1]:.2f}" if best else "", "yes" if len(digests) == 1 else "NO"]
        print("|", " | ".join([job, *cells, *ratios]), "|", flush=True)


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
    parser.add_argument("--whole", type=lambda s: s.split(","), help="binaries of neardup")
    options = parser.parse_args()
    whole(options) if options.whole else speed(options)


main()
