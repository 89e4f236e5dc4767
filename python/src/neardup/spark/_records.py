"""The first stages: documents to records, equal texts to one, postings to candidates."""

import os
import uuid

from pyspark.sql import DataFrame, Window, functions as F

from .._command import Error
from . import _stage

# Buckets of up to so many texts are paired whatever their texts: it is
# cheaper than to wait for their leaders.
SMALL = 32
# Postings of a bucket that meet in one task, where it is too large for one.
SLICE = 1 << 14


def records(job, docs: DataFrame) -> DataFrame:
    texts = docs.select("place", "text")
    return job.keep(job.stage(texts, _stage.records(job.worker, tallied(job, texts)), _stage.RECORDS))


def tallied(job, texts: DataFrame):
    """A file of the counts of all partitions, for methods that choose keys by them."""
    if not job.method.startswith("ngram/"):
        return None
    folder = job.folder()
    total, part = os.path.join(folder, f"{uuid.uuid4().hex}.counts"), os.path.join(folder, "part.counts")
    have = []
    for r in texts.mapInArrow(_stage.tally(job.worker), "counts binary").toLocalIterator():
        with open(part, "wb") as f:
            f.write(r.counts)
        counts = _stage.once_bytes(["tally", *job.worker.flags, "--tally=" + ",".join([part, *have])])
        with open(total, "wb") as f:
            f.write(counts)
        have = [total]
    if have and not job.spark.sparkContext.master.startswith("local"):
        job.spark.sparkContext.addFile(total)
    return total if have else None


def collapse(job, recs: DataFrame, named: list) -> DataFrame:
    """(place, first): each document whose text an earlier one has.

    Documents that people have ruled about keep a text of their own.
    """
    w = Window.partitionBy("hash")
    rows = recs.select("place", "hash").where(~F.col("place").isin(named)) if named else recs.select("place", "hash")
    return job.keep(rows.withColumn("first", F.min("place").over(w)).where("place != first").select("place", "first"))


def postings(job, recs: DataFrame, copies: DataFrame) -> DataFrame:
    """(key, place, role, sketch) of the distinct texts."""
    texts = recs.join(copies.select("place"), "place", "left_anti")

    def of(keys, role):
        return texts.select(F.explode(keys).alias("key"), "place", role.alias("role"), "sketch")

    found = of("index", F.when(F.col("probe").isNull(), "b").otherwise("i"))
    return found.unionByName(of("probe", F.lit("p"))).select("key", "place", "role", "sketch")


def by_key(job, rows: DataFrame) -> DataFrame:
    return job.divided(rows, "key").sortWithinPartitions("key")


def candidates(job, posted: DataFrame, small: int):
    """(candidates, postings of hot buckets or None).

    A bucket that is too large for one task is cut into slices, and each two of
    them are paired; if their texts turn out to be mostly alike, the bucket is hot too.
    """
    met = job.keep(job.stage(by_key(job, posted), _stage.bucket(job.worker, small), _stage.MET))
    pairs = met.where("role is null").select("later", "earlier")
    whole = met.where("role is not null").select("key", "place", F.lower("role").alias("role"), "sketch", (F.col("role") != F.lower("role")).alias("large"))
    counts = {r.large: r["count"] for r in whole.groupBy("large").count().collect()}
    hot = whole.where("not large").drop("large")
    if counts.get(True):
        sliced = job.keep(job.stage(slices(job, whole.where("large").drop("large")), _stage.bucket(job.worker, small), _stage.MET))
        pairs = pairs.unionByName(sliced.where("role is null").select("later", "earlier"))
        raise_hot = sliced.where("role is not null").select("place").distinct()
        alike = whole.where("large").join(raise_hot, "place", "left_semi").select("key").distinct()
        more = whole.where("large").join(F.broadcast(alike), "key", "left_semi").drop("large")
        if not more.isEmpty():
            hot = hot.unionByName(more)
            counts[False] = 1
    return pairs.distinct(), (hot if counts.get(False) else None)


def slices(job, rows: DataFrame) -> DataFrame:
    """Each pair of slices of each key as a bucket of its own."""
    at = F.floor((F.row_number().over(Window.partitionBy("key").orderBy("place")) - 1) / SLICE)
    cut = rows.withColumn("slice", at)
    n = rows.groupBy("key").count().select("key", F.ceil(F.col("count") / SLICE).alias("slices"))
    other = F.explode(F.sequence(F.lit(0).cast("long"), F.col("slices") - 1))
    both = cut.join(F.broadcast(n), "key").select("*", other.alias("other"))
    name = F.xxhash64("key", F.least("slice", "other"), F.greatest("slice", "other"))
    return by_key(job, both.select(name.alias("key"), "place", "role", "sketch"))


def all_candidates(job, posted: DataFrame) -> DataFrame:
    """Every plausible pair, for pairs(): what the user asks for is as many."""
    met = job.keep(job.stage(by_key(job, posted), _stage.bucket(job.worker, 1 << 40), _stage.MET))
    pairs = met.where("role is null").select("later", "earlier")
    large = met.where("role is not null").select("key", "place", F.lower("role").alias("role"), "sketch")
    if not large.isEmpty():
        pairs = pairs.unionByName(job.stage(slices(job, large), _stage.bucket(job.worker), _stage.CANDIDATES))
    return pairs.distinct()


def named_documents(docs: DataFrame, rulings: dict) -> dict:
    """The places of the documents that rulings name, by id; a few rows."""
    ids = sorted({i for pair in rulings for i in pair})
    if not ids:
        return {}
    schema = docs.sparkSession.createDataFrame([(i,) for i in ids], "id string")
    out = {}
    for r in docs.select("place", "id").join(F.broadcast(schema), "id").collect():
        out.setdefault(r.id, []).append(r.place)
    return out


def equal_named(recs: DataFrame, named: list) -> list:
    """Pairs (later, earlier) of texts that are equal, where rulings keep them apart."""
    if not named:
        return []
    mine = recs.where(F.col("place").isin(named)).select("hash", "place")
    rest = recs.where(~F.col("place").isin(named)).join(F.broadcast(mine.select("hash").distinct()), "hash").groupBy("hash").agg(F.min("place").alias("place"))
    by = {}
    for r in mine.unionByName(rest).collect():
        by.setdefault(bytes(r.hash), []).append(r.place)
    return [(b, a) for places in by.values() for a in places for b in places if a < b]
