"""What hangs together: texts that share a hot bucket, or have an edge, are of one component.

Nothing outside of a component says anything about its texts. So one with hot buckets is decided by one task,
as one machine does it: the stage `decide` is `neardup dedup` over its documents in their order, in one pass,
whatever its texts are to each other. Others are decided by their edges, a component to a task too.

Edges are found to be of one component on the driver where they are few, else by contraction on the cluster.
"""

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window, functions as F

from . import _jar, _stage
from ._job import FEW
from ._verify import texts_of

HELD = 1 << 20  # places that a task holds at once while it contracts edges


def connected(n, a, b):
    """For each of n nodes the least node of its component, of edges between a[i] and b[i]."""
    label = np.arange(n)
    while True:
        x, y = label[a], label[b]
        apart = x != y
        if not apart.any():
            return label
        a, b, x, y = a[apart], b[apart], x[apart], y[apart]
        # Each root that meets a smaller one goes below it: at least half of those that are left.
        np.minimum.at(label, np.maximum(x, y), np.minimum(x, y))
        while True:
            up = label[label]
            if np.array_equal(up, label):
                break
            label = up


def labelled(a, b):
    """(places, labels): of edges between places a[i] and b[i] each place once, in order, with the least of its component."""
    places = np.unique(np.concatenate([a, b]))
    return places, places[connected(len(places), np.searchsorted(places, a), np.searchsorted(places, b))]


def forest(job, rows: DataFrame, stars) -> DataFrame:
    """Of edges, or of stars, rows (key, place), those of a key one after the other, fewer edges of the same components."""
    return _jar.frame(job.spark, _jar.stages(job.spark).forest(_jar.rows_of(rows), stars, HELD), _stage.schema(_stage.PAIR))


def stars(key, place):
    """(place, hub): those of a key stand together, and the first of them is the hub."""
    begins = np.flatnonzero(np.diff(key, prepend=~key[:1]))
    return place, np.repeat(place[begins], np.diff(begins, append=len(key)))


def components(job, edges: DataFrame, on_driver: int) -> DataFrame:
    """(place, label): for each place of some edges (later, earlier) the least place of its component.

    While more than on_driver edges are left places go to one beside them, and what is left are the edges between those
    where places went. Every other round a quarter of the places goes on average, whatever the graph, so that rounds are
    logarithmic. A round is two shuffles of its edges; the labels come back through all rounds.
    """
    (left, count), rounds = job.counted(edges), []
    while count > on_driver:
        gone = job.keep(_gone(left, len(rounds)))
        rounds.append(gone.where("first").select("place", "to"))
        left, count = job.counted(_left(gone))
    table = left.toArrow()
    places, label = labelled(*(np.asarray(table[c].to_numpy()) for c in ("later", "earlier")))
    out = job.spark.createDataFrame(pa.table({"place": places, "label": label}))
    if len(places) < FEW:
        out = F.broadcast(out)
    if not rounds:
        return out
    for went in reversed(rounds):
        out = went.join(out.withColumnRenamed("place", "to"), "to", "left").select("place", F.coalesce("label", "to").alias("label"))
    least = F.first("place").over(_first_of("label", "place"))
    return job.keep(out.select("place", least.alias("label")))


def _first_of(by, *order):
    """Rows up to each one, so that no more than that is held, however many there are."""
    return Window.partitionBy(by).orderBy(*order).rowsBetween(Window.unboundedPreceding, Window.currentRow)


def _gone(edges: DataFrame, turn: int) -> DataFrame:
    """(place, other, to, first): both directions of each edge, and where its place goes; first is one row of each place.

    In one round a place goes to the least beside it, if that is less than itself: stars and what is close end so, and a
    chain in the order of its places loses but its end. In the next one each is head or tail, by a hash, and a tail goes to the least head
    beside it: one in two is a tail, and half of these, or more, have one (random mates: Reif, Optimal parallel
    algorithms for integer sorting and graph connectivity, 1985).
    """
    ends = lambda place, other: F.struct(F.col(place).alias("place"), F.col(other).alias("other"))
    both = edges.select(F.explode(F.array(ends("later", "earlier"), ends("earlier", "later"))).alias("e")).select("e.*")
    tail = lambda name: F.xxhash64(name, F.lit(turn)) < 0
    rows = _first_of("place", tail("other"), "other") if turn % 2 else _first_of("place", "other")
    ranked = both.select("place", "other", F.first("other").over(rows).alias("near"), F.row_number().over(rows).alias("row"))
    goes = tail("place") & ~tail("near") if turn % 2 else F.col("near") < F.col("place")
    return ranked.select("place", "other", F.when(goes, F.col("near")).otherwise(F.col("place")).alias("to"), (F.col("row") == 1).alias("first"))


def _left(gone: DataFrame) -> DataFrame:
    """The edges between where places went: the two directions of an edge know one each."""
    ends = gone.groupBy(F.greatest("place", "other"), F.least("place", "other")).agg(F.max("to").alias("later"), F.min("to").alias("earlier"))
    return ends.where("later != earlier").select("later", "earlier")


def decided(job, docs, need: DataFrame, few, ruled, conflicts) -> DataFrame:
    """The edges that decide all documents of some components: columns of EDGES. need: (place, label), few or not, copies too."""
    rulings = [(a, b, link) for link in ("must", "cannot") for a, b in sorted(getattr(ruled, link))]
    rows = job.divided(texts_of(job, docs, need, few).select("place", "check", "label", "text"), "label").sortWithinPartitions("place")
    return job.stage(rows, _stage.decide(job.worker, docs.raw, rulings, conflicts))
