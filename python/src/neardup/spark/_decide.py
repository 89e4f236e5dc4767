"""Decides on documents, and lists pairs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Dict, Optional, Sequence, Union

import pyarrow as pa
from pyspark.sql import DataFrame, functions as F

from .. import _command
from . import _components, _index, _records, _small, _stage
from ._columns import MOST, numbered_by_us, size_of
from ._job import FEW, Job, apart, moved
from ._places import Placed, placed, refuse_tables, session_of
from ._small import DECISIONS, connect
from ._verify import verify

PAIRS = "id_a string, id_b string, similarity double, distance int, relation string, basis string, place_a long, place_b long"

RAW = 6  # bytes of a record to one of its text, at most: \u0001
BESIDE = 1 << 20  # bytes of a record besides its text
NOTED = 20_000  # a larger component gets a warning with its number of documents


def dedup(
    df: DataFrame, *, against: Union[None, str, os.PathLike] = None, id: str = "id", text: str = "text", method: Optional[str] = None,
    threshold: Optional[float] = None, order: Union[None, str, Sequence[str]] = None, overrides: Optional[str] = None, conflicts: bool = True, partitions: Optional[int] = None,
    max_document: Union[int, str] = MOST, one_task: int = _small.ROWS, small: int = _records.SMALL, counts: Optional[Dict[str, Any]] = None, **options: object,
) -> DataFrame:
    """Decides for each row whether it is new or a near-duplicate of a kept row.

    The result has a row for each row of df, with the columns of DECISIONS: place, id,
    decision ("new" or "duplicate"), leader (an id) with similarity, distance, method and
    basis, and for a new document variant_of and conflicts (JSON). Decisions are those of
    `neardup dedup` for the same documents in the same order, to the last bit.

    against is the folder of an index (neardup index), on every machine or in HDFS: its documents come before all others, and its method is
    used. method is auto unless the index or the caller sets another. overrides is the path of a file of rulings. A method may have settings:
    method="minhash shingle=words:3".

    id, text and order may be columns of structs (doc.text). A row without an id has its place as its id. The order is that
    of the rows of df, or of the columns that order= names, ties by id. place is a column of df if neardup.spark.numbered made df.
    A text longer than max_document is an error.

    Up to one_task documents of 2 KB on average are decided by one task, when this is called. The result holds its decisions, and no action
    decides again. More are decided by the stages of a cluster: these run when this is called, and records and decisions
    are joined each time the result is used, so cache a result that is used often. Decisions are the same either way. counts, a dict, gets the counts of the steps.
    """
    if against is not None and overrides:
        raise TypeError("overrides= cannot be combined with against=")
    spark, counts, most = session_of(df), {} if counts is None else counts, size_of(max_document)
    order = [order] if isinstance(order, str) else list(order or ())
    if numbered_by_us(df) and order:
        raise TypeError("order= is of no use here: the frame has places of numbered(). Pass order= to numbered()")
    options = {"method": method, "threshold": threshold, **options}
    flags, index = _command.flags(options), None
    if against is not None and not connect(spark):
        index = _index.Index(spark, against, flags)
    contract = _stage.once(["contract", *(index.method if index else flags)])
    if against is None or index:
        counts["method"] = contract.rstrip("\n").split(" ", 2)[2]  # after the protocol and the cleaning
    refuse_tables(df)
    pictures = counts.get("method", "").startswith("images/")  # the command reads pictures only from their files
    if pictures or index and index.remote or not _small.fits(df, text, one_task):
        with apart(df) as own:
            job = Job(own.sparkSession, options, partitions, against=against)
            docs = _records.Documents(placed(own, id, text, order, most), ordered=True)
            return moved(decide(job, docs, overrides, conflicts, small, counts).decisions.drop("check"), spark)
    flags.append(f"--max-document={RAW * most + BESIDE}")
    if against is not None:
        flags.append("--against=" + (index.folder if index else os.fspath(against)))
    if overrides:
        flags.append("--overrides=" + os.path.abspath(overrides))
        rulings, name = _stage.rulings(overrides)
        counts["method"] += f" overrides={name}" if rulings else ""
    found = _small.decided(df, id, text, order, most, flags)
    return found if conflicts else found.withColumn("conflicts", F.lit(None).cast("string"))


@dataclass
class Decided:
    """decisions: columns of DECISIONS, and check, in the order of the documents. removed: the places of duplicates and rejects, few or not."""

    decisions: DataFrame
    removed: DataFrame
    few: bool

    def kept(self, rows: Placed) -> DataFrame:
        return rows.join(self.removed, "left_anti", self.few)


def decide(job, docs, overrides=None, conflicts=True, small=_records.SMALL, counts=None) -> Decided:
    """dedup for _records.Documents."""
    found = Found(job, docs, overrides, small)
    counts = {} if counts is None else counts
    with job.step("components"):
        members = _components.Members(job, docs, found)
    if members.largest > NOTED:
        job.note(f"{members.largest:,} documents may be near each other in one chain: one task decides them, as `neardup dedup` does")
    with job.step("decide"):
        chosen, n = members.decided(docs, found, overrides and os.path.abspath(overrides), conflicts)
    counts.update(method=found.method, overrides=found.ruled, candidates=found.counts.get(None, 0), in_components=members.documents, largest_component=members.largest)
    removed = chosen.where("decision = 'duplicate'").select("place")
    if docs.raw:
        removed = removed.unionByName(job.records.where("reason is not null").rows.select("place"))
    return Decided(decisions(found.recs, chosen, n < FEW), removed, n < FEW)


class Found:
    """The first results of both dedup and pairs: records, texts that met in buckets, rulings."""

    def __init__(self, job, docs, overrides, small):
        self.job, self.method = job, job.method
        rulings = {}
        if overrides:
            rulings, name = _stage.rulings(overrides)
            self.method += f" overrides={name}" if rulings else ""
        with job.step("records"):
            self.made = _records.records(job, docs, [f"--overrides={os.path.abspath(overrides)}"] if overrides else [])
        self.recs = job.records.where("reason is null") if docs.raw else job.records
        named = _records.named_documents(self.recs.rows, rulings)
        self.ruled = sum(a in named and b in named for a, b in rulings)
        self.must, self.cannot = ([tuple(sorted((x, y), reverse=True)) for (a, b), link in rulings.items() if link == kind for x in named.get(a, ()) for y in named.get(b, ()) if x != y]
                                  for kind in ("must", "cannot"))  # (later, earlier)
        with job.step("bucket"):
            self.met, _ = job.counted(_records.met(job, self.made, small))
            self.counts = dict(map(tuple, self.met.groupBy("role").count().collect()))

    def pairs_of(self, pairs):
        return F.broadcast(self.job.spark.createDataFrame(pa.table(list(map(list, zip(*sorted(set(pairs))))), ["later", "earlier"])))

    def ruled_edges(self, edges):
        """Edges as people have ruled."""
        if self.must or self.cannot:
            edges = edges.join(self.pairs_of(self.must + self.cannot), ["later", "earlier"], "left_anti")
        if self.must:
            values = {"similarity": F.lit(1.0), "relation": F.lit("duplicate"), "basis": F.lit("override")}
            edges = edges.unionByName(self.pairs_of(self.must).select("*", *[v.alias(name) for name, v in values.items()]), allowMissingColumns=True)
        return edges


def decisions(recs: Placed, chosen: DataFrame, few) -> DataFrame:
    """A row for each document."""
    rows = recs.join(chosen.withColumnRenamed("method", "own"), "left", few)
    return rows.select(
        "place", "id", F.coalesce("decision", F.lit("new")).alias("decision"), "leader", "similarity", "distance", F.coalesce("own", "route").alias("method"),
        F.coalesce("basis", F.when(F.col("blank"), "no text")).alias("basis"), "variant_of", "conflicts", "check")


def pairs(
    df: DataFrame, *, id: str = "id", text: str = "text", method: str = "auto", threshold: Optional[float] = None,
    order: Union[None, str, Sequence[str]] = None, overrides: Optional[str] = None, variants: bool = False,
    partitions: Optional[int] = None, max_document: Union[int, str] = MOST, **options: object,
) -> DataFrame:
    """Every verified pair of near documents, as `neardup pairs --exact` lists them: columns of PAIRS.

    n documents of one text give n*(n-1)/2 pairs, as on one machine. variants=True lists
    variants too. For the rest see dedup.
    """
    with apart(df) as own:
        job = Job(own.sparkSession, {"method": method, "threshold": threshold, **options}, partitions)
        return moved(list_pairs(job, _records.Documents(placed(own, id, text, [order] if isinstance(order, str) else order, size_of(max_document)), ordered=True), overrides, variants), df.sparkSession)


def list_pairs(job, docs, overrides=None, variants=False) -> DataFrame:
    """pairs for _records.Documents."""
    found = Found(job, docs, overrides, 0)
    with job.step("bucket"):
        candidates, count = job.counted(found.met.where("role is null").select("later", "earlier").distinct())
    with job.step("verify"):
        edges = found.ruled_edges(verify(job, docs, candidates, count))
        if not variants:
            edges = edges.where(_stage.NEAR)
        edges = _small.pinned(edges)
    return of_documents(found.recs.rows, edges, _records.copies_of(found.met))


def of_documents(recs, edges, copies):
    """Pairs of documents from edges of texts, and those of equal documents."""
    firsts = copies.select("first").distinct().select("first", F.col("first").alias("place"))
    equals = firsts.unionByName(copies.select("first", "place"))
    columns = ["similarity", "distance", "relation", "basis"]
    def members(rows, end):
        """Replaces the first document of a text by each document of it."""
        other = equals.select(F.col("first").alias(end), F.col("place").alias("member"))
        return rows.join(other, end, "left").withColumn(end, F.coalesce("member", F.col(end))).drop("member")

    cross = members(members(edges.select("later", "earlier", *columns), "later"), "earlier")
    a, b = equals.withColumnRenamed("place", "earlier"), equals.withColumnRenamed("place", "later")
    same = a.join(b, "first").where("earlier < later").select(
        "later", "earlier", F.lit(1.0).alias("similarity"), F.lit(None).cast("int").alias("distance"), F.lit("duplicate").alias("relation"), F.lit("equal text").alias("basis"))
    rows = cross.unionByName(same).select(F.least("later", "earlier").alias("place_a"), F.greatest("later", "earlier").alias("place_b"), *columns)
    ids = recs.select("place", "id")
    for end in ("a", "b"):
        rows = rows.join(ids.select(F.col("place").alias(f"place_{end}"), F.col("id").alias(f"id_{end}")), f"place_{end}")
    return rows.select("id_a", "id_b", *columns, "place_a", "place_b")
