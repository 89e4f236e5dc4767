"""Finds and cuts repeated parts of documents: the steps of package passage over frames."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Optional, Sequence, Union

from pyspark.sql import DataFrame, Observation, functions as F

from .._command import Error
from . import _stage
from ._columns import MOST, size_of
from ._job import FEW, Job, apart, moved
from ._places import ROW_BITS, ROWS, Placed, placed
from ._records import Documents
from ._small import pinned
from ._verify import texts_of

SPANS = "id string, start long, end long, bytes array<long>, from struct<id: string, start: long, end: long, bytes: array<long>>, cut boolean, stays string"
PACKS = "part long, pack binary"
FOUND = "place long, at long, len long, from_place long, from_at long"
SOURCES = "from_place long, from_at long, rune long, of string"
COUNTS = ("repeated", "cut", "within", "headings", "listed")
# Of a document with repeated parts: state is nothing, cut or out; spans are lines, listed of them; left is its text, or its record, where it is cut.
CUT = "place long, state string, " + "".join(f"{n} long, " for n in COUNTS) + "spans string, left string"


def passages(
    df: DataFrame, *, id: str = "id", text: str = "text", order: Union[None, str, Sequence[str]] = None,
    partitions: Optional[int] = None, max_document: Union[int, str] = MOST, counts: Optional[Dict[str, Any]] = None, **options: object,
) -> DataFrame:
    """Finds parts of documents of df that are repeated: a row for each line that `neardup passages --spans` writes, with its columns and place.

    The spans are those of the command for the same documents in the same order. Options are its flags least, unit, all,
    whole: least="50 words". For id, text, order, partitions and place see dedup. counts, a dict, gets the counts of repeated parts.
    """
    with apart(df) as own:
        job = Job(own.sparkSession, options, partitions, of=("passages",))
        cut = find(job, Documents(placed(own, id, text, [order] if isinstance(order, str) else order, size_of(max_document)), ordered=True), {} if counts is None else counts)
        lines = cut.select("place", F.explode(F.split("spans", "\n")).alias("line")).where("line != ''")
        return moved(lines.select("place", F.from_json("line", SPANS).alias("span")).select("place", "span.*"), df.sparkSession)


def find(job, docs: Documents, counts) -> DataFrame:
    """Columns of CUT for each document with a repeated part, in the partitions of the documents."""
    with job.step("anchors"):
        made = pinned(job.stage(docs.placed.rows, _stage.records(job.parts, docs.raw, stage=("passages", "anchors"))))
        each = made.where("part is null").select("place", "id", "reason", "check")
        job.records = Placed(each, docs.placed.partitions)
        starts = numbers(each)
        parts, more = f"--parts={job.parts}", "place check named {} text"
        stage = lambda verb, reads, makes, *flags, first=None: _stage.Stage(("passages", verb, *flags), reads, makes, first)
    with job.step("matches"):
        again = job.stage(job.by_part(made.where("part is not null").select("part", "pack")), stage("again", "pack", "place long, anchors string"))
        need = again.groupBy("place").agg(F.concat_ws(" ", F.collect_list("anchors")).alias("anchors"))
        contexts = job.stage(texts_of(job, docs, need), stage("contexts", more.format("anchors"), PACKS, parts, *docs.raw, first=starts))
        matches = job.stage(job.by_part(contexts), stage("matches", "pack", PACKS, parts))
        spans, n = job.counted(job.stage(job.by_part(matches), stage("join", "pack", FOUND, first=starts)))
    with job.step("cut"):
        few = n < FEW
        wanted = spans.select(F.col("from_place").alias("place"), "from_at").distinct().groupBy("place").agg(
            F.concat_ws(" ", F.collect_list(F.col("from_at").cast("string"))).alias("offsets"))
        sources = job.stage(texts_of(job, docs, wanted, few), stage("sources", more.format("offsets"), SOURCES, *docs.raw))
        span = F.struct("at", "len", "of", F.col("from_at").alias("byte"), "rune")
        found = spans.join(sources, ["from_place", "from_at"]).groupBy("place").agg(F.to_json(F.sort_array(F.collect_list(span))).alias("found"))
        cut = pinned(job.stage(texts_of(job, docs, found, few), stage("cut", more.format("found"), CUT, *docs.raw)))
        sums = cut.agg(*[F.sum(n).alias(n) for n in COUNTS], F.count_if(F.col("state") == "cut").alias("changed"), F.count_if(F.col("state") == "out").alias("dropped")).first()
    counts.update({n: v or 0 for n, v in sums.asDict().items()})
    return cut


def numbers(each: DataFrame):
    """The number of the first document of each piece, if all documents are numbered in order."""
    most = each.groupBy(F.shiftright("place", ROW_BITS).alias("piece")).agg((F.max(F.col("place").bitwiseAND(ROWS)) + 1).alias("rows")).collect()
    rows = [0] * (max((r.piece for r in most), default=0) + 2)
    for r in most:
        rows[r.piece + 1] = r.rows
    starts = list(itertools.accumulate(rows))
    if starts[-1] > 1 << 32:
        raise Error("more than 2^32 documents")
    return _stage.numbers(starts)


def write(job, spec, source, out, summary):
    """Writes the output of `neardup spark passages`: spans, and if texts can be replaced, the documents without what was cut."""
    counts = {}
    cut = find(job, source.documents, counts)
    source.check(job, spec["input"])
    in_order = (lambda rows: rows) if source.documents.ordered else (lambda rows: rows.orderBy("place"))
    compression = spec.get("compression") or "none"
    names = ["spans"]
    with job.step("spans"):
        lines = in_order(cut.where("spans != ''")).select(F.col("spans").alias("value"))
        lines.write.option("compression", compression).text(out.path("spans"))
    known = job.records.rows
    total = known.where("reason is null").agg(F.count(F.lit(1)).alias("documents"), F.coalesce(F.bit_xor("check"), F.lit(0)).alias("checks")).first()
    if source.format != "parquet":
        names.append("clean")
        clean(job, source, cut, in_order, total, out, compression)
    if source.ranks:
        for name in names:
            out.arrange(name, source.ranks)
    summary.update(
        documents=total.documents, repeatedBytes=counts["repeated"], cutBytes=counts["cut"], keptWithinBytes=counts["within"],
        keptHeadingBytes=counts["headings"], spans=counts["listed"], changed=counts["changed"], dropped=counts["dropped"])


def clean(job, source, cut, in_order, total, out, compression):
    """Writes what is left of the documents."""
    written = Observation()
    changes = cut.where("state != ''").select("place", "state", "left")
    bad = job.records.where("reason is not null").rows.select("place", F.lit("rejected").alias("state"), F.lit("").alias("left"))
    changes = changes.unionByName(bad)

    def left(rows):
        joined = rows.join(changes, "left").where("coalesce(state, '') != 'rejected'")
        checks = F.coalesce(F.bit_xor(F.xxhash64("text")), F.lit(0)).alias("checks")
        seen = in_order(joined).observe(written, F.count(F.lit(1)).alias("documents"), checks).where("coalesce(state, '') != 'out'")
        return seen.withColumn("text", F.when(F.col("state") == "cut", F.col("left")).otherwise(F.col("text")))

    with job.step("clean"):
        source.kept(left).write.option("compression", compression).text(out.path("clean"))
    if (written.get["documents"], written.get["checks"]) != (total.documents, total.checks):
        raise Error(f"of {total.documents} texts {written.get['documents']} were there again, or other texts: the input has changed meanwhile")
