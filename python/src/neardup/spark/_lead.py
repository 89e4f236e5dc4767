"""Edges to leaders: hot buckets in rounds, and the greedy leader rule over the edges."""

import numpy as np
from pyspark.sql import DataFrame, Window, functions as F

from . import _stage
from ._verify import verify
from ._records import by_key

FRONT = 32  # undecided texts of a bucket that a round looks at, doubled each round
LARGEST_FRONT = 4096
FRONT_ROWS = 100_000  # of all buckets in a round: their leaders are sent to all


def near(edges: DataFrame) -> DataFrame:
    return edges.where("relation != 'variant'").select("later", "earlier")


class Rulings:
    """What people have ruled, by places."""

    def __init__(self, job, rulings, named):
        self.cannot, self.must = set(), set()
        for (a, b), link in rulings.items():
            for x in named.get(a, []):
                for y in named.get(b, []):
                    if x != y:
                        (self.must if link == "must" else self.cannot).add((max(x, y), min(x, y)))
        self.job = job
        self.count = sum(1 for a, b in rulings if a in named and b in named)

    def frame(self, pairs):
        return F.broadcast(self.job.spark.createDataFrame(sorted(pairs), "later long, earlier long"))

    def apply(self, edges: DataFrame) -> DataFrame:
        """Takes out the edges of pairs that are ruled about."""
        pairs = self.cannot | self.must
        return edges.join(self.frame(pairs), ["later", "earlier"], "left_anti") if pairs else edges

    def edges(self, recs: DataFrame):
        """The edges of pairs that must be linked."""
        if not self.must:
            return None
        methods = recs.select(F.col("place").alias("later"), "method").join(F.broadcast(self.frame(self.must).select("later").distinct()), "later")
        return self.frame(self.must).join(methods, "later").select(
            "later", "earlier", F.lit(1.0).alias("similarity"), F.lit(None).cast("int").alias("distance"), F.lit("ruled").alias("relation"),
            "method", F.lit("override").alias("basis"), F.lit(None).cast("string").alias("conflicts"),
        ).select(*[c.split()[0] for c in _stage.EDGES.split(", ")])


def settled(job, edges: DataFrame, waiting: DataFrame = None, on_driver=0):
    """(duplicates, open or None): one column, place, each.

    edges are those of near texts. The greedy leader rule is the lexicographically first
    independent set: while there are many, rounds on the cluster find leaders that nothing
    comes before and take their duplicates out; the rest is finished on the driver.
    """
    parts = []
    live = job.keep(edges.distinct())
    n = live.count()
    while n > on_driver:
        heads = live.select(F.col("earlier").alias("place")).distinct().join(live.select(F.col("later").alias("place")).distinct(), "place", "left_anti")
        if waiting is not None:
            heads = heads.join(waiting, "place", "left_anti")
        out = job.keep(live.join(heads.withColumnRenamed("place", "earlier"), "earlier", "left_semi").select(F.col("later").alias("place")).distinct())
        if out.isEmpty():  # all of them wait, for one another in the end
            return union(job, parts), live.select(F.col("later").alias("place")).distinct()
        parts.append(out)
        live = job.keep(without(live, out))
        n = live.count()
    opened = np.zeros(0, np.int64)
    if n:
        table = live.toArrow()
        later, earlier = (np.asarray(table.column(c).to_numpy()) for c in ("later", "earlier"))
        waits = np.zeros(0, np.int64)
        if waiting is not None:
            ends = live.select(F.explode(F.array("later", "earlier")).alias("place")).distinct()
            waits = np.asarray(ends.join(waiting, "place", "left_semi").toArrow().column("place").to_numpy())
        duplicates, opened = _stage.settle(waits, later, earlier)
        parts.append(places(job, duplicates))
    return union(job, parts), places(job, opened)


def union(job, parts) -> DataFrame:
    out = places(job, ())
    for p in parts:
        out = out.unionByName(p)
    return out


def without(edges: DataFrame, gone: DataFrame) -> DataFrame:
    """Edges none of whose texts is gone."""
    for end in ("later", "earlier"):
        edges = edges.join(gone.withColumnRenamed("place", end), end, "left_anti")
    return edges.select("later", "earlier")


def places(job, array) -> DataFrame:
    import pyarrow as pa

    if len(array) == 0:
        return job.spark.createDataFrame([], "place long")
    return job.spark.createDataFrame(pa.table({"place": pa.array(array, pa.int64())}))


def of_hot(job, docs, hot: DataFrame, pairs: DataFrame, edges: DataFrame, copies: DataFrame, rulings: Rulings, on_driver, conflicts):
    """The edges of texts in hot buckets to the leaders among them, and to others that were needed.

    Round by round: the first undecided texts of each bucket are compared with each
    other; of those, what waits for no other bucket is decided; the new leaders are
    compared with all members of their buckets, which are thereby duplicates or not.
    """
    last = copies.groupBy(F.col("first").alias("place")).agg(F.max("place").alias("last"))
    members = job.keep(hot.join(last, "place", "left").select("key", "place", "role", "sketch", F.coalesce("last", F.lit(0)).alias("last")))
    undecided = members.select("key", "place", "role", "sketch")
    out, tried, front, rounds = [], pairs, FRONT, 0
    live = near(edges)
    while not undecided.isEmpty():
        rounds += 1
        first = front_of(job, undecided, front)
        waiting = job.keep(undecided.join(first.select("key", "place"), ["key", "place"], "left_anti").select("place").distinct())
        # Those of the front among themselves.
        new = job.stage(by_key(job, first), _stage.bucket(job.worker), _stage.CANDIDATES).distinct()
        new = job.keep(new.join(tried, ["later", "earlier"], "left_anti"))
        found = job.keep(rulings.apply(verify(job, docs, new, conflicts)))
        live = live.unionByName(near(found))
        duplicates, opened = settled(job, live, waiting, on_driver)
        leaders = job.keep(first.join(waiting, "place", "left_anti").join(duplicates, "place", "left_anti").join(opened, "place", "left_anti"))
        out.append(found)
        tried = job.keep(tried.unionByName(new))
        # The new leaders and all members.
        lines = _leader_lines(leaders)
        met = job.stage(members.join(leaders.select("place").distinct(), "place", "left_anti"), _stage.meet(job.worker, lines), _stage.CANDIDATES).distinct()
        met = job.keep(met.join(tried, ["later", "earlier"], "left_anti"))
        taken = job.keep(rulings.apply(verify(job, docs, met, conflicts)))
        out.append(taken)
        tried = tried.unionByName(met)
        # A leader that came later than a member is no reason to remove the leader.
        led = near(taken).join(leaders.select(F.col("place").alias("earlier")).distinct(), "earlier", "left_semi")
        gone = job.keep(duplicates.unionByName(led.select(F.col("later").alias("place"))).distinct())
        live = job.keep(without(live, gone))
        undecided = job.keep(undecided.join(gone.unionByName(leaders.select("place")).distinct(), "place", "left_anti"))
        front = min(2 * front, LARGEST_FRONT)
    return out, rounds


def front_of(job, undecided: DataFrame, front: int) -> DataFrame:
    """The postings of the first texts of each bucket; of many buckets, of the first texts of all."""
    rank = F.dense_rank().over(Window.partitionBy("key").orderBy("place"))
    first = job.keep(undecided.withColumn("n", rank).where(F.col("n") <= front).drop("n"))
    if first.count() <= FRONT_ROWS:
        return first
    end = first.select("place").orderBy("place").limit(FRONT_ROWS).agg(F.max("place")).first()[0]
    return job.keep(first.where(F.col("place") <= end))


def _leader_lines(leaders: DataFrame) -> bytes:
    table = leaders.select("key", "place", "role", "sketch").toArrow()
    return b"".join(bytes(_stage._postings(b, "l")) for b in table.to_batches() if b.num_rows)
