"""The first stages: documents to records, equal texts to one, postings to candidates."""

import os
import uuid
from dataclasses import dataclass

from pyspark.sql import DataFrame, Window, functions as F

from . import _packs, _stage
from ._places import Placed

# Buckets of up to so many texts are paired whatever their texts: it is
# cheaper than to decide their components whole.
SMALL = 32
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
    made = job.keep(job.stage(docs.placed.rows, _packs.records(job.worker, job.labels, docs.raw, tallied(job, docs)), _packs.RECORDS))
    each = made.where("part is null").select("place", F.col("method").alias("route"), "id", "reason", "check", F.col("pack").isNotNull().alias("blank"))
    job.records = Placed(each, docs.placed.partitions)
    return made


def tallied(job, docs: Documents):
    """A file of the counts of all partitions, for methods that choose keys by them."""
    if not job.method.startswith("ngram/") or job.index:
        return None
    folder = job.folder()
    total, part = os.path.join(folder, f"{uuid.uuid4().hex}.counts"), os.path.join(folder, "part.counts")
    have = []
    for r in docs.placed.rows.mapInArrow(_stage.tally(job.worker, docs.raw), "counts binary").toLocalIterator():
        with open(part, "wb") as f:
            f.write(r.counts)
        counts = _stage.once_bytes(["tally", *job.worker.flags, "--tally=" + ",".join([part, *have])])
        with open(total, "wb") as f:
            f.write(counts)
        have = [total]
    if have and not job.here:
        job.spark.sparkContext.addFile(total)
    return total if have else None


def copies_of(met: DataFrame) -> DataFrame:
    """(place, first) of each copy."""
    return met.where(F.col("role") == _stage.COPY).select(F.col("later").alias("place"), F.col("earlier").alias("first"))


def met(job, made: DataFrame, named: list, small: int) -> DataFrame:
    """Columns of MET, of RECORDS: candidates, the postings of hot buckets, and copies. Documents that are named keep a text of their own."""
    texts = job.by_part(made.where("part is not null").select("part", "pack"))
    posted = job.by_part(job.stage(texts, _packs.distinct(job.worker, job.labels, named), _packs.DISTINCT))
    return job.stage(posted, _packs.bucket_packed(job.worker, small), _stage.MET)


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
        pairs = pairs.unionByName(job.stage(slices(job, large), _stage.bucket(job.worker), _stage.PAIR))
    return pairs.distinct()


def named_documents(recs: DataFrame, rulings: dict) -> dict:
    """The places of the documents that rulings name, by id; a few rows."""
    ids = sorted({i for pair in rulings for i in pair})
    if not ids:
        return {}
    schema = recs.sparkSession.createDataFrame([(i,) for i in ids], "id string")
    out = {}
    for r in recs.select("place", "id").join(F.broadcast(schema), "id").collect():
        out.setdefault(r.id, []).append(r.place)
    return out
