"""What people have ruled, by places."""

import pyarrow as pa
from pyspark.sql import DataFrame, functions as F

from . import _stage


class Rulings:
    """Pairs (later, earlier) that must be linked and that cannot; few, on the driver."""

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
        return F.broadcast(self.job.spark.createDataFrame(pa.table(list(map(list, zip(*sorted(pairs)))), ["later", "earlier"])))

    def apply(self, edges: DataFrame) -> DataFrame:
        """Takes out the edges of pairs that are ruled about."""
        pairs = self.cannot | self.must
        return edges.join(self.frame(pairs), ["later", "earlier"], "left_anti") if pairs else edges

    def apply_to_table(self, edges: pa.Table) -> pa.Table:
        """apply, on the driver."""
        pairs = self.cannot | self.must
        if not pairs or edges.num_rows == 0:
            return edges
        return edges.filter(pa.array([p not in pairs for p in zip(edges["later"].to_pylist(), edges["earlier"].to_pylist())]))

    def edges(self, recs: DataFrame):
        """The edges of pairs that must be linked, or None."""
        if not self.must:
            return None
        methods = recs.select(F.col("place").alias("later"), F.col("route").alias("method")).join(F.broadcast(self.frame(self.must).select("later").distinct()), "later")
        return self.frame(self.must).join(methods, "later").select(
            "later", "earlier", F.lit(1.0).alias("similarity"), F.lit(None).cast("double").alias("closeness"), F.lit(None).cast("int").alias("distance"), F.lit("ruled").alias("relation"),
            "method", F.lit("override").alias("basis"), F.lit(None).cast("string").alias("conflicts"),
        ).select(*_stage.EDGE_COLUMNS)
