"""Candidates to edges: a text travels once to a block of its candidates."""

from pyspark.sql import DataFrame, functions as F

from . import _stage

BLOCK = 256  # later texts of a block, about
FEW = 200_000  # rows that are sent to all rather than shuffled


def verify(job, docs: DataFrame, pairs: DataFrame, conflicts=False, count=None) -> DataFrame:
    """The edges of candidates (later, earlier) that are near or variants."""
    n = pairs.count() if count is None else count
    if n == 0:
        return job.spark.createDataFrame([], _stage.EDGES)
    blocks = blocked(job, pairs, n)
    need = blocks.select("block", F.explode(F.array("later", "earlier")).alias("place")).distinct()
    if n < FEW:
        need = F.broadcast(need)
    texts = docs.select("place", "text").join(need, "place").select("block", F.lit("t").alias("kind"), F.col("place").alias("a"), F.lit(0).cast("long").alias("b"), "text")
    rows = texts.unionByName(blocks.select("block", F.lit("c").alias("kind"), F.col("later").alias("a"), F.col("earlier").alias("b"), F.lit(None).cast("string").alias("text")))
    rows = job.divided(rows, "block").sortWithinPartitions("block", F.col("kind").desc())
    return job.stage(rows, _stage.verify(job.worker, conflicts), _stage.EDGES)


def blocked(job, pairs: DataFrame, n: int) -> DataFrame:
    """(block, later, earlier): near texts share their first candidate, so that names the block.

    What gathers too many is divided by its later texts.
    """
    first = pairs.groupBy("later").agg(F.min("earlier").alias("label"))
    rows = pairs.join(F.broadcast(first) if n < FEW else first, "later")
    sizes = first.groupBy("label").count().where(F.col("count") > BLOCK)
    rows = rows.join(F.broadcast(sizes), "label", "left")
    salt = F.pmod(F.xxhash64("later"), F.ceil(F.coalesce("count", F.lit(1)) / BLOCK))
    return rows.select(F.struct("label", salt.alias("salt")).alias("block"), "later", "earlier")
