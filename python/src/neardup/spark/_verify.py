"""Candidates to edges: a text travels once to a block of its candidates."""

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, functions as F

from . import _stage
from ._job import FEW

EDGES = pa.schema([
    ("later", pa.int64()), ("earlier", pa.int64()), ("similarity", pa.float64()), ("closeness", pa.float64()), ("distance", pa.int32()), ("relation", pa.string()),
    ("method", pa.string()), ("basis", pa.string()), ("conflicts", pa.string()),
])
BLOCK = 256  # later texts of a block, about


def verify(job, docs, pairs: DataFrame, n: int, conflicts=False) -> DataFrame:
    """The edges of n candidates (later, earlier) that are near or variants."""
    if n == 0:
        return job.spark.createDataFrame(EDGES.empty_table())
    blocks = blocked(job, pairs, n)
    need = blocks.select("block", F.explode(F.array("later", "earlier")).alias("place")).where("place >= 0").distinct()  # those of an index are read there
    return of_blocks(job, docs, need, 2 * n < FEW, blocks, conflicts)


def texts_of(job, docs, need: DataFrame, few) -> DataFrame:
    """need, (place, ...), with the check and the text of each."""
    checks = job.records.join(need, few=few).select(*need.columns, "check")
    return docs.placed.join(checks, few=few)


def of_blocks(job, docs, need: DataFrame, few, blocks: DataFrame, conflicts) -> DataFrame:
    """need: (block, place) of texts, few or not; blocks: (block, later, earlier)."""
    texts = texts_of(job, docs, need, few).select("block", F.lit("t").alias("kind"), F.col("place").alias("a"), F.lit(None).cast("long").alias("b"), "check", "text")
    candidates = blocks.select("block", F.lit("c").alias("kind"), F.col("later").alias("a"), F.col("earlier").alias("b"), F.lit(None).cast("long").alias("check"), F.lit(None).cast("string").alias("text"))
    rows = job.divided(texts.unionByName(candidates), "block").sortWithinPartitions("block", F.col("kind") != "t", "a")
    return job.stage(rows, _stage.verify(job.worker, docs.raw, conflicts))


def blocked(job, pairs: DataFrame, n: int) -> DataFrame:
    """(block, later, earlier): near texts share their first candidate, so that names the block.

    What gathers too many is divided by its later texts. Two blocks of one name are one.
    """
    first = pairs.groupBy("later").agg(F.min("earlier").alias("label"))
    rows = pairs.join(F.broadcast(first) if n < FEW else first, "later")
    sizes = first.groupBy("label").count().where(F.col("count") > BLOCK)
    rows = rows.join(F.broadcast(sizes), "label", "left")
    salt = F.pmod(F.xxhash64("later"), F.ceil(F.coalesce("count", F.lit(1)) / BLOCK))
    return rows.select(F.xxhash64("label", salt).alias("block"), "later", "earlier")


def verify_few(job, docs, later, earlier, conflicts) -> pa.Table:
    """verify for candidates that are on the driver, each once, in order, as numpy arrays; edges too."""
    if len(later) == 0:
        return EDGES.empty_table()
    starts = np.flatnonzero(np.diff(later, prepend=-1))
    label = earlier[starts]  # of each later text its first candidate
    by_label = np.argsort(label, kind="stable")
    label = label[by_label]
    begins = np.flatnonzero(np.diff(label, prepend=-1))
    rank = np.arange(len(label)) - np.repeat(begins, np.diff(begins, append=len(label)))
    of_later = np.empty(len(label), np.int64)
    of_later[by_label] = np.cumsum((rank % BLOCK) == 0)
    block = np.repeat(of_later, np.diff(starts, append=len(later)))
    # A text of a block is there once, be it a later one or an earlier one, or both.
    place = np.concatenate([later[starts], earlier])
    at = np.concatenate([of_later, block])
    order = np.lexsort((place, at))
    at, place = at[order], place[order]
    new = (np.diff(at, prepend=-1) != 0) | (np.diff(place, prepend=-1) != 0)
    new &= place >= 0  # those of an index are read there
    at, place = at[new], place[new]
    few = len(place) < FEW
    need, blocks = (job.spark.createDataFrame(pa.table(t)) for t in ({"block": at, "place": place}, {"block": block, "later": later, "earlier": earlier}))
    del at, place, order, new, block
    found = of_blocks(job, docs, need, few, blocks, conflicts)
    return found.toArrow().cast(EDGES)
