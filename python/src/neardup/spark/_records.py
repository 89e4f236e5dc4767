"""The first stages: make records of documents, find equal texts, and make candidates of postings."""

import os
import uuid
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, functions as F

from . import _stage
from ._places import ROWS, Placed
from ._small import pinned

# Buckets of up to this many texts are paired whatever their texts: it is
# cheaper than to decide their components whole.
SMALL = 32
TALLIED = 200_000  # about how many documents are counted


@dataclass
class Documents:
    """The input of stages: (place, id, text), or (place, text) if the texts are records, which the flags raw read."""

    placed: Placed
    raw: tuple = ()
    ordered: bool = False  # each partition has higher places than the one before


def records(job, docs: Documents, overrides=()) -> DataFrame:
    """Columns of RECORDS: documents and packs. Sets job.records to those of documents, in the partitions of the documents."""
    made = pinned(job.stage(docs.placed.rows, _stage.records(job.parts, docs.raw, [*overrides, *tallied(job, docs)])))
    each = made.where("part is null").select("place", F.col("method").alias("route"), "id", "reason", "check", F.col("blank").isNotNull().alias("blank"))
    job.records = Placed(each, docs.placed.partitions)
    return made


def tallied(job, docs: Documents):
    """The flag of a file of feature counts of some documents, for methods that choose keys by them: keys change no decision."""
    if not job.method.startswith("ngram/") or job.index:
        return []
    some = docs.placed.rows.where(F.col("place").bitwiseAND(ROWS) < max(1, TALLIED // len(docs.placed.labels)))
    total = os.path.join(job.folder(), f"{uuid.uuid4().hex}.counts")
    for r in job.stage(some.repartition(1), _stage.tally(docs.raw)).collect():
        with open(total, "wb") as f:
            f.write(r.made)
        return ["--tally=" + total]
    return []


def copies_of(met: DataFrame) -> DataFrame:
    """(place, first) of each copy."""
    return met.where(F.col("role") == _stage.COPY).select(F.col("later").alias("place"), F.col("earlier").alias("first"))


def met(job, made: DataFrame, small: int) -> DataFrame:
    """Columns of MET from RECORDS. A bucket of more than small texts may stay undivided."""
    texts = job.by_part(made.where("part is not null").select("part", "pack"))
    posted = job.by_part(job.stage(texts, _stage.distinct(job.parts, bool(job.index))))
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
