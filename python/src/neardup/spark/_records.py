"""The first stages: documents to records, equal texts to one, postings to candidates."""

import os
import uuid
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, Window, functions as F

from . import _stage
from ._places import Placed

# Buckets of up to this many texts are paired whatever their texts: it is
# cheaper than to decide their components whole.
SMALL = 32
TALLIES = 64  # counts of partitions that are added up at once
# Postings of a bucket that meet in one task of pairs, where it is too large for one.
SLICE = 1 << 14


@dataclass
class Documents:
    """What stages read: (place, id, text), or (place, text) where texts are records that the flags raw read."""

    placed: Placed
    raw: tuple = ()
    ordered: bool = False  # one partition after the other has higher places


def records(job, docs: Documents) -> DataFrame:
    """Columns of RECORDS: documents and packs. job.records becomes those of documents, which lie as the documents do."""
    made = job.keep(job.stage(docs.placed.rows, _stage.records(job.parts, docs.raw, tallied(job, docs))))
    each = made.where("part is null").select("place", F.col("method").alias("route"), "id", "reason", "check", F.col("blank").isNotNull().alias("blank"))
    job.records = Placed(each, docs.placed.partitions)
    return made


def tallied(job, docs: Documents):
    """The flag of a file of the counts of all partitions, for methods that choose keys by them."""
    if not job.method.startswith("ngram/") or job.index:
        return None
    folder = job.folder()
    parts, total = [], os.path.join(folder, f"{uuid.uuid4().hex}.counts")

    def add():
        """One child for many partitions, as each reads and writes the whole table."""
        counts = _stage.once_bytes(["tally", *job.worker.flags, "--tally=" + ",".join(parts)])
        with open(total, "wb") as f:
            f.write(counts)
        parts[:] = [total]

    for r in job.stage(docs.placed.rows, _stage.tally(docs.raw)).toLocalIterator():
        parts.append(os.path.join(folder, f"part{len(parts)}.counts"))
        with open(parts[-1], "wb") as f:
            f.write(r.made)
        if len(parts) == TALLIES:
            add()
    if not parts:
        return None
    add()
    if job.here:
        return "--tally=" + total
    job.spark.sparkContext.addFile(total)
    return "--tally=", os.path.basename(total), ""


def copies_of(met: DataFrame) -> DataFrame:
    """(place, first) of each copy."""
    return met.where(F.col("role") == _stage.COPY).select(F.col("later").alias("place"), F.col("earlier").alias("first"))


def met(job, made: DataFrame, named: list, small: int) -> DataFrame:
    """Columns of MET, of RECORDS: candidates, the postings of hot buckets, and copies. Documents that are named keep a text of their own."""
    texts = job.by_part(made.where("part is not null").select("part", F.lit("r").alias("kind"), "pack"))
    posted = job.by_part(job.stage(texts, _stage.distinct(job.worker, job.parts, named)))
    return job.stage(posted, _stage.bucket_packed(job.worker, small))


def slices(job, rows: DataFrame) -> DataFrame:
    """Each pair of slices of each key as a bucket of its own."""
    at = F.floor((F.row_number().over(Window.partitionBy("key").orderBy("place")) - 1) / SLICE)
    cut = rows.withColumn("slice", at)
    n = rows.groupBy("key").count().select("key", F.ceil(F.col("count") / SLICE).alias("slices"))
    other = F.explode(F.sequence(F.lit(0).cast("long"), F.col("slices") - 1))
    both = cut.join(F.broadcast(n), "key").select("*", other.alias("other"))
    name = F.xxhash64("key", F.least("slice", "other"), F.greatest("slice", "other"))
    return job.divided(both.select(name.alias("key"), "place", "role", "sketch"), "key").sortWithinPartitions("key")


def all_candidates(job, met: DataFrame) -> DataFrame:
    """Every plausible pair, for pairs(): what the user asks for is as many."""
    pairs = met.where("role is null").select("later", "earlier")
    large = met.where(F.col("role") != _stage.COPY).select("key", "place", F.lower("role").alias("role"), "sketch")
    if not large.isEmpty():
        pairs = pairs.unionByName(job.stage(slices(job, large), _stage.bucket()))
    return pairs.distinct()


def named_documents(recs: DataFrame, rulings: dict) -> dict:
    """The places of the documents that rulings name, by id; a few rows."""
    ids = sorted({i for pair in rulings for i in pair})
    if not ids:
        return {}
    asked = recs.sparkSession.createDataFrame(pa.table({"id": ids}))
    out = {}
    for r in recs.select("place", "id").join(F.broadcast(asked), "id").collect():
        out.setdefault(r.id, []).append(r.place)
    return out
