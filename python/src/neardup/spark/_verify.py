"""Makes edges of candidates: a text is sent once to each block of its candidates."""

from pyspark.sql import DataFrame, functions as F

from . import _stage
from ._job import FEW

BLOCK = 256  # about how many later texts a block has


def texts_of(job, docs, need: DataFrame, few=False) -> DataFrame:
    """Adds check, id (if named) and text to the rows of need (place, ...), which may be few."""
    known = job.records.join(need, few=few).select(*need.columns, "check", F.col("id").alias("named"))
    return docs.placed.join(known, few=few)


def verify(job, docs, pairs: DataFrame, n: int) -> DataFrame:
    """The edges of those of n candidates (later, earlier) that are near or variants."""
    blocks = blocked(pairs, n)
    need = blocks.select("block", F.explode(F.array("later", "earlier")).alias("place")).distinct()
    texts = texts_of(job, docs, need, 2 * n < FEW).select("block", F.col("place").alias("later"), "check", "text")
    rows = job.divided(blocks.unionByName(texts, allowMissingColumns=True), "block").sortWithinPartitions("block", F.col("earlier").isNotNull(), "later")
    return job.stage(rows, _stage.verify(docs.raw))


def blocked(pairs: DataFrame, n: int) -> DataFrame:
    """(block, later, earlier): near texts share their first candidate, so that names the block.

    A block with too many is divided by its later texts. Two blocks of one name are one block.
    """
    first = pairs.groupBy("later").agg(F.min("earlier").alias("label"))
    rows = pairs.join(F.broadcast(first) if n < FEW else first, "later")
    sizes = first.groupBy("label").count().where(F.col("count") > BLOCK)
    rows = rows.join(F.broadcast(sizes), "label", "left")
    salt = F.pmod(F.xxhash64("later"), F.ceil(F.coalesce("count", F.lit(1)) / BLOCK))
    return rows.select(F.xxhash64("label", salt).alias("block"), "later", "earlier")
