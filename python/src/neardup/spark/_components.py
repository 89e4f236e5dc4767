"""Components: documents that may be near each other, directly or through others. One task decides a component.

No document outside a component affects its decisions. So the stage `decide` is `neardup dedup` over the documents of
some components, in their order. Candidates and hot buckets link documents; where that makes a component large, its
candidates are compared, and those that are near link.

One task finds the components of few edges; more are contracted on the cluster first.
"""

from pyspark.sql import DataFrame, Window, functions as F

from . import _records, _stage
from ._job import FEW
from ._small import pinned
from ._verify import texts_of, verify

ONE_TASK = 4_000_000  # edges at most whose components one task finds: it holds twice as many places
LARGE = 10_000  # components of at least this many documents are divided by comparing candidates


class Members:
    """labels: (place, label) of documents that may be near others, without copies. documents: their number with copies. largest: that of the largest component."""

    def __init__(self, job, docs, found):
        self.job, self.copies = job, _records.copies_of(found.met)
        candidates = found.met.where("role is null and earlier >= 0").select("later", "earlier")
        sure = found.met.where("role = 'h' or earlier < 0").select("later", F.expr("if(earlier < 0, later, earlier)").alias("earlier"))
        if found.must:
            sure = sure.unionByName(found.pairs_of(found.must))
        self._label(candidates.unionByName(sure))
        if self.largest > LARGE:
            of_large = self.sizes.where(F.col("count") > LARGE).join(self.labels, "label").select(F.col("place").alias("later"))
            near = self._near(docs, found, candidates.join(of_large, "later", "left_semi").distinct())
            self._label(candidates.join(of_large, "later", "left_anti").unionByName(sure).unionByName(near))

    def _label(self, links):
        self.labels = components(self.job, links)
        self.need = self.labels.unionByName(self.copies.join(self.labels.withColumnRenamed("place", "first"), "first").select("place", "label"))
        self.sizes = self.need.groupBy("label").count()
        n, largest = self.sizes.agg(F.sum("count"), F.max("count")).first()
        self.documents, self.largest = n or 0, largest or 0

    def _near(self, docs, found, pairs):
        """The candidates that link: also those in which the earlier text is near the later one, and a copy of the earlier text comes later still."""
        if found.counts.get("h"):
            hot = components(self.job, found.met.where("role = 'h' and earlier >= 0"))
            for end in ("later", "earlier"):
                pairs = pairs.join(hot.select(F.col("place").alias(end), F.col("label").alias("of_" + end)), end, "left")
            pairs = pairs.where("coalesce(of_later != of_earlier, true)").select("later", "earlier")
        last = self.copies.groupBy(F.col("first").alias("earlier")).agg(F.max("place").alias("last"))
        turned = pairs.join(last, "earlier").where("last > later").select(F.col("earlier").alias("later"), F.col("later").alias("earlier"))
        pairs, n = self.job.counted(pairs.unionByName(turned))
        return verify(self.job, docs, pairs, n).select("later", "earlier")

    def decided(self, docs, found, overrides, conflicts):
        """(columns of CHOSEN, how many rows)."""
        texts = texts_of(self.job, docs, self.need, self.documents < FEW)
        rows = self.job.divided(texts, "label").sortWithinPartitions("place")
        chosen = self.job.stage(rows, _stage.decide(self.job.reads, docs.raw, overrides, conflicts))
        if found.counts.get(_stage.COPY):
            alone = self.copies.join(self.labels.select(F.col("place").alias("first")), "first", "left_anti").select(F.col("first").alias("place"), F.col("place").alias("copy"))
            leaders = found.recs.join(alone, few=found.counts[_stage.COPY] < FEW)
            values = {"place": F.col("copy"), "decision": F.lit("duplicate"), "leader": F.col("id"), "similarity": F.lit(1.0), "basis": F.lit("equal text")}
            chosen = chosen.unionByName(leaders.select(*[v.alias(name) for name, v in values.items()]), allowMissingColumns=True)
        return self.job.counted(chosen)


def forest(job, edges: DataFrame) -> DataFrame:
    """Returns fewer edges with the same components: each task links each of its places to the first of its component, and that to itself."""
    return job.stage(edges, _stage.Stage(("forest",), "later earlier", _stage.PAIR))


def components(job, edges: DataFrame) -> DataFrame:
    """(place, label): for each place of some edges (later, earlier) the least place of its component.

    While more than ONE_TASK edges are left, each round merges places into neighbors, and only the edges between
    different targets are left. Every other round merges a quarter of the places on average, whatever the graph, so the
    number of rounds is logarithmic. A round shuffles its edges twice; the labels are then passed back through all rounds.
    """
    (left, count), rounds = job.counted(forest(job, edges)), []
    while count > ONE_TASK:
        gone = pinned(_gone(left, len(rounds)))
        rounds.append(gone.where("first").select("place", "to"))
        left, count = job.counted(_left(gone))
    out = pinned(forest(job, left.coalesce(1))).toDF("place", "label")
    if count < FEW:
        out = F.broadcast(out)
    if not rounds:
        return out
    for went in reversed(rounds):
        out = went.join(out.withColumnRenamed("place", "to"), "to", "left").select("place", F.coalesce("label", "to").alias("label"))
    least = F.first("place").over(_first_of("label", "place"))
    return pinned(out.select("place", least.alias("label")))


def _first_of(by, *order):
    """Yields rows of each batch, so that no more than one batch is in memory."""
    return Window.partitionBy(by).orderBy(*order).rowsBetween(Window.unboundedPreceding, Window.currentRow)


def _gone(edges: DataFrame, turn: int) -> DataFrame:
    """(place, other, to, first): both directions of each edge, and the target of its place; first marks one row of each place.

    In one round a place merges into its least neighbor, if that is less than itself: this ends stars and small groups, but
    takes only the end off a chain in the order of its places. In the next round a hash makes each place head or tail, and a tail merges
    into its least neighbor that is a head: half are tails, and at least half of these have one (random mates: Reif, Optimal parallel
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
    """The edges between targets: each direction of an edge has the target of one end."""
    ends = gone.groupBy(F.greatest("place", "other"), F.least("place", "other")).agg(F.max("to").alias("later"), F.min("to").alias("earlier"))
    return ends.where("later != earlier").select("later", "earlier")
