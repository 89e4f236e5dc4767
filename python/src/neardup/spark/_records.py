"""The first stages: documents to records, equal texts to one, postings to candidates."""

import os
import uuid
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, functions as F

from . import _stage
from ._places import Placed

# Buckets of up to this many texts are paired whatever their texts: it is
# cheaper than to decide their components whole.
SMALL = 32
TALLIES = 16  # tasks that add up the counts of partitions


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
    counts = job.stage(docs.placed.rows, _stage.tally(docs.raw))
    for tasks in (TALLIES, 1):
        counts = job.stage(counts.repartition(tasks), _stage.add())
    total = os.path.join(job.folder(), f"{uuid.uuid4().hex}.counts")
    for r in counts.collect():
        with open(total, "wb") as f:
            f.write(r.made)
        return "--tally=" + total


def copies_of(met: DataFrame) -> DataFrame:
    """(place, first) of each copy."""
    return met.where(F.col("role") == _stage.COPY).select(F.col("later").alias("place"), F.col("earlier").alias("first"))


def met(job, made: DataFrame, named: list, small: int) -> DataFrame:
    """Columns of MET, of RECORDS. Documents that are named keep a text of their own; a bucket of more than small texts may stay whole."""
    texts = job.by_part(made.where("part is not null").select("part", "pack"))
    posted = job.by_part(job.stage(texts, _stage.distinct(job.parts, named, bool(job.index))))
    return job.stage(posted, _stage.bucket(job.reads, small))


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
