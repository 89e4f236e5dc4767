"""The rivals, each as its own documentation uses it, in as few lines as a user would write. Each function gets texts and
thresholds, and yields for each threshold the pairs of places that it calls near. `sets` are the shingles of a text where the
rival leaves them to its user. A comparison without a search gets the pairs to compare."""
import itertools
import re

word = re.compile(r"\w+")


def words(text):
    return text.lower().split()


def shingles(unit, k):
    def of(text):
        t = word.findall(text.lower()) if unit == "words" else "".join(c for c in text.lower() if c.isalnum())
        return ["".join(t[i:i + k]) if unit == "runes" else " ".join(t[i:i + k]) for i in range(max(1, len(t) - k + 1))]
    return of


def datasketch(texts, thresholds, sets, candidates):
    from datasketch import MinHash, MinHashLSH
    sketches = []
    for text in texts:
        sketch = MinHash(num_perm=128)
        sketch.update_batch([s.encode() for s in set(sets(text))])
        sketches.append(sketch)
    for threshold in thresholds:
        index = MinHashLSH(threshold=threshold, num_perm=128)
        found = []
        for i, sketch in enumerate(sketches):
            found += [(j, i) for j in index.query(sketch)]
            index.insert(i, sketch)
        yield threshold, found


def rensa(texts, thresholds, sets, candidates):
    from rensa import RMinHash, RMinHashLSH
    sketches = RMinHash.from_token_sets([sets(t) for t in texts], 128, 42)
    for threshold in thresholds:
        index = RMinHashLSH(threshold, 128, 16)
        index.insert_many(sketches)
        yield threshold, [(j, i) for i, found in enumerate(index.query_all(sketches)) for j in found
                          if j < i and sketches[i].jaccard(sketches[j]) >= threshold]


def gaoya(texts, thresholds, sets, candidates):
    from gaoya.minhash import MinHashStringIndex
    for threshold in thresholds:
        index = MinHashStringIndex(jaccard_threshold=threshold, analyzer=sets)
        found = []
        for i, text in enumerate(texts):
            found += [(j, i) for j in index.query(text)]
            index.insert_document(i, text)
        yield threshold, found


def text_dedup(texts, thresholds, sets, candidates):
    import numpy
    from text_dedup import minhash as td
    n, prime, most = 250, numpy.uint64((1 << 61) - 1), numpy.uint32((1 << 32) - 1)
    permutations = td.RNG.randint(1, prime, size=n, dtype=numpy.uint64), td.RNG.randint(0, prime, size=n, dtype=numpy.uint64)
    for threshold in thresholds:
        b, r = td.optimal_param(threshold, n, false_positive_weight=.5, false_negative_weight=.5)
        tables, groups = {}, td.UnionFind()
        for i, text in enumerate(texts):
            if len(td.NON_ALPHA.split(text.lower())) < 5:
                continue
            bands = td.embed_func(text, i, num_perm=n, ngram_size=5, min_length=5, hashranges=[(k * r, k * r + r) for k in range(b)],
                                  permutations=permutations, hash_func=td.xxh3_32hash, dtype=numpy.uint64, max_hash=most, modulo_prime=prime)
            for k, band in enumerate(bands[td.SIGNATURE_COLUMN]):
                groups.union(i, tables.setdefault((k, band), i))
        members = {}
        for i in range(len(texts)):
            members.setdefault(groups.find(i), []).append(i)
        yield threshold, [p for m in members.values() for p in itertools.combinations(m, 2)]


def near_dupes(texts, thresholds, sets, candidates):
    import near_dupes as nd
    found = nd.find_duplicates(texts, threshold=min(thresholds)).pairs
    for threshold in thresholds:
        yield threshold, [(i, j) for i, j, score in found if score >= threshold]


def semhash(texts, thresholds, sets, candidates):
    from semhash import SemHash
    index = SemHash.from_records(records=texts)
    place = {t: i for i, t in enumerate(texts)}
    for threshold in thresholds:
        found = index.self_deduplicate(threshold=threshold).filtered
        yield threshold, [tuple(sorted((place[r.record], place[d]))) for r in found for d, _ in r.duplicates]


def simhash(texts, thresholds, sets, candidates):
    from simhash import Simhash, SimhashIndex
    sketches = [(str(i), Simhash(t)) for i, t in enumerate(texts)]
    for k in thresholds:
        index = SimhashIndex(sketches, k=k)
        yield k, [(int(j), int(i)) for i, s in sketches for j in index.get_near_dups(s) if int(j) < int(i)]


def retsim(texts, thresholds, sets, candidates):
    from unisim import TextSim
    vectors = TextSim(use_accelerator=False, batch_size=16).embed(texts)
    likeness = vectors @ vectors.T
    for threshold in thresholds:
        yield threshold, [(int(i), int(j)) for i, j in zip(*(likeness >= threshold).nonzero()) if i < j]


def rapidfuzz(texts, thresholds, sets, candidates):
    from rapidfuzz import fuzz
    scores = [(p, fuzz.ratio(texts[p[0]], texts[p[1]], score_cutoff=100 * min(thresholds))) for p in candidates]
    for threshold in thresholds:
        yield threshold, [p for p, score in scores if score >= 100 * threshold]


def duckdb(texts, thresholds, sets, candidates):
    import duckdb as db
    import pandas
    frame = pandas.DataFrame([(i, j, texts[i], texts[j]) for i, j in candidates], columns=["i", "j", "a", "b"])
    scores = db.sql("SELECT i, j, jaro_winkler_similarity(a, b) FROM frame").fetchall()
    for threshold in thresholds:
        yield threshold, [(i, j) for i, j, score in scores if score >= threshold]


def chdb(texts, thresholds, sets, candidates):
    import json
    import os
    import tempfile
    from chdb import query
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "texts.jsonl")
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(json.dumps({"i": i, "t": t}) + "\n" for i, t in enumerate(texts))
        table = f"(SELECT i, ngramSimHashCaseInsensitiveUTF8(t) AS h FROM file('{path}', JSONEachRow, 'i UInt32, t String'))"
        for k in thresholds:
            rows = query(f"SELECT a.i, b.i FROM {table} a CROSS JOIN {table} b WHERE a.i < b.i AND bitHammingDistance(a.h, b.h) <= {k}", "CSV")
            yield k, [tuple(map(int, line.split(","))) for line in str(rows).split()]


def mllib(texts, thresholds, sets, candidates):
    from pyspark.ml.feature import HashingTF, MinHashLSH
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1").config("spark.sql.shuffle.partitions", "4").getOrCreate()
    rows = spark.createDataFrame([(i, sets(t)) for i, t in enumerate(texts)], "i int, words array<string>")
    table = HashingTF(inputCol="words", outputCol="set", binary=True).transform(rows).cache()
    model = MinHashLSH(inputCol="set", outputCol="hashes", numHashTables=5, seed=1).fit(table)
    near = model.approxSimilarityJoin(table, table, 1 - min(thresholds) + 1e-9, "distance").where("datasetA.i < datasetB.i")
    rows = near.selectExpr("datasetA.i", "datasetB.i", "distance").collect()
    for threshold in thresholds:
        yield threshold, [(r[0], r[1]) for r in rows if 1 - r[2] >= threshold - 1e-9]


GRID = [.3, .4, .5, .6, .7, .8, .9]
BOTH = [("words", words), ("words:3", shingles("words", 3)), ("runes:3", shingles("runes", 3))]
# name: function, default threshold, thresholds, shingles (the first is the default), and what must be known of it
RIVALS = {
    "datasketch": (datasketch, .5, GRID, BOTH),  # the tutorial's threshold and words
    "rensa": (rensa, .8, GRID, BOTH),
    "gaoya": (gaoya, .75, GRID, [("words", "word"), ("words:3", shingles("words", 3)), ("runes:3", shingles("runes", 3))]),
    "text-dedup": (text_dedup, .7, [.3, .5, .7, .9], [("words:5", None)]),
    "near-dupes": (near_dupes, .85, GRID, [("runes:3", None)]),
    "semhash": (semhash, .9, GRID, [("model", None)]),
    "simhash": (simhash, 3, [2, 3, 5, 8, 12], [("runes:4", None)]),
    "RETSim": (retsim, .9, [.7, .75, .8, .85, .9, .95], [("model", None)]),
    "rapidfuzz": (rapidfuzz, .9, [.5, .6, .7, .75, .8, .85, .9, .95], [("ratio", None)]),
    "DuckDB": (duckdb, .9, [.6, .7, .75, .8, .85, .9, .95], [("jaro_winkler", None)]),
    "chdb": (chdb, 3, [2, 3, 5, 8, 12], [("runes:3", None)]),
    "MLlib": (mllib, .4, GRID, [("words", words)]),  # the guide's distance .6 and five tables
}
COMPARE = {"rapidfuzz", "DuckDB"}  # compare pairs, and search none
CHEAPER = {"rapidfuzz", "near-dupes"}  # cost less at a high threshold alone than at a low one
SETS = {"datasketch", "rensa", "gaoya"}  # can be given the shingles that a truth was made with
