"""What is left after the buckets, where it is little: decided on the driver, as _cluster does it where it is more.

Texts stay where they are: candidates, postings of hot buckets, copies and edges come to the driver as arrays;
verification, and hot buckets, are a job of Spark's each.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pyspark.sql import functions as F

from . import _components, _stage
from ._job import FEW
from ._verify import EDGES, verify_few

ROWS = 4_000_000  # candidates, hot postings and copies, up to 300 bytes each (a candidate 100, a copy 200, a near pair that decides 300)


class Rows:
    """The steps of _decide.chosen over arrays and tables."""

    def __init__(self, job, docs, found, conflicts):
        self.job, self.docs, self.found, self.conflicts = job, docs, found, conflicts

    def collected(self):
        """((later, earlier) of candidates, how many, labels of hot texts or None, a table of copies)."""
        role = F.col("role")
        kind = F.when(role.isNull(), 0).when(role == _stage.COPY, 1).otherwise(2)
        rows = self.found.met.select(F.coalesce("later", "key").alias("a"), F.coalesce("earlier", "place").alias("b"), kind.cast("byte").alias("kind")).toArrow()
        a, b, kind = (_numbers(rows, name) for name in rows.column_names)
        del rows
        copies = pa.table({"place": a[kind == 1], "first": b[kind == 1]})
        hot = kind == 2
        labels = _components.labelled(*_components.stars(a[hot], b[hot])) if hot.any() else None
        pairs = once(a[kind == 0], b[kind == 0])
        return pairs, len(pairs[0]), labels, copies

    def across(self, pairs, hot):
        """Candidates but those of one component, which is decided whole."""
        later, earlier = (label_of(hot, ends) for ends in pairs)
        out = np.where(pairs[1] < 0, later < 0, (later < 0) | (later != earlier))  # what is decided whole finds what is like it in an index itself
        return pairs[0][out], pairs[1][out]

    def verified(self, pairs, copies):
        """(the edges of candidates, as people have ruled; late ones, from a text to what came after it and before its last copy).

        The late ones are of that copy: which of two is the leader may matter, where one says more.
        """
        (later, earlier), (first, last) = pairs, last_of(copies)
        copy = label_of((first, last), earlier)
        turned = copy > later
        pairs = once(np.concatenate([later, copy[turned]]), np.concatenate([earlier, later[turned]]))
        edges = self.found.ruled.apply_to_table(verify_few(self.job, self.docs, *pairs, self.conflicts))
        by_last = np.argsort(last)
        text = label_of((last[by_last], first[by_last]), _numbers(edges, "later"))
        late = edges.filter(pa.array(text >= 0))
        late = near(late.set_column(0, "later", pa.array(text[text >= 0])))
        edges, must = edges.filter(pa.array(text < 0)), self.found.ruled.edges(self.found.recs.rows)
        return edges if must is None else pa.concat_tables([edges, _table(must)]), late

    def components(self, edges, late, hot):
        """(places and labels of the components that have hot texts, edges)."""
        if hot is None:
            return None, edges
        later, earlier = (_numbers(pa.concat_tables([edges, late]), name) for name in ("later", "earlier"))
        ends = (np.concatenate([a, b]) for a, b in zip(hot, (later, np.where(earlier < 0, later, earlier))))  # a document of an index links nothing
        places, label = _components.labelled(*ends)
        own = np.isin(label, label_of((places, label), np.unique(hot[1])))
        return (places[own], label[own]), edges

    def decided(self, members, edges, copies):
        """(the edges that decide these components, other edges, other copies, (documents of these components, and of the largest))."""
        own = label_of(members, _numbers(copies, "first"))
        place, label = (np.concatenate([m, c[own >= 0]]) for m, c in zip(members, (_numbers(copies, "place"), own)))
        need = self.job.spark.createDataFrame(pa.table({"place": place, "label": label}))
        whole = _table(_components.decided(self.job, self.docs, need, len(place) < FEW, self.found.ruled, self.conflicts))
        others = edges.filter(pa.array(label_of(members, _numbers(edges, "later")) < 0))
        return whole, others, copies.filter(pa.array(own < 0)), (len(place), int(np.unique(label, return_counts=True)[1].max()))

    def lead(self, edges):
        """The edge of each duplicate to its leader, and of each variant."""
        best = self._lead(edges)
        variants = edges.filter(pc.invert(_near(edges))).select(["later", "earlier", "conflicts"])
        return best.drop_columns("conflicts").join(variants, ["later", "earlier"]).select(_stage.EDGE_COLUMNS) if variants.num_rows else best

    def _lead(self, edges):
        edges = edges.sort_by([("later", "ascending"), ("earlier", "ascending")])
        rows = self.job.spark.createDataFrame(edges.combine_chunks()).coalesce(1)
        return _table(self.job.stage(rows, _stage.lead()))

    def of_copies(self, late, best, copies):
        """The edges of copies: to the document they equal if that leads, else to the best leader before them."""
        place, first = _numbers(copies, "place"), _numbers(copies, "first")
        removed = np.unique(_numbers(near(best), "later"))
        lost = np.isin(first, removed)
        n = int((~lost).sum())
        equal = pa.table(
            [pa.array(place[~lost]), pa.array(first[~lost]), pa.repeat(1.0, n), pa.nulls(n, pa.float64()), pa.nulls(n, pa.int32()), pa.repeat("copy", n), pa.nulls(n, pa.string()),
             pa.repeat("equal text", n), pa.nulls(n, pa.string())], schema=EDGES)
        if not lost.any():
            return equal
        # The leader that the text has, or one that came after it and before the copy.
        texts = np.unique(first[lost])
        own = best.filter(pa.array(np.isin(_numbers(best, "later"), texts)))
        late = late.filter(pa.array(np.isin(_numbers(late, "later"), texts) & ~np.isin(_numbers(late, "earlier"), removed)))
        both = pa.concat_tables([own, late]).rename_columns(["first", "leader", *_stage.EDGE_COLUMNS[2:]])
        rows = pa.table({"place": place[lost], "first": first[lost]}).join(both, "first", join_type="inner")
        rows = rows.filter(pc.less(rows["leader"], rows["place"])).select(["place", "leader", *_stage.EDGE_COLUMNS[2:]])
        return pa.concat_tables([equal, self._lead(rows.rename_columns(_stage.EDGE_COLUMNS))])

    def count(self, edges):
        return edges.num_rows

    def with_ids(self, parts):
        """(a frame of all parts with the ids of leaders as the column other, whether it is small)."""
        table = pa.concat_tables(parts)
        places = np.unique(_numbers(table, "earlier"))
        rows = lambda some: self.job.spark.createDataFrame(pa.table({"place": some}))
        ids = self.found.recs.join(rows(places[places >= 0]), few=len(places) < FEW).select("place", "id")
        if self.job.index:
            ids = ids.unionByName(self.job.index.names(self.job, rows(places[places < 0])))
        ids = ids.toArrow().sort_by("place")
        at = np.searchsorted(_numbers(ids, "place"), _numbers(table, "earlier"))
        table = table.append_column("other", ids["id"].take(pa.array(at)))
        return self.job.spark.createDataFrame(table.combine_chunks()), table.num_rows < FEW  # Spark loses rows of columns in unlike chunks


def _numbers(table, name):
    return np.asarray(table[name].to_numpy())


def _table(edges):
    return edges.toArrow().cast(EDGES)


def once(later, earlier):
    """Each of the pairs once, in order."""
    order = np.lexsort((earlier, later))
    later, earlier = later[order], earlier[order]
    new = (np.diff(later, prepend=-1) != 0) | (np.diff(earlier, prepend=-1) != 0)
    return later[new], earlier[new]


def last_of(copies):
    """(texts that have copies, the last copy of each)."""
    first, at = np.unique(_numbers(copies, "first"), return_inverse=True)
    last = np.full(len(first), -1)
    np.maximum.at(last, at, _numbers(copies, "place"))
    return first, last


def label_of(labels, places):
    """Of (places, labels) the label of each of some places, or -1."""
    known, label = labels
    if len(known) == 0:
        return np.full(len(places), -1)
    at = np.minimum(np.searchsorted(known, places), len(known) - 1)
    return np.where(known[at] == places, label[at], -1)


def near(edges):
    return edges.filter(_near(edges))


def _near(edges):
    return pc.invert(pc.is_in(edges["relation"], pa.array(_stage.VARIANTS)))
