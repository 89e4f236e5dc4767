"""Candidates to edges: a text travels once to a block of its candidates."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, functions as F

from . import _lines, _stage

BLOCK = 256  # later texts of a block, about
FEW = 1_000_000  # rows of two or three numbers that are sent to all rather than shuffled


def verify(job, docs, pairs: DataFrame, conflicts=False, count=None) -> DataFrame:
    """The edges of candidates (later, earlier) that are near or variants."""
    n = pairs.count() if count is None else count
    if n == 0:
        return job.spark.createDataFrame([], _stage.EDGES)
    blocks = blocked(job, pairs, n)
    need = blocks.select("block", F.explode(F.array("later", "earlier")).alias("place")).distinct()
    return of_blocks(job, docs, F.broadcast(need) if 2 * n < FEW else need, blocks, conflicts)


def of_blocks(job, docs, need: DataFrame, blocks: DataFrame, conflicts) -> DataFrame:
    """need: (block, place) of texts; blocks: (block, later, earlier)."""
    return of_lines(job, docs, need, blocks.select("block", F.lit("c").alias("kind"), F.col("later").alias("a"), F.col("earlier").alias("b"), F.lit(None).cast("string").alias("text")), conflicts)


def of_lines(job, docs, need: DataFrame, lines: DataFrame, conflicts) -> DataFrame:
    """need: (block, place) of texts; lines: (block, kind, a, b, text), of candidates, or of leaders and members with their words as text."""
    texts = docs.rows.select("place", "text").join(need, "place").select("block", F.lit("t").alias("kind"), F.col("place").alias("a"), F.lit(0).cast("long").alias("b"), "text")
    rows = texts.unionByName(lines)
    rows = job.divided(rows, "block").sortWithinPartitions("block", F.col("kind") != "t", "kind", "a")
    return job.stage(rows, _stage.verify(job.worker, docs.raw, conflicts), _stage.EDGES)


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
    """verify for candidates that are on the driver, as numpy arrays; edges too."""
    if len(later) == 0:
        return _stage.EDGE_SCHEMA.empty_table()
    order = np.lexsort((earlier, later))
    later, earlier = later[order], earlier[order]
    starts = np.flatnonzero(np.diff(later, prepend=-1))
    label = earlier[starts]  # of each later text its first candidate
    by_label = np.argsort(label, kind="stable")
    label = label[by_label]
    begins = np.flatnonzero(np.diff(label, prepend=-1))
    rank = np.arange(len(label)) - np.repeat(begins, np.diff(begins, append=len(label)))
    block = np.empty(len(label), np.int64)
    block[by_label] = np.cumsum((rank % BLOCK) == 0)
    block = np.repeat(block, np.diff(starts, append=len(later)))
    ends = np.unique(np.stack([np.tile(block, 2), np.concatenate([later, earlier])], 1), axis=0)
    frame = lambda **columns: job.spark.createDataFrame(pa.table({k: np.ascontiguousarray(v) for k, v in columns.items()}))
    need = frame(block=ends[:, 0], place=ends[:, 1])
    blocks = frame(block=block, later=later, earlier=earlier)
    found = of_blocks(job, docs, F.broadcast(need) if len(ends) < FEW else need, blocks, conflicts)
    return found.toArrow().cast(_stage.EDGE_SCHEMA)


SQUARE = 1024  # leaders and members of a block, at the most


def verify_meeting(job, docs, leaders, members, conflicts) -> pa.Table:
    """The edges of the members of hot buckets to leaders that share a key with them; postings on the driver, with the column last.

    No pair is written down: a block is some leaders and some members, and pairs come to be where they are compared.
    """
    lines = _meeting(*(rows.filter(pc.not_equal(rows["role"], role)) for rows, role in ((leaders, "p"), (members, "i"))))
    if lines.num_rows == 0:
        return _stage.EDGE_SCHEMA.empty_table()
    need = lines.select(["block", "a"]).rename_columns(["block", "place"]).group_by(["block", "place"]).aggregate([]).combine_chunks()
    few = need.num_rows < FEW
    need = job.spark.createDataFrame(need)
    lines = job.spark.createDataFrame(lines).select("block", "kind", "a", F.lit(0).cast("long").alias("b"), "text")
    return of_lines(job, docs, F.broadcast(need) if few else need, lines, conflicts).toArrow().cast(_stage.EDGE_SCHEMA)


def _meeting(leaders, members) -> pa.Table:
    """(block, a, text, kind): in the block of a chunk of leaders and one of members those that have a key of both; text is the words."""
    sides = [_chunked(rows) for rows in (leaders, members)]
    ends = [rows.group_by(["key", "chunk"]).aggregate([("place", "min"), ("last", "max")]) for rows, _ in sides]
    met = ends[0].join(ends[1], "key", join_type="inner", right_suffix="_m")
    met = met.filter(pc.less(met["place_min"], met["last_max_m"]))
    met = met.append_column("block", pa.array(_numbers(met, "chunk") << 32 | _numbers(met, "chunk_m")))
    lines = []
    for kind, of, (rows, words) in zip("lm", ("chunk", "chunk_m"), sides):
        blocks = met.select(["key", of, "block"]).rename_columns(["key", "chunk", "block"])
        rows = rows.join(blocks, ["key", "chunk"], join_type="inner").group_by(["block", "place"]).aggregate([])
        rows = rows.join(words, "place").select(["block", "place", "words"]).rename_columns(["block", "a", "text"])
        lines.append(rows.append_column("kind", pa.repeat(kind, rows.num_rows)))
    return pa.concat_tables(lines).combine_chunks()


def _chunked(rows):
    """Of postings (key, place, chunk, last: the place or that of the last copy), texts of one bucket together in chunks, and (place, words)."""
    rows = rows.sort_by([("place", "ascending"), ("key", "ascending")]).combine_chunks()
    key, place, last, sketch = (_numbers(rows, c) for c in ("key", "place", "last", "sketch"))
    begins = np.flatnonzero(np.diff(place, prepend=-1))
    sizes = np.diff(begins, append=len(place))
    keys = pa.LargeListArray.from_arrays(pa.array(np.append(begins, len(place))), _lines.hexed(pa.array(key)))
    large = lambda c: c.cast(pa.large_string())
    space = large(pa.scalar(" "))
    words = pc.binary_join_element_wise(large(pa.array(last[begins])), _lines.hexed(pa.array(sketch[begins])), pc.binary_join(keys, space), space)
    chunk = np.empty(len(begins), np.int64)
    chunk[np.lexsort((place[begins], key[begins]))] = np.arange(len(begins)) // SQUARE
    postings = pa.table({"key": key, "place": place, "chunk": np.repeat(chunk, sizes), "last": np.maximum(place, last)})
    return postings, pa.table({"place": place[begins], "words": words.cast(pa.string())})


def _numbers(table, name):
    return np.asarray(table[name].to_numpy())
