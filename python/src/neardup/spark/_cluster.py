"""What is left after the buckets, where it is too much for the driver: decided on the cluster, by the steps of _driver."""

from pyspark.sql import DataFrame, functions as F

from . import _components, _records, _stage
from ._verify import verify


class Rows:
    """The steps of _decide.chosen over frames. Where few edges are left to tell components by, these come to the driver."""

    def __init__(self, job, docs, found, conflicts, on_driver):
        self.job, self.docs, self.found, self.conflicts, self.on_driver = job, docs, found, conflicts, on_driver

    def collected(self):
        """(candidates, how many, labels of hot texts or None, copies)."""
        met, labels = self.found.met, None
        pairs, count = self.job.counted(met.where("role is null").select("later", "earlier").distinct())
        postings = met.where(F.col("role") != _stage.COPY).select("key", "place")
        if not postings.isEmpty():
            labels = self._labels(postings, stars=True)
            if self.job.index:  # of a bucket of one text and many of the index
                labels = labelled(labels, postings)
        return pairs, count, labels, _records.copies_of(met)

    def _labels(self, rows, stars=False):
        return _components.components(self.job, _components.forest(self.job, rows, stars), self.on_driver)

    def across(self, pairs, hot):
        """Candidates but those of one component, which is decided whole."""
        for end in ("later", "earlier"):
            pairs = pairs.join(hot.select(F.col("place").alias(end), F.col("label").alias("of_" + end)), end, "left")
        # What is decided whole finds what is like it in an index itself.
        return pairs.where("if(earlier < 0, of_later is null, coalesce(of_later != of_earlier, true))").select("later", "earlier")

    def verified(self, pairs, copies):
        """As _driver has it."""
        last = copies.groupBy("first").agg(F.max("place").alias("last"))
        turned = pairs.join(last.withColumnRenamed("first", "earlier"), "earlier").where("last > later")
        pairs, count = self.job.counted(pairs.unionByName(turned.select(F.col("last").alias("later"), F.col("later").alias("earlier"))))
        edges = self.job.keep(self.found.ruled_edges(verify(self.job, self.docs, pairs, count, self.conflicts)))
        last = last.withColumnRenamed("last", "later")
        late = near(edges).join(last, "later").withColumn("later", F.col("first")).drop("first")
        return edges.join(last, "later", "left_anti"), late

    def components(self, edges, late, hot):
        """(places and labels of the components that have hot texts, edges with the label of theirs and whether it is one of these)."""
        ends = edges.unionByName(late).select("later", "earlier").where("earlier >= 0")  # a document of an index links nothing
        if hot is not None:
            ends = ends.unionByName(hot.where("place != label").select(F.col("place").alias("later"), F.col("label").alias("earlier")))
        labels, members = self._labels(ends), None
        if self.job.index:
            of_index = edges.where("earlier < 0").select(F.col("later").alias("place"))
            labels = self.job.keep(labelled(labels, of_index if hot is None else of_index.unionByName(hot.select("place"))))
        known = labels.withColumn("hot", F.lit(False))
        if hot is not None:
            own = labels.join(hot.select(F.col("label").alias("place")).distinct(), "place", "left_semi").select("label", F.lit(True).alias("hot")).distinct()
            known = self.job.keep(labels.join(own, "label", "left").select("place", "label", F.col("hot").isNotNull().alias("hot")))
            members = known.where("hot").select("place", "label")
        return members, self.job.keep(edges.join(known.withColumnRenamed("place", "later"), "later"))

    def decided(self, members, edges, copies):
        """(the edges that decide these components, other edges, other copies, (documents of these components, and of the largest))."""
        of_first = members.withColumnRenamed("place", "first")
        need = self.job.keep(members.unionByName(copies.join(of_first, "first").select("place", "label")))
        whole = self.job.keep(_components.decided(self.job, self.docs, need, False, self.found.ruled, self.conflicts))
        documents, largest = need.groupBy("label").count().agg(F.sum("count"), F.max("count")).first()
        return whole, edges.where("not hot"), copies.join(of_first, "first", "left_anti"), (documents, largest)

    def lead(self, edges):
        """The edge of each duplicate to its leader, and of each variant: a component is one task's."""
        rows = self.job.divided(edges, "label").sortWithinPartitions("later", "earlier")
        best = self.job.stage(rows, _stage.lead()).drop("conflicts")
        variants = edges.where(f"not {_stage.NEAR}").select("later", "earlier", "conflicts")
        return self.job.keep(best.join(variants, ["later", "earlier"], "left").select(_stage.EDGE_COLUMNS))

    def of_copies(self, late, best, copies):
        """The edges of copies: to the document they equal if that leads, else to the best leader before them.

        That may have come after the text that was removed: such leaders are looked at only where they are
        stronger than the one that the text has.
        """
        duplicates = near(best).select("later")
        removed = duplicates.withColumnRenamed("later", "first")
        of_leader = copies.join(removed, "first", "left_anti").select(
            F.col("place").alias("later"), F.col("first").alias("earlier"), F.lit(1.0).alias("similarity"), F.lit(None).cast("double").alias("closeness"), F.lit(None).cast("int").alias("distance"),
            F.lit("copy").alias("relation"), F.lit(None).cast("string").alias("method"), F.lit("equal text").alias("basis"), F.lit(None).cast("string").alias("conflicts"),
        )
        lost = copies.join(removed, "first", "left_semi")
        own = best.withColumnRenamed("later", "first").withColumn("own", strength())
        same = lost.join(own.drop("own"), "first").select(F.col("place").alias("later"), *_stage.EDGE_COLUMNS[1:])
        late = (
            late.join(duplicates.withColumnRenamed("later", "earlier"), "earlier", "left_anti").withColumn("strength", strength())
            .withColumnRenamed("later", "first").join(own.select("first", "own"), "first").where(F.col("strength") > F.col("own")).drop("own", "strength")
        )
        later = lost.join(late, "first").where(F.col("earlier") < F.col("place")).select(F.col("place").alias("later"), *_stage.EDGE_COLUMNS[1:])
        return of_leader.unionByName(strongest(same.unionByName(later)))

    def count(self, edges):
        return edges.count()

    def with_ids(self, parts):
        """(a frame of all parts with the ids of leaders as the column other, whether it is small)."""
        rows = parts[0]
        for more in parts[1:]:
            rows = rows.unionByName(more)
        named = self.found.recs.join(rows.where("earlier >= 0").withColumnRenamed("earlier", "place")).withColumnsRenamed({"place": "earlier", "id": "other"})
        named = named.select(*_stage.EDGE_COLUMNS, "other")
        if self.job.index:
            ids = self.job.index.names(self.job, rows.where("earlier < 0").select("earlier").distinct()).withColumnsRenamed({"place": "earlier", "id": "other"})
            named = named.unionByName(rows.join(ids, "earlier"))
        return self.job.counted(named)[0], False  # made now: what it is made of is released


def labelled(labels: DataFrame, places: DataFrame) -> DataFrame:
    """labels, and those of other places, each a component of its own."""
    alone = places.select("place").distinct().join(labels, "place", "left_anti")
    return labels.unionByName(alone.select("place", F.col("place").alias("label")))


def near(edges: DataFrame) -> DataFrame:
    return edges.where(_stage.NEAR)


def strength():
    """What names the leader of two, as batch.Edge.Stronger has it."""
    grade = F.array_position(F.array(*map(F.lit, ("variant", "unsure", "contained", "edited", "copy", "ruled"))), F.col("relation"))
    rank = F.coalesce("closeness", "similarity")
    return F.struct(grade.alias("grade"), rank.alias("rank"), (-F.coalesce("distance", F.lit(-1))).alias("nearness"), (-F.col("earlier")).alias("first"))


def strongest(edges: DataFrame) -> DataFrame:
    """Of the edges of a later document, to leaders, the strongest."""
    kept = _stage.EDGE_COLUMNS[1:]
    best = edges.groupBy("later").agg(F.max_by(F.struct(*kept), strength()).alias("e"))
    return best.select("later", *[F.col("e")[c].alias(c) for c in kept])
