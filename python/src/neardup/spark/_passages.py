"""Documents to what is repeated in them, and to what is left: the steps of package passage over frames."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Union

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, Observation, functions as F

from .._command import Error
from . import _lines, _packs
from ._job import FEW, Job
from ._places import ROW_BITS, ROWS, Placed, classic, placed
from ._records import Documents
from ._stage import columns, filled

SPANS = "id string, start long, end long, bytes array<long>, from struct<id: string, start: long, end: long, bytes: array<long>>, cut boolean, stays string"
PACKS = "part int, pack binary"
AGAIN = "place long, anchors string"
FOUND = "place long, at long, len long, from_place long, from_at long"
SOURCES = "from_place long, from_at long, rune long, of string"
COUNTS = ("repeated", "cut", "within", "headings", "listed")
# Of a document with repeated parts: state is nothing, cut or out; spans are lines, listed of them; left is its text, or its record, where it is cut.
CUT = "place long, state string, " + "".join(f"{n} long, " for n in COUNTS) + "spans string, left string"


def passages(
    df: DataFrame, *, id: str = "id", text: str = "text", order: Union[None, str, Sequence[str]] = None,
    partitions: Optional[int] = None, counts: Optional[Dict[str, Any]] = None, **options: object,
) -> DataFrame:
    """What is repeated inside the documents of df: a row for each line that `neardup passages --spans` writes, its columns and place.

    The spans are those of the command for the same documents in the same order. Options are its flags least, unit, all,
    whole: least="50 words". For id, text, order, partitions and place see dedup. counts, a dict, is told what was found.
    """
    job = Job(classic(df), options, partitions, of=("passages",))
    with job.settings():
        cut = find(job, Documents(placed(df, id, text, order), ordered=True), {} if counts is None else counts)
        job.release(but=(cut,))
        lines = cut.select("place", F.explode(F.split("spans", "\n")).alias("line")).where("line != ''")
        return lines.select("place", F.from_json("line", SPANS).alias("span")).select("place", "span.*")


def find(job, docs: Documents, counts) -> DataFrame:
    """Columns of CUT, of each document of which a part is repeated; they lie as documents do."""
    with job.step("anchors"):
        made = job.keep(job.stage(docs.placed.rows, _packs.records(job.worker, job.labels, docs.raw, stage=("passages", "anchors")), _packs.RECORDS))
        each = made.where("part is null").select("place", "id", "reason", "check")
        job.records = Placed(each, docs.placed.partitions)
        starts = numbers(each)
    with job.step("matches"):
        again = job.stage(job.by_part(made.where("part is not null").select("part", "pack")), _again(job.worker), AGAIN)
        need = again.groupBy("place").agg(F.concat_ws(" ", F.collect_list("anchors")).alias("anchors"))
        contexts = job.stage(texts_of(job, docs, need), _contexts(job.worker, docs.raw, job.labels, starts), PACKS)
        matches = job.stage(job.by_part(contexts), _matches(job.worker, job.labels), PACKS)
        spans, n = job.counted(job.stage(job.by_part(matches), _joined(job.worker, starts), FOUND))
    with job.step("cut"):
        few = n < FEW
        wanted = spans.select(F.col("from_place").alias("place"), "from_at").distinct().groupBy("place").agg(
            F.concat_ws(" ", F.collect_list(F.col("from_at").cast("string"))).alias("offsets"))
        sources = job.stage(texts_of(job, docs, wanted, few), _sources(job.worker, docs.raw), SOURCES)
        span = F.struct("at", "len", "of", F.col("from_at").alias("byte"), "rune")
        own = spans.join(sources, ["from_place", "from_at"]).groupBy("place").agg(F.to_json(F.sort_array(F.collect_list(span))).alias("found"))
        cut = job.keep(job.stage(texts_of(job, docs, own, few), _cut(job.worker, docs.raw), CUT))
        sums = cut.agg(*[F.sum(n).alias(n) for n in COUNTS], F.count_if(F.col("state") == "cut").alias("changed"), F.count_if(F.col("state") == "out").alias("dropped")).first()
    counts.update({n: v or 0 for n, v in sums.asDict().items()})
    return cut


def numbers(each: DataFrame):
    """Of each piece the number of its first document, where all are numbered in order."""
    most = each.groupBy(F.shiftright("place", ROW_BITS).alias("piece")).agg((F.max(F.col("place").bitwiseAND(ROWS)) + 1).alias("rows")).collect()
    rows = np.zeros(max((r.piece for r in most), default=0) + 2, np.int64)
    for r in most:
        rows[r.piece + 1] = r.rows
    starts = np.cumsum(rows)
    if starts[-1] > 1 << 32:
        raise Error("more than 2^32 documents")
    return starts


def texts_of(job, docs, need: DataFrame, few=False) -> DataFrame:
    """need, (place, ...), with check, id and text of each."""
    known = job.records.join(need, few=few).select(*need.columns, "check", F.col("id").alias("named"))
    return docs.placed.join(known, few=few)


def _documents(raw, parts, first, second):
    """Lines of documents with two fields that a stage needs, each a function of a batch or the name of a column."""
    for b in filled(parts):
        place, check, text = columns(b, "place", "check", "text")
        fields = (columns(b, f)[0] if isinstance(f, str) else f(b) for f in (first, second))
        yield _lines.join(place, _lines.hexed(check), *fields, text if raw else _lines.escape(text))


def _id(b):
    return _lines.escape(*columns(b, "named"))


def _packs_of(lines, labels):
    part, pack = _lines.parse(lines, part=pa.int64(), pack=pa.string()).to_batches()[0].columns
    return pa.RecordBatch.from_arrays([*_packs.unpacked(pc.is_valid(pack), part, pack, labels)], ["part", "pack"])


def _packed(parts):
    return (_packs.packed(b"", *columns(b, "pack")) for b in filled(parts))


def _again(worker):
    parse = lambda lines: _lines.parse(lines, place=pa.int64(), anchors=pa.string()).to_batches()[0]
    return lambda parts: worker.run(_packed(parts), parse, "passages", "again")


def _contexts(worker, raw, labels, starts):
    def number(b):
        at = _lines.values(*columns(b, "place"))
        return _lines.column(starts[at >> ROW_BITS] + (at & ROWS))

    feed = lambda parts: _documents(raw, parts, number, "anchors")
    return lambda parts: worker.run(feed(parts), lambda lines: _packs_of(lines, labels), "passages", "contexts", f"--parts={len(labels)}", *raw)


def _matches(worker, labels):
    return lambda parts: worker.run(_packed(parts), lambda lines: _packs_of(lines, labels), "passages", "matches", f"--parts={len(labels)}")


def _joined(worker, starts):
    def place(number):
        at = _lines.values(number)
        piece = np.searchsorted(starts, at, side="right") - 1
        return _lines.column((piece << ROW_BITS) + at - starts[piece])

    def parse(lines):
        n = pa.int64()
        of, at, size, other, begin = _lines.parse(lines, of=n, at=n, len=n, other=n, begin=n).to_batches()[0].columns
        return pa.RecordBatch.from_arrays([place(of), at, size, place(other), begin], ["place", "at", "len", "from_place", "from_at"])

    return lambda parts: worker.run(_packed(parts), parse, "passages", "join")


def _sources(worker, raw):
    def parse(lines):
        n = pa.int64()
        place, at, rune, of = _lines.parse(lines, place=n, at=n, rune=n, of=pa.string()).to_batches()[0].columns
        return pa.RecordBatch.from_arrays([place, at, rune, _lines.unescape(of)], ["from_place", "from_at", "rune", "of"])

    return lambda parts: worker.run(_documents(raw, parts, _id, "offsets"), parse, "passages", "sources", *raw)


def _cut(worker, raw):
    def parse(lines):
        types = {"place": pa.int64(), "state": pa.string(), **dict.fromkeys(COUNTS, pa.int64()), "spans": pa.string(), "left": pa.string()}
        b = _lines.parse(lines, **types).to_batches()[0]
        *plain, spans, left = b.columns
        return pa.RecordBatch.from_arrays([*plain, _lines.unescape(spans), _lines.unescape(left)], list(types))

    return lambda parts: worker.run(_documents(raw, parts, _id, "found"), parse, "passages", "cut", *raw)


def write(job, spec, source, out, summary):
    """What `neardup spark passages` writes: spans, and where texts can be replaced the documents without what is cut."""
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
    """Writes the documents as they are left."""
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
        raise Error(f"of {total.documents} texts {written.get['documents']} were there again, or others in their place: the input has changed meanwhile")
