"""What is left after the buckets, where it is little: decided on the driver, by the stages of the same command.

Texts stay where they are: candidates, postings of hot buckets and edges come
to the driver as arrays, and only verification is a job of Spark's.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pyspark.sql import functions as F

from . import _lead, _records, _stage
from ._verify import verify_few, verify_meeting

ROWS = 4_000_000  # candidates, hot postings and copies, some 100 bytes each at the most


def chosen(job, docs, found, small, conflicts, told) -> pa.Table:
    """The edge of each duplicate to its leader, and of each variant: columns of EDGES."""
    with job.step("bucket"):
        later, earlier, hot, copies = collected(job, found, small)
    later, earlier = once(later, earlier)
    rule = lambda edges: apart(found.ruled, edges)
    if hot.num_rows:  # every round asks for texts of these
        places = np.unique(np.concatenate([later, earlier, _numbers(hot, "place")]))
        places = job.spark.createDataFrame(pa.table({"place": places}))
        docs = _records.Documents(docs.rows.select("place", "text").join(F.broadcast(places), "place").persist(), docs.raw)
    with job.step("verify"):
        edges = [rule(verify_few(job, docs, later, earlier, conflicts))]
    must = found.ruled.edges(found.recs)
    if must is not None:
        edges.append(must.toArrow().cast(_stage.EDGE_SCHEMA))
    told["candidates"], told["hot_rounds"] = len(later), 0
    if hot.num_rows:
        with job.step("hot buckets"):
            more, told["hot_rounds"] = hot_edges(job, docs, hot, copies, pa.concat_tables(edges), rule, conflicts)
        edges += more
        docs.rows.unpersist()
    edges = _once(pa.concat_tables(edges))  # texts may meet in several rounds
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


def once(later, earlier):
    """Each of the pairs once."""
    pairs = pa.table({"later": later, "earlier": earlier}).group_by(["later", "earlier"]).aggregate([])
    return _numbers(pairs, "later"), _numbers(pairs, "earlier")


def _once(edges):
    """Of edges of the same texts the first."""
    later, earlier = _numbers(edges, "later"), _numbers(edges, "earlier")
    order = np.lexsort((earlier, later))
    new = (np.diff(later[order], prepend=-1) != 0) | (np.diff(earlier[order], prepend=-1) != 0)
    return edges.take(pa.array(np.sort(order[new])))


def near(edges):
    edges = edges.filter(pc.not_equal(edges["relation"], "variant"))
    return _numbers(edges, "later"), _numbers(edges, "earlier")


def hot_edges(job, docs, hot, copies, edges, rule, conflicts):
    """_lead.of_hot, for postings that are few: (tables of edges, rounds)."""
    hot = hot.take(pc.sort_indices(hot, [("key", "ascending"), ("place", "ascending")])).append_column("last", pa.array(_last(hot, copies)))
    key, place = _numbers(hot, "key"), _numbers(hot, "place")
    undecided = np.ones(len(key), bool)
    later, earlier = near(edges)
    out, front, rounds, led_before = [], _lead.FRONT, 0, np.zeros(0, np.int64)
    while undecided.any():
        rounds += 1
        first = _front(key, place, undecided, front)
        others = undecided.copy()
        others[first] = False
        waiting = np.unique(place[others])
        among = hot.take(pa.array(first))
        found = rule(verify_meeting(job, docs, among, without_copies(among), conflicts))
        later, earlier = once(*(np.concatenate(x) for x in zip((later, earlier), near(found))))  # some have met before
        ends = np.unique(np.concatenate([later, earlier]))
        duplicates, opened = _stage.settle(np.intersect1d(waiting, ends), later, earlier)
        leaders = np.setdiff1d(place[first], np.concatenate([waiting, duplicates, opened]))
        led = first[np.isin(place[first], leaders)]
        # Those of rounds before have met all members of their buckets, and so these.
        led_before = np.union1d(led_before, leaders)
        members = hot.filter(pa.array(np.isin(key, key[led]) & ~np.isin(place, led_before)))
        taken = rule(verify_meeting(job, docs, hot.take(pa.array(led)), members, conflicts))
        out += [found, taken]
        of, to = near(taken)
        # A leader that came later than a member is no reason to remove the leader.
        gone = np.union1d(duplicates, of[np.isin(to, leaders)])
        alive = ~(np.isin(later, gone) | np.isin(earlier, gone))
        later, earlier = later[alive], earlier[alive]
        undecided &= ~(np.isin(place, gone) | np.isin(place, leaders))
        front = min(2 * front, _lead.LARGEST_FRONT)
    return out, rounds


def without_copies(rows):
    return rows.set_column(rows.column_names.index("last"), "last", pa.array(np.zeros(rows.num_rows, np.int64)))


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
