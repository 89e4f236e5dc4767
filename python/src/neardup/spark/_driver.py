"""What is left after the buckets, where it is little: decided on the driver, by the stages of the same command.

Texts stay where they are: candidates, postings of hot buckets and edges come
to the driver as arrays, and only verification is a job of Spark's.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pyspark.sql import functions as F

from . import _lead, _records, _stage
from ._verify import verify_few

ROWS = 4_000_000  # candidates, hot postings and copies, some 100 bytes each at the most


def chosen(job, docs, found, small, conflicts, told) -> pa.Table:
    """The edge of each duplicate to its leader, and of each variant: columns of EDGES."""
    with job.step("bucket"):
        later, earlier, hot, copies = collected(job, found, small)
    tried = Tried(np.concatenate([later, earlier, _numbers(hot, "place")]))
    later, earlier = tried.new(later, earlier)
    rule = lambda edges: apart(found.ruled, edges)
    if hot.num_rows:  # every round asks for texts of these
        places = job.spark.createDataFrame(pa.table({"place": tried.places}))
        docs = _records.Documents(docs.rows.select("place", "text").join(F.broadcast(places), "place").persist(), docs.raw)
    with job.step("verify"):
        edges = [rule(verify_few(job, docs, later, earlier, conflicts))]
    must = found.ruled.edges(found.recs)
    if must is not None:
        edges.append(must.toArrow().cast(_stage.EDGE_SCHEMA))
    told["candidates"], told["hot_rounds"] = len(later), 0
    if hot.num_rows:
        with job.step("hot buckets"):
            more, told["hot_rounds"] = hot_edges(job, docs, hot, copies, tried, pa.concat_tables(edges), rule, conflicts)
        edges += more
        docs.rows.unpersist()
    edges = pa.concat_tables(edges)
    told["edges"] = edges.num_rows
    best = _stage.lead(edges)
    variants = edges.filter(pc.equal(edges["relation"], "variant")).select(["later", "earlier", "conflicts"])
    if variants.num_rows:
        best = best.drop_columns("conflicts").join(variants, ["later", "earlier"]).select(_stage.EDGE_SCHEMA.names)
    return pa.concat_tables([best, of_copies(edges, best, copies)])


def collected(job, found, small):
    """(later, earlier) of candidates, a table of hot postings, and one of copies (place, first)."""
    if _records.has_large(found.counts):
        pairs, hot = _records.candidates(job, found.met, found.counts, small)
        pairs, copies = pairs.toArrow(), _records.copies_of(found.met).toArrow()
        hot = POSTINGS.empty_table() if hot is None else hot.toArrow().cast(POSTINGS)
    else:
        rows = found.met.toArrow()
        role = rows["role"]
        pairs = rows.filter(pc.is_null(role))
        is_copy = pc.equal(role, _stage.COPY)
        copies = rows.filter(is_copy).select(["later", "earlier"]).rename_columns(["place", "first"])
        hot = rows.filter(pc.invert(is_copy)).select(POSTINGS.names).cast(POSTINGS)
    return _numbers(pairs, "later"), _numbers(pairs, "earlier"), hot, copies


POSTINGS = pa.schema([("key", pa.int64()), ("place", pa.int64()), ("role", pa.string()), ("sketch", pa.int64())])


def _numbers(table, name):
    return np.asarray(table[name].to_numpy())


def apart(ruled, edges):
    """Edges without those of pairs that people have ruled about."""
    pairs = ruled.cannot | ruled.must
    if not pairs or edges.num_rows == 0:
        return edges
    return edges.filter(pa.array([p not in pairs for p in zip(edges["later"].to_pylist(), edges["earlier"].to_pylist())]))


class Tried:
    """Pairs of places that were candidates."""

    def __init__(self, places):
        self.places = np.unique(places)
        self.codes = np.zeros(0, np.int64)

    def new(self, later, earlier):
        """Those of the pairs that are new, each once."""
        n = len(self.places)
        codes = np.unique(np.searchsorted(self.places, later) * n + np.searchsorted(self.places, earlier))
        codes = np.setdiff1d(codes, self.codes, assume_unique=True)
        self.codes = np.union1d(self.codes, codes)
        return self.places[codes // max(n, 1)], self.places[codes % max(n, 1)]


def near(edges):
    edges = edges.filter(pc.not_equal(edges["relation"], "variant"))
    return _numbers(edges, "later"), _numbers(edges, "earlier")


def hot_edges(job, docs, hot, copies, tried, edges, rule, conflicts):
    """_lead.of_hot, for postings that are few: (tables of edges, rounds)."""
    hot = hot.take(pc.sort_indices(hot, [("key", "ascending"), ("place", "ascending")])).append_column("last", pa.array(_last(hot, copies)))
    key, place = _numbers(hot, "key"), _numbers(hot, "place")
    undecided = np.ones(len(key), bool)
    later, earlier = near(edges)
    out, front, rounds = [], _lead.FRONT, 0
    while undecided.any():
        rounds += 1
        first = _front(key, place, undecided, front)
        others = undecided.copy()
        others[first] = False
        waiting = np.unique(place[others])
        found = rule(verify_few(job, docs, *tried.new(*_stage.on_driver(job.worker, "bucket", hot.take(pa.array(first)).to_batches())), conflicts))
        later, earlier = (np.concatenate(x) for x in zip((later, earlier), near(found)))
        ends = np.unique(np.concatenate([later, earlier]))
        duplicates, opened = _stage.settle(np.intersect1d(waiting, ends), later, earlier)
        leaders = np.setdiff1d(place[first], np.concatenate([waiting, duplicates, opened]))
        led = first[np.isin(place[first], leaders)]
        lines = [bytes(_stage._postings(b, "l")) for b in hot.take(pa.array(led)).to_batches() if b.num_rows]
        members = hot.filter(pa.array(np.isin(key, key[led]) & ~np.isin(place, leaders)))
        met = _stage.on_driver(job.worker, "meet", members.to_batches(), before=lines) if lines else (leaders[:0], leaders[:0])
        taken = rule(verify_few(job, docs, *tried.new(*met), conflicts))
        out += [found, taken]
        of, to = near(taken)
        # A leader that came later than a member is no reason to remove the leader.
        gone = np.union1d(duplicates, of[np.isin(to, leaders)])
        alive = ~(np.isin(later, gone) | np.isin(earlier, gone))
        later, earlier = later[alive], earlier[alive]
        undecided &= ~(np.isin(place, gone) | np.isin(place, leaders))
        front = min(2 * front, _lead.LARGEST_FRONT)
    return out, rounds


def _last(hot, copies):
    """Of each posting, sorted by key and place, the place of the last copy of its text, or 0."""
    place = _numbers(hot.sort_by([("key", "ascending"), ("place", "ascending")]), "place")
    first, copy = _numbers(copies, "first"), _numbers(copies, "place")
    order = np.lexsort((copy, first))
    first, copy = first[order], copy[order]
    end = np.searchsorted(first, place, "right") - 1
    if not len(first):
        return np.zeros(len(place), np.int64)
    return np.where((end >= 0) & (first[end] == place), copy[end], 0)


def _front(key, place, undecided, front):
    """The rows of the first undecided texts of each bucket; of many buckets, of the first texts of all."""
    rows = np.flatnonzero(undecided)
    k, p = key[rows], place[rows]
    new_key = np.diff(k, prepend=k[0] - 1) != 0
    text = np.cumsum(new_key | (np.diff(p, prepend=p[0] - 1) != 0))  # a text may stand twice under a key
    rank = text - np.repeat(text[new_key], np.diff(np.flatnonzero(new_key), append=len(k)))
    rows = rows[rank < front]
    if len(rows) > _lead.FRONT_ROWS:
        end = np.partition(place[rows], _lead.FRONT_ROWS)[_lead.FRONT_ROWS]
        rows = rows[place[rows] <= end]
    return rows


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
