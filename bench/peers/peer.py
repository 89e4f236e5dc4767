#!/usr/bin/env python3
"""peer.py JOB PEER CORPUS [PAIRS]: one measured run of one peer, in its own process.

CORPUS is JSONL with id and text. It is loaded first; only the work is timed, in CPU seconds (user + system, all threads).
Prints one JSON object: bytes and documents of the corpus, cpu seconds. JOB is

    minhash-words, minhash-runes   raw text -> candidate pairs at Jaccard .7, of words:3 or runes:3, lower case
    minhash-chars:2:.6             the same for 2-grams of every character, at .6; also words:K:T, runes:K:T
    hamming-chars:2:3              raw text -> pairs within 3 bits, SimHash of 2-grams of every character (gaoya)
    simhash-chars                  raw text -> 64-bit fingerprints of 4-grams of bytes (chdb) or characters (gaoya)
    simhash-words                  of 3-shingles of words
    simhash-runes                  of 3-grams of runes

    kept-exact, kept-near:UNIT     a whole command: INPUT to OUTPUT with the records to keep. The caller measures the process.

With PAIRS the candidate pairs are written there as TSV; a peer gets the shingles of the oracle then, tokens made in Python
where its own tokens are others, which costs time: pairs and speed are measured in separate runs.
"""
import json
import os
import re
import resource
import sys
import typing

THRESHOLD, PERMUTATIONS, BANDS = 0.7, 128, 16  # 16 bands of 8: (1/16)^(1/8) = .707
word = re.compile(r"\w+")


class Shape(typing.NamedTuple):
    """What is counted, and the least similarity."""
    unit: str
    k: int
    threshold: float

    def shingles(self, text):
        """Those of data/exact_pairs.py for words and runes; of every character for chars."""
        text, k = text.lower(), self.k
        if self.unit == "words":
            w = word.findall(text)
            return [" ".join(w[i:i + k]) for i in range(max(1, len(w) - k + 1))]
        t = text if self.unit == "chars" else "".join(c for c in text if c.isalnum())
        return [t[i:i + k] for i in range(max(1, len(t) - k + 1))]


def gaoya_minhash(texts, shape, exact):
    import gaoya
    analyzer = {"words": "word", "runes": "char", "chars": "char"}[shape.unit]
    if exact and shape.unit != "chars":
        analyzer = shape.shingles
    index = gaoya.minhash.MinHashStringIndex(32, shape.threshold, None, None, PERMUTATIONS, analyzer, True, (shape.k, shape.k), "vec")
    for i, text in enumerate(texts):
        for j in index.query(text):
            yield j, i
        index.insert_document(i, text)


def rensa_minhash(texts, shape, exact):
    """The full RMinHash; the fast path samples a document and is another method. Bands for .7 whatever the threshold."""
    import rensa
    sketches = rensa.RMinHash.from_token_sets(map(shape.shingles, texts), PERMUTATIONS, 42)
    index = rensa.RMinHashLSH(shape.threshold, PERMUTATIONS, BANDS)
    index.insert_many(sketches)
    for i, found in enumerate(index.query_all(sketches)):
        for j in found:
            if j < i:
                yield j, i


def datasketch_minhash(texts, shape, exact):
    import datasketch
    index = datasketch.MinHashLSH(threshold=shape.threshold, num_perm=PERMUTATIONS)
    for i, text in enumerate(texts):
        sketch = datasketch.MinHash(num_perm=PERMUTATIONS)
        sketch.update_batch([s.encode() for s in set(shape.shingles(text))])
        for j in index.query(sketch):
            yield j, i
        index.insert(i, sketch, check_duplication=False)


MINHASH = {"gaoya": gaoya_minhash, "rensa": rensa_minhash, "datasketch": datasketch_minhash}


def gaoya_hamming(texts, unit, k, distance):
    """One block more than bits, or two: the fastest of those tried on headlines. gaoya's own limit is exclusive."""
    import gaoya
    if unit != "chars":
        sys.exit(f"hamming-{unit}: only chars")
    index = gaoya.simhash.SimHashStringIndex(64, distance + 2 + distance // 4, distance + 1, "char", True, (k, k))
    for i, text in enumerate(texts):
        for j in index.query(text):
            yield j, i
        index.insert_document(i, text)


def gaoya_simhash(texts, job):
    """gaoya gives no fingerprint without its index of 6 blocks, so the insertion is in the time."""
    import gaoya
    analyzer, k = {"simhash-chars": ("char", 4), "simhash-words": ("word", 3), "simhash-runes": ("char", 3)}[job]
    index = gaoya.simhash.SimHashStringIndex(64, 6, 5, analyzer, False, (k, k))

    def work():
        for i, text in enumerate(texts):
            index.insert_document(i, text)
    return work


def chdb_simhash(texts, job):
    """One thread over a table in memory; the fingerprints are folded into one value, not sent to Python."""
    import tempfile
    from chdb import session
    folder = tempfile.TemporaryDirectory()
    s = session.Session(os.path.join(folder.name, "db"))
    source = os.path.join(folder.name, "texts.jsonl")
    with open(source, "w", encoding="utf-8") as f:
        for text in texts:
            f.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
    s.query("CREATE DATABASE IF NOT EXISTS d")
    s.query("CREATE TABLE d.t (text String) ENGINE = Memory")
    s.query(f"INSERT INTO d.t SELECT text FROM file('{source}', JSONEachRow, 'text String') SETTINGS max_threads = 1")
    function = {
        "simhash-chars": "ngramSimHash(text, 4)",
        "simhash-words": "wordShingleSimHash(text, 3)",
        "simhash-runes": "ngramSimHashUTF8(text, 3)",
        "simhash-words-utf8": "wordShingleSimHashUTF8(text, 3)",
        "simhash-chars-utf8": "ngramSimHashUTF8(text, 4)",
    }[job]

    def work():
        s.query(f"SELECT groupBitXor({function}) FROM d.t SETTINGS max_threads = 1")
    work.keep = folder
    return work


SIMHASH = {"gaoya": gaoya_simhash, "chdb": chdb_simhash}
HAMMING = {"gaoya": gaoya_hamming}


def kept_near(unit, peer, path, out):
    """Writes each line that no kept line before it is near, by words:3 or runes:3 at the threshold."""
    shape = Shape(unit, 3, THRESHOLD)
    with open(path, encoding="utf-8") as f:
        lines = f.readlines()
    texts = [json.loads(line)["text"] for line in lines]
    near = {j for i, j in MINHASH[peer](texts, shape, False) if i < j}
    with open(out, "w", encoding="utf-8") as f:
        f.writelines(line for i, line in enumerate(lines) if i not in near)


def kept_exact(peer, path, out):
    """Writes one record of each text, in the format of the input."""
    kind = "parquet" if path.endswith(".parquet") else "csv" if path.endswith(".csv") else "json"
    if peer == "duckdb":
        import duckdb
        options = {"parquet": "", "csv": "(header)", "json": ""}[kind]
        duckdb.sql(f"COPY (SELECT DISTINCT ON (text) * FROM '{path}') TO '{out}' {options}")
        return
    import polars
    scan, sink = {"parquet": ("scan_parquet", "sink_parquet"), "csv": ("scan_csv", "sink_csv"), "json": ("scan_ndjson", "sink_ndjson")}[kind]
    rows = getattr(polars, scan)(path).unique(subset="text", keep="first", maintain_order=True)
    packed = {".gz": "gzip", ".zst": "zstd"}.get(os.path.splitext(out)[1])
    getattr(rows, sink)(out, **({"compression": packed} if packed else {}))


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main(job, peer, corpus, pairs=None):
    if job == "kept-exact":
        return kept_exact(peer, corpus, pairs)
    if job.startswith("kept-near:"):
        return kept_near(job.partition(":")[2], peer, corpus, pairs)
    ids, texts = [], []
    with open(corpus, encoding="utf-8") as f:
        for line in f:
            d = json.loads(line)
            ids.append(d["id"])
            texts.append(d["text"])
    found = []
    kind, _, rest = job.partition("-")
    unit, *numbers = rest.split(":")
    if kind in ("minhash", "hamming"):
        start = cpu()
        if kind == "minhash":
            k, threshold = numbers or (3, THRESHOLD)
            found = list(MINHASH[peer](texts, Shape(unit, int(k), float(threshold)), pairs is not None))
        else:
            found = list(HAMMING[peer](texts, unit, *map(int, numbers)))
        used = cpu() - start
    else:
        work = SIMHASH[peer](texts, job)
        start = cpu()
        work()
        used = cpu() - start
    if pairs:
        with open(pairs, "w", encoding="utf-8") as f:
            f.write("id_a\tid_b\n")
            f.writelines(f"{ids[i]}\t{ids[j]}\n" for i, j in found)
    size = sum(len(t.encode()) for t in texts)
    print(json.dumps({"bytes": size, "documents": len(texts), "cpu": used, "pairs": len(found)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
