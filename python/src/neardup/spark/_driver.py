"""What is left after the buckets, where it is little: decided on the driver, by the stages of the same command.

Texts stay where they are: candidates, postings of hot buckets and edges come
to the driver as arrays; verification, and hot buckets, are a job of Spark's each.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pyspark.sql import functions as F

from . import _hot, _stage
from ._verify import verify_few

ROWS = 4_000_000  # candidates, hot postings and copies, some 100 bytes each at the most


def chosen(job, docs, found, conflicts, told) -> pa.Table:
    """The edge of each duplicate to its leader, and of each variant: columns of EDGES."""
    with job.step("bucket"):
        later, earlier, hot, copies = collected(found)
    later, earlier = once(later, earlier)
    told["candidates"], told["hot_rounds"] = len(later), 0
    if hot is not None:  # what is in one component already is decided there
        out = ~hot.within(later, earlier)
        later, earlier = later[out], earlier[out]
    with job.step("verify"):
        edges = apart(found.ruled, verify_few(job, docs, later, earlier, conflicts))
    must = found.ruled.edges(found.recs)
    if must is not None:
        edges = pa.concat_tables([edges, must.toArrow().cast(_stage.EDGE_SCHEMA)])
    whole = _stage.EDGE_SCHEMA.empty_table()
    if hot is not None:
        hot.join(_numbers(edges, "later"), _numbers(edges, "earlier"))
        edges = edges.filter(pa.array(~hot.has(_numbers(edges, "later"))))
        of_hot = pa.array(hot.has(_numbers(copies, "first")))
        with job.step("hot buckets"):
            whole = _hot.decided(job, docs, hot, copies.filter(of_hot), found.ruled, conflicts)
        copies, told["hot_rounds"] = copies.filter(pc.invert(of_hot)), 1
    told["edges"] = edges.num_rows + whole.num_rows
    best = _stage.lead(edges)
    variants = edges.filter(pc.equal(edges["relation"], "variant")).select(["later", "earlier", "conflicts"])
    if variants.num_rows:
        best = best.drop_columns("conflicts").join(variants, ["later", "earlier"]).select(_stage.EDGE_SCHEMA.names)
    return pa.concat_tables([best, of_copies(edges, best, copies), whole])


def collected(found):
    """(later, earlier) of candidates, hot buckets or None, and a table of copies (place, first)."""
    rows = found.met.toArrow()
    role = rows["role"]
    pairs = rows.filter(pc.is_null(role))
    is_copy = pc.equal(role, _stage.COPY)
    copies = rows.filter(is_copy).select(["later", "earlier"]).rename_columns(["place", "first"])
    hot = rows.filter(pc.invert(is_copy))
    hot = _hot.Hot(_numbers(hot, "key"), _numbers(hot, "place")) if hot.num_rows else None
    return _numbers(pairs, "later"), _numbers(pairs, "earlier"), hot, copies


def _numbers(table, name):
    return np.asarray(table[name].to_numpy())


def apart(ruled, edges):
    """Edges without those of pairs that people have ruled about."""
    pairs = ruled.cannot | ruled.must
    if not pairs or edges.num_rows == 0:
        return edges
    return edges.filter(pa.array([p not in pairs for p in zip(edges["later"].to_pylist(), edges["earlier"].to_pylist())]))


def once(later, earlier):
    """Each of the pairs once."""
    pairs = pa.table({"later": later, "earlier": earlier}).group_by(["later", "earlier"]).aggregate([])
    return _numbers(pairs, "later"), _numbers(pairs, "earlier")


def near(edges):
    edges = edges.filter(pc.not_equal(edges["relation"], "variant"))
    return _numbers(edges, "later"), _numbers(edges, "earlier")


def of_copies(edges, best, copies):
    """The edges of copies: to the document they equal if that leads, else to the best leader before them."""
    place, first = _numbers(copies, "place"), _numbers(copies, "first")
    removed = np.unique(near(best)[0])
    lost = np.isin(first, removed)
    n = int((~lost).sum())
    equal = pa.table(
        [pa.array(place[~lost]), pa.array(first[~lost]), pa.repeat(1.0, n), pa.nulls(n, pa.int32()), pa.repeat("copy", n), pa.nulls(n, pa.string()),
         pa.repeat("equal text", n), pa.nulls(n, pa.string())], schema=_stage.EDGE_SCHEMA)
    if not lost.any():
        return equal
    # The leader that the text has, or one that came after it and before the copy.
    texts = np.unique(first[lost])
    own = best.filter(pa.array(np.isin(_numbers(best, "later"), texts)))
    late = edges.filter(pa.array((np.asarray(edges["relation"]) != "variant") & np.isin(_numbers(edges, "earlier"), texts) & ~np.isin(_numbers(edges, "later"), removed)))
    ends = ["later", "earlier"]
    own = own.rename_columns(["first", "leader", *own.column_names[2:]])
    late = late.rename_columns(["leader", "first", *late.column_names[2:]]).select(own.column_names)
    rows = pa.table({"place": place[lost], "first": first[lost]}).join(pa.concat_tables([own, late]), "first", join_type="inner")
    rows = rows.filter(pc.less(rows["leader"], rows["place"])).drop_columns("first").select(["place", "leader", *_stage.EDGE_SCHEMA.names[2:]])
    return pa.concat_tables([equal, _stage.lead(rows.rename_columns([*ends, *_stage.EDGE_SCHEMA.names[2:]]))])


def with_ids(recs, table):
    """With the ids of leaders, as the column other."""
    leaders = pa.table({"place": np.unique(_numbers(table, "earlier"))})
    ids = recs.select("place", "id").join(F.broadcast(recs.sparkSession.createDataFrame(leaders)), "place").toArrow()
    ids = ids.sort_by("place")
    at = np.searchsorted(_numbers(ids, "place"), _numbers(table, "earlier"))
    return table.append_column("other", ids["id"].take(pa.array(at)))
