"""Files of any file system that Spark knows, to documents with places, and folders that appear whole."""

import collections
import os
import re
import tempfile
import urllib.parse
import uuid
from dataclasses import dataclass
from typing import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, functions as F
from pyspark.sql.types import StructType

from .._command import Error
from . import _lines, _stage
from ._pieces import Pieces, escaped, plain
from ._records import Documents

DOCUMENTS = "place long, id string, text string, file string, line long, reason string"
# A place is the number of a file, and 40 bits within it.
FILE_BITS = 40
LINES = (".jsonl", ".ndjson")
SPLIT = ("", ".gz", ".bz2")  # what Spark reads by lines itself


@dataclass
class Source:
    """documents: _records.Documents. rejects: of a job, (file, line, reason). write: what is kept to a folder, in the given order.

    named: of a job, rows of documents with an id of their own; None where a column has ids. ranks: of each
    partition its rank, where they are not in the order of their places.
    """

    documents: Documents
    rejects: Callable
    write: Callable
    named: Callable = None
    ranks: list = None

    def check(self, job, flags):
        """Fails, once there are records, where nothing could be read, or no record has the id that was asked for."""
        asked = next((f.split("=", 1)[1] for f in flags if f.startswith("--id-field=")), None)
        if job.records.where("reason is null").isEmpty():
            why = self.rejects(job).limit(1).collect()
            raise Error("nothing could be read" + "".join(f": {r.file + ':' if r.file else 'record '}{r.line}: {r.reason}" for r in why))
        if asked and self.named and self.named(job).isEmpty():
            raise Error(f"no record has a field {asked!r}, which was asked for")


def readable(rows: DataFrame) -> Documents:
    """Of columns of DOCUMENTS. What was rejected is known by its reason; the others keep their places."""
    return Documents(rows.where("reason is null").select("place", "id", "text"))


def rejected(rows: DataFrame):
    return lambda job: rows.where("reason is not null").select("file", "line", "reason")


def read(job, inputs, format, flags, note=lambda text: None) -> Source:
    """Reads inputs in the order given, those of a folder by name.

    JSONL and lines are read in pieces, Parquet by Spark; all else is read as on one
    machine, a file by one task, which holds it. note is told what was left out.
    """
    files, sizes, hidden = listed(job.spark, inputs)
    if hidden:
        note(f"left out, as Spark reads no file of such a name: {hidden[0]}" + (f" and {len(hidden) - 1} more" if hidden[1:] else ""))
    # Spark lists more than 32 files once more, by a task each.
    job.spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", 4 * job.spark.sparkContext.defaultParallelism)
    kinds = {kind_of(name, format) for name in files}
    if len(kinds) > 1:
        raise Error(f"inputs of {' and '.join(sorted(kinds))}: read each kind by itself")
    kind = kinds.pop()
    if kind == "by line":
        return by_line(job, files, sizes, "lines" if format == "lines" else "jsonl", flags)
    if len(set(files)) < len(files):
        raise Error(f"{plain(collections.Counter(files).most_common(1)[0][0])} is named twice")
    if kind == "parquet":
        return parquet(job, files, flags)
    return whole(job, files, format, flags)


def kind_of(name, format):
    stem = name.lower()
    packed = next((e for e in (".gz", ".bz2", ".zst") if stem.endswith(e)), "")
    stem = stem[: len(stem) - len(packed)]
    if format == "parquet" or format == "auto" and stem.endswith(".parquet"):
        return "parquet"
    lines = format in ("jsonl", "lines") or format == "auto" and stem.endswith(LINES)
    return "by line" if lines and packed in SPLIT else "whole files"


# Names of which Spark reads none, also where they are named; programs leave the first kind themselves, and users the others.
MARKS = re.compile(r"\.|_(SUCCESS|temporary|metadata|common_metadata|started|committed)|_.*\.neardup-")
HIDDEN = re.compile(r"[_.]|.*\._COPYING_$")


def listed(spark, inputs):
    """The files of inputs, the bytes of each, and names that were left out: patterns and folders are resolved."""
    jvm, conf = spark._jvm, spark._jsc.hadoopConfiguration()
    out, sizes, hidden = [], [], []

    def visit(status, named=False):
        path = status.getPath()
        if HIDDEN.match(path.getName()) and not (named and status.isDirectory()):
            if named:
                raise Error(f"{plain(path.toString())}: Spark reads no file of such a name; rename it")
            if not MARKS.match(path.getName()):
                hidden.append(plain(path.toString()))
        elif status.isDirectory():
            for s in sorted(path.getFileSystem(conf).listStatus(path), key=lambda s: s.getPath().getName()):
                visit(s)
        elif ":" in path.getName():
            raise Error(f"{plain(path.toString())}: Hadoop reads no file with a colon in its name; rename it")
        else:
            out.append(path.toString())
            sizes.append(status.getLen())

    for name in inputs:
        path = jvm.org.apache.hadoop.fs.Path(name)
        fs = path.getFileSystem(conf)
        found = [fs.getFileStatus(path)] if fs.exists(path) else fs.globStatus(path)
        if not found:
            raise Error(f"{name}: no such file or folder")
        for s in sorted(found, key=lambda s: s.getPath().toString()):
            visit(s, s.getPath().getName() == path.getName())
    if not out:
        raise Error(f"no files in {', '.join(inputs)}")
    return out, sizes, hidden


def by_line(job, files, sizes, format, flags) -> Source:
    """Lines in the order of the files."""
    lines = Pieces(job, files, sizes)

    def write(kept, folder, compression):
        kept(lines.rows.where(~F.col("text").isin("", "\r"))).select("text").write.option("compression", compression).text(folder)

    def rejects(job):
        bad = job.records.where("reason is not null").select("place", "reason")
        return lines.lines(bad).select("file", "line", "reason")

    def named(job):
        return job.records.where("reason is null and id != cast(place as string)")

    return Source(Documents(lines.rows, ("--raw", "--format=" + format, *flags), lines.ordered), rejects, write, named, lines.ranks)


def _documents(lines):
    """The lines of `worker read`; a document that was rejected has a reason and no text."""
    s = pa.string()
    b = _lines.parse(lines, line=pa.int64(), id=s, text=s, reason=s).to_batches()[0]
    reason = pc.if_else(pc.equal(b.column(3), ""), pa.scalar(None, s), _lines.unescape(b.column(3)))
    return pa.RecordBatch.from_arrays([b.column(0), _lines.unescape(b.column(1)), _lines.unescape(b.column(2)), reason], ["line", "id", "text", "reason"])


def numbered_files(job, files, names=lambda file: [file]):
    """(file, number, path): a name that Spark gives a file, and the one by which people know it."""
    rows = dict((name, (i, plain(f))) for i, f in enumerate(files) for name in names(f))
    numbers, paths = zip(*rows.values())
    return F.broadcast(job.spark.createDataFrame(pa.table({"file": pa.array(list(rows)), "number": pa.array(numbers, pa.int64()), "path": pa.array(paths)})))


def whole(job, files, format, flags) -> Source:
    """A file a task, by the readers of the local command; kept documents are written as JSONL of id and text."""
    spark = job.spark
    batch = "spark.sql.execution.arrow.maxRecordsPerBatch"
    rows = spark.conf.get(batch)
    spark.conf.set(batch, 1)  # a file, here; not in the stages that come
    spark.conf.set("spark.sql.files.maxPartitionBytes", 1 << 20)  # one file a partition, but for small ones
    content = spark.read.format("binaryFile").load(list(map(escaped, files))).select("path", "content")
    documents = content.mapInArrow(_read_file(job.worker, ["--format=" + format, *flags]), DOCUMENTS).join(numbered_files(job, files), "file")
    at = F.shiftleft("number", FILE_BITS) + F.col("place")
    try:
        documents = job.keep(documents.select(at.alias("place"), "id", "text", F.col("path").alias("file"), "line", "reason"))
    finally:
        spark.conf.set(batch, rows)

    def write(kept, folder, compression):
        kept(documents).select(F.to_json(F.struct("id", "text")).alias("value")).write.option("compression", compression).text(folder)

    def named(job):
        return documents.where("reason is null and id != concat(file, ':', line)")

    return Source(readable(documents), rejected(documents), write, named)


def _read_file(worker, flags):
    def run(parts):
        for b in _stage.filled(parts):
            for path, content in zip(b.column(0).to_pylist(), b.column(1)):
                yield from _one_file(worker, flags, path, content.as_buffer())

    return run


def _one_file(worker, flags, path, content):
    base = path.rsplit("/", 1)[-1]
    with tempfile.TemporaryDirectory(prefix="neardup-") as folder:
        name = os.path.join(folder, base)
        with open(name, "wb") as f:
            f.write(content)
        at = 0
        argv = [worker.program or _stage.command(), "worker", "read", *flags, "--name=" + plain(path), name]
        for t in _stage.child(argv, [b""], _documents):
            n = t.num_rows
            place = pa.array(np.arange(at, at + n))
            at += n
            yield pa.RecordBatch.from_arrays([place, t.column(1), t.column(2), pa.array([path] * n, pa.string()), t.column(0), t.column(3)], ["place", "id", "text", "file", "line", "reason"])


PARQUET = ("id-field", "text-field", "title-field", "compare")  # flags of readers that Spark's own obeys
MOST_TEXTS = 4


def parquet(job, files, flags) -> Source:
    """Rows by their place in their file; kept ones are written with all their columns."""
    named = dict(f.removeprefix("--").split("=", 1) for f in flags)
    unknown = sorted(set(named) - set(PARQUET))
    if unknown:
        raise Error(f"--{unknown[0]} has no effect on Parquet read by Spark")
    rows = job.spark.read.parquet(*map(escaped, files))
    id, text = id_column(rows, named), text_column(rows, named)
    # A column of the file may be called as one of ours.
    own = [F.col(quoted(c)).alias(f"c{i}") for i, c in enumerate(rows.columns)]
    data = rows.select(*own, id.alias("id"), text.alias("text"), F.lit(None).cast("string").alias("reason"), F.col("_metadata.file_path").alias("file"), F.col("_metadata.row_index").alias("row"))
    data = data.join(numbered_files(job, files, spellings), "file", "left")
    number = F.when(F.col("number").isNull(), F.raise_error(F.concat(F.lit("a file that was not listed: "), "file"))).otherwise(F.col("number"))
    place, line = (F.shiftleft(number, FILE_BITS) + F.col("row")).alias("place"), F.col("row") + 1
    name = F.coalesce("id", F.concat_ws(":", "path", line.cast("string")))
    documents = data.select(place, name.alias("id"), "text", F.col("path").alias("file"), line.alias("line"), "reason")

    def write(kept, folder, compression):
        columns = [f"c{i}" for i in range(len(rows.columns))]
        kept(data.select(place, *columns)).select(*[F.col(n).alias(c) for n, c in zip(columns, rows.columns)]).write.parquet(folder)

    return Source(readable(documents), rejected(documents), write)


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


def column(rows, name, types=None):
    """A column by its name, or by its path with dots; types are those that a text may have."""
    path, kind = [name] if name in rows.columns else name.split("."), rows.schema
    for part in path:
        if not isinstance(kind, StructType) or part not in kind.names:
            raise Error(f"no column {name!r}; there are {', '.join(rows.columns)}")
        kind = kind[part].dataType
    if types and kind.simpleString() not in types:
        raise Error(f"column {name!r} is {kind.simpleString()}, not {types[0]}")
    return F.col(".".join(map(quoted, path))).cast("string")


def id_column(rows, named):
    if "id-field" not in named and "id" not in rows.columns:
        return F.lit(None).cast("string")
    return F.nullif(column(rows, named.get("id-field", "id")), F.lit(""))


def text_column(rows, named):
    """The text, of one column or of what a row has of several, each on a line of its own, the title before it; null is an empty one."""
    names = named.get("text-field", "text").split(",")
    if len(names) > MOST_TEXTS or len(set(names)) < len(names) or "" in names:
        raise Error(f"--text-field {','.join(names)}: up to {MOST_TEXTS} names, each once")
    parts = [column(rows, n, ("string", "binary")) for n in names]
    text = F.concat_ws("\n", *[F.nullif(c, F.lit("")) for c in parts])
    if named.get("compare") == "title,text":
        text = F.concat_ws("\n", F.nullif(column(rows, named.get("title-field", "title"), ("string", "binary")), F.lit("")), text)
    return text


def spellings(path):
    """The names by which Spark may tell the file that a row is of: as a path or a URI."""
    paths = {path}
    if path.startswith("file:/"):
        rest = path[len("file:"):].lstrip("/")
        paths |= {"file:/" + rest, "file:///" + rest}
    return sorted(paths | {urllib.parse.quote(p, safe="/:@!$&'()*+,;=~") for p in paths})


class Output:
    """A folder that appears when all in it is there, with the file _SUCCESS last."""

    def __init__(self, spark, path, tell=lambda note: None):
        jvm = spark._jvm
        self.Path = jvm.org.apache.hadoop.fs.Path
        named = self.Path(path)
        self.fs = named.getFileSystem(spark._jsc.hadoopConfiguration())
        self.end = self.fs.makeQualified(named)
        if self.fs.exists(self.end):
            raise Error(f"{path} is there already; name another folder, or remove it")
        # Hidden, so that nobody who reads the folder around it takes it for a result.
        folder, name = self.end.getParent(), f"_{self.end.getName()}.neardup-"
        self.made = self.Path(folder, name + uuid.uuid4().hex[:12])
        for left in self.fs.globStatus(self.Path(folder, escaped(name) + "*")) or []:
            tell(f"{left.getPath().toString()} is what a run made that was ended, or still goes on; remove it if none does")
        self.done, self.tell = False, tell

    def path(self, name):
        return self.Path(self.made, name).toString()

    def write(self, name, text, folder=None):
        f = self.fs.create(self.Path(folder or self.made, name))
        f.write(bytearray(text.encode()))
        f.close()

    def remove(self, name):
        self.fs.delete(self.Path(self.made, name), True)

    def arrange(self, name, ranks):
        """Names the parts of a folder by the rank that their partition has."""
        folder, given = self.Path(self.made, name), self.Path(self.made, "_" + name)
        self.fs.rename(folder, given)
        self.fs.mkdirs(folder)
        for f in self.fs.listStatus(given):
            was = f.getPath().getName()
            part = re.match(r"part-(\d+)", was)
            now = f"part-{ranks[int(part[1])]:05d}{was[part.end():]}" if part else was
            if not self.fs.rename(f.getPath(), self.Path(folder, now)):
                raise Error(f"{f.getPath().toString()} could not be renamed")
        self.fs.delete(given, True)

    def commit(self):
        if self.fs.exists(self.end):
            raise Error(f"{self.end.toString()} was made by another meanwhile")
        if not self.fs.rename(self.made, self.end):
            raise Error(f"{self.made.toString()} could not be renamed to {self.end.toString()}")
        self.write("_SUCCESS", "", self.end)
        self.done = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.done:
            return
        try:
            self.fs.delete(self.made, True)
        except Exception as e:  # what failed before says why; this must not hide it
            self.tell(f"{self.made.toString()} could not be removed: {str(e).strip().splitlines()[-1]}")
