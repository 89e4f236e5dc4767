"""Reads files of any file system of Spark as documents with places, and writes folders that appear only when complete."""

import bisect
import collections
import itertools
import re
import uuid
from dataclasses import dataclass
from typing import Callable

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from .._command import Error
from . import _jar
from ._columns import column, quoted
from ._pieces import GLOB, Pieces, escaped, plain
from ._places import Placed
from ._records import Documents
from ._small import pinned
from ._tables import Tables

DOCUMENTS = "place long, id string, text string, file string, line long, reason string"
LINES = (".jsonl", ".ndjson")
SMALL = 1 << 20  # bytes of files that one task reads, if it reads more than one
SPLIT = ("", ".gz", ".bz2")  # compressions that Spark itself reads by lines


@dataclass
class Source:
    """documents: _records.Documents. rejects: for a job, (file, line, reason), or None if there are none. kept: for a function that selects the kept rows of
    documents (with place and text), the rows to write, as format.

    named: for a job, rows of documents with an id of their own; None if a column has ids. ranks: the rank of each
    partition, if partitions are not in the order of their places.
    """

    documents: Documents
    rejects: Callable
    kept: Callable
    format: str = "text"
    named: Callable = None
    ranks: list = None

    def check(self, job, flags):
        """Fails, once records are read, if nothing could be read, or if no record has the id field that was asked for."""
        asked = next((f.split("=", 1)[1] for f in flags if f.startswith("--id-field=")), None)
        if job.records.where("reason is null").rows.isEmpty():
            why = self.rejects(job)
            raise Error("nothing could be read" + "".join(f": {r.file}:{r.line}: {r.reason}" for r in (() if why is None else why.limit(1).collect())))
        if asked and self.named and self.named(job).isEmpty():
            raise Error(f"no record has a field {asked!r}, which was asked for")


def read(job, inputs, format, flags, note=lambda text: None) -> Source:
    """Reads inputs in the order given, those of a folder by name.

    JSONL and lines are read in pieces, Parquet by Spark; other files are read as on one
    machine, each by one task, which copies it to its disk. note is called with the files that were skipped.
    """
    files, sizes, hidden = listed(job.spark, inputs)
    if hidden:
        note(f"left out, as Spark reads no file of such a name: {hidden[0]}" + (f" and {len(hidden) - 1} more" if hidden[1:] else ""))
    format, *settings = format.split()
    kinds = {kind_of(name, format) for name in files}
    if len(kinds) > 1:
        raise Error(f"inputs of {' and '.join(sorted(kinds))}: read each kind by itself")
    kind = kinds.pop()
    if len(set(files)) < len(files):
        raise Error(f"{plain(collections.Counter(files).most_common(1)[0][0])} is named twice")
    if kind == "by line":
        return by_line(job, files, sizes, " ".join(["lines" if format == "lines" else "jsonl", *settings]), flags)
    if kind == "parquet":
        return parquet(job, inputs, files, sizes, [*flags, *(f"--format {s}" for s in settings)])
    return whole(job, files, sizes, " ".join([format, *settings]), flags)


def kind_of(name, format):
    stem = name.lower()
    packed = next((e for e in (".gz", ".bz2", ".zst") if stem.endswith(e)), "")
    stem = stem[: len(stem) - len(packed)]
    if format == "parquet" or format == "auto" and stem.endswith(".parquet"):
        return "parquet"
    lines = format in ("jsonl", "lines") or format == "auto" and stem.endswith(LINES)
    return "by line" if lines and packed in SPLIT else "whole files"


# Spark never reads files of these names, even if they are given. Programs write the first kind, users the others.
MARKS = re.compile(r"\.|_(SUCCESS|temporary|metadata|common_metadata|started|committed)|_.*\.neardup-")
HIDDEN = re.compile(r"[_.]|.*\._COPYING_$")


def listed(spark, inputs):
    """The files of inputs, the bytes of each, and names that were left out: patterns and folders are resolved."""
    jvm, conf, tables = spark._jvm, spark._jsc.hadoopConfiguration(), Tables(spark)
    out, sizes, hidden = [], [], []

    def visit(status, named=False):
        path = status.getPath()
        if HIDDEN.match(path.getName()) and not (named and status.isDirectory()):
            if named:
                raise Error(f"{plain(path.toString())}: Spark reads no file of such a name; rename it")
            if not MARKS.match(path.getName()):
                hidden.append(plain(path.toString()))
        elif status.isDirectory():
            inside = {s.getPath().getName(): s for s in path.getFileSystem(conf).listStatus(path)}
            tables.refuse(path, inside)
            for name in sorted(inside):
                visit(inside[name])
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
            tables.refuse_around(s.getPath())
            visit(s, s.getPath().getName() == path.getName())
    if not out:
        raise Error(f"no files in {', '.join(inputs)}")
    return out, sizes, hidden


def by_line(job, files, sizes, format, flags) -> Source:
    """Lines in the order of the files."""
    pieces = Pieces(job, files, sizes, lambda names: job.spark.read.text(names, lineSep="\n"))
    lines = pieces.placed(pieces.scan.select(pieces.place.alias("place"), F.col("value").alias("text")))

    def kept(of):
        return of(lines.where(~F.col("text").isin("", "\r"))).select("text")

    def rejects(job):
        bad = job.records.where("reason is not null").rows.select("place", "reason")
        return None if bad.isEmpty() else pieces.lines(bad).select("file", "line", "reason")

    def named(job):
        return job.records.where("reason is null and id != cast(place as string)").rows

    return Source(Documents(lines, ("--raw", "--format=" + format, *flags), pieces.ordered), rejects, kept, named=named, ranks=pieces.ranks)


def whole(job, files, sizes, format, flags) -> Source:
    """Each task reads one file, or some small ones, by the readers of the local command; kept documents are written as JSONL of id and text."""
    begins = [0]  # of each partition its first file
    total = 0
    for i, size in enumerate(sizes):
        if total and total + size > SMALL:
            begins.append(i)
            total = 0
        total += size + 1
    begins.append(len(files))
    argv = _jar.words(job.spark, "worker", "read", "--format=" + format, *flags)
    rows = _jar.stages(job.spark).files(job.spark.sparkContext._jsc.sc(), files, begins, argv)
    documents = pinned(_jar.frame(job.spark, rows, DOCUMENTS))
    placed = Placed(documents, [bisect.bisect_right(begins, i) - 1 for i in range(len(files))])
    read = placed.where("reason is null")  # rejected records have a reason; the others keep their places

    def kept(of):
        return of(read).select(F.to_json(F.struct("id", "text")).alias("value"))

    def rejects(_):
        return documents.where("reason is not null").select("file", "line", "reason")

    def named(_):
        return documents.where("reason is null and id != concat(file, ':', line)")

    return Source(Documents(read), rejects, kept, named=named)


PARQUET = ("id-field", "text-field", "title-field", "compare")  # reader flags that also apply to Spark's own reader
MOST_TEXTS = 4


def parquet(job, inputs, files, sizes, flags) -> Source:
    """Rows as Spark reads them; kept ones are written with all their columns, also those of folder names (day=1), unchanged."""
    named = dict(f.removeprefix("--").split("=", 1) for f in flags)
    unknown = sorted(set(named) - set(PARQUET))
    if unknown:
        raise Error(f"--{unknown[0]} has no effect on Parquet read by Spark")
    job.spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")  # 01 is not 1
    # Spark would list more than 32 files again, each by a task.
    job.spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", 4 * job.spark.sparkContext.defaultParallelism)
    reader = job.spark.read.option("mergeSchema", len(files) > 1).option("basePath", base_of(job.spark, inputs))
    try:
        pieces = Pieces(job, files, sizes, lambda names: reader.parquet(*names))
    except (PySparkException, Py4JJavaError) as e:
        raise Error(f"{', '.join(inputs)}: these are not the files of one table: {reason_of(e)}") from e
    rows, place, number = pieces.scan, pieces.place.alias("place"), pieces.file.alias("number")
    id, text = id_column(rows, named), text_column(rows, named)
    row = (F.col("_metadata.row_index") + 1).cast("string")
    numbers = job.spark.createDataFrame(pa.table({"number": pa.array(range(len(files)), pa.int64()), "path": list(map(plain, files))}))
    documents = rows.select(place, id.alias("id"), text.alias("text"), number, row.alias("row")).join(F.broadcast(numbers), "number", "left")
    documents = pieces.placed(documents.select("place", F.coalesce("id", F.concat("path", F.lit(":"), "row")).alias("id"), "text"))
    # A column of the file may have the name of one of ours.
    whole = pieces.placed(rows.select(place, text.alias("text"), *[F.col(quoted(c)).alias(f"c{i}") for i, c in enumerate(rows.columns)]))

    def kept(of):
        return of(whole).select(*[F.col(f"c{i}").alias(c) for i, c in enumerate(rows.columns)])

    return Source(Documents(documents, ordered=pieces.ordered), lambda job: None, kept, "parquet", ranks=pieces.ranks)


def base_of(spark, inputs):
    """The folder below which folders called NAME=VALUE are columns: the named folder, or the one that contains all named ones."""
    bases, systems, Path = [], set(), spark._jvm.org.apache.hadoop.fs.Path
    for name in inputs:
        path = Path(name)
        fs = path.getFileSystem(spark._jsc.hadoopConfiguration())
        if not fs.exists(path):
            path = Path(GLOB.split(name)[0] + "x").getParent()  # the part before the pattern
        path = fs.makeQualified(path)
        systems.add(fs.getUri().toString())
        bases.append((path if fs.getFileStatus(path).isDirectory() else path.getParent()).toUri().getPath().split("/"))
    if len(systems) > 1:
        raise Error(f"inputs of several file systems: {', '.join(sorted(systems))}")
    common = [names[0] for names in itertools.takewhile(lambda names: len(set(names)) == 1, zip(*bases))]
    return Path(Path(systems.pop()), "/".join(common) or "/").toString()


def reason_of(e):
    """The message of a failure of Spark, without its stack."""
    return str(getattr(e, "java_exception", None) and e.java_exception.getMessage() or e).strip().splitlines()[0]


def id_column(rows, named):
    if "id-field" not in named and "id" not in rows.columns:
        return F.lit(None).cast("string")
    return F.nullif(column(rows, named.get("id-field", "id")).cast("string"), F.lit(""))


def text_column(rows, named):
    """The text: that of one column, or of several, each on its own line, with the title first; null is an empty text."""
    names = named.get("text-field", "text").split(",")
    if len(names) > MOST_TEXTS or len(set(names)) < len(names) or "" in names:
        raise Error(f"--text-field {','.join(names)}: up to {MOST_TEXTS} names, each once")
    texts = lambda n: column(rows, n, ("string", "binary")).cast("string")
    parts = [texts(n) for n in names]
    text = F.concat_ws("\n", *[F.nullif(c, F.lit("")) for c in parts])
    if named.get("compare") == "title,text":
        text = F.concat_ws("\n", F.nullif(texts(named.get("title-field", "title")), F.lit("")), text)
    return text


class Output:
    """A folder that appears only when it is complete. The file _SUCCESS is written last."""

    def __init__(self, spark, path, tell=lambda note: None):
        jvm = spark._jvm
        self.Path = jvm.org.apache.hadoop.fs.Path
        named = self.Path(path)
        self.fs = named.getFileSystem(spark._jsc.hadoopConfiguration())
        self.end = self.fs.makeQualified(named)
        if self.fs.exists(self.end):
            raise Error(f"{path} already exists; name another folder, or remove it")
        # Hidden, so that no reader of its parent folder takes it for a result.
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
        taken = Error(f"{self.end.toString()} was created by another program meanwhile")
        if self.fs.exists(self.end):
            raise taken
        if not self.fs.rename(self.made, self.end):
            raise Error(f"{self.made.toString()} could not be renamed to {self.end.toString()}")
        # If the folder appeared after the check, rename does not fail: it moves the result into that folder.
        into = self.Path(self.end, self.made.getName())
        if self.fs.exists(into):
            self.made = into
            raise taken
        self.write("_SUCCESS", "", self.end)
        self.done = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.done:
            return
        try:
            self.fs.delete(self.made, True)
        except Exception as e:  # the earlier failure gives the cause; this must not hide it
            self.tell(f"{self.made.toString()} could not be removed: {str(e).strip().splitlines()[-1]}")
