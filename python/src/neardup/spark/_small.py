"""Documents that one task decides: it gives them in their order to `neardup dedup`, Arrow in and out.

It needs public calls of Spark alone, so it runs on Spark 3.5 and later, and over Spark Connect.
"""

import contextlib
import functools
import hashlib
import os
import re
import shutil
import sys

from pyspark import StorageLevel
from pyspark.sql import DataFrame, functions as F

from .. import _command
from .._command import Error
from . import _folders
from ._columns import column, id_of, numbered_by_us, text_of

ROWS = 2_000_000  # documents that one task decides by default
TEXT = 2048  # bytes of text of each, on average
PACKED = 8  # bytes of texts to one of a packed file

DECISIONS = "place long, id string, decision string, leader string, similarity double, distance int, method string, basis string, variant_of string, conflicts string"

# Flags that name files of the driver: before the name, the name, and what follows.
FILES = re.compile(r"(--(?:idf|overrides|tally)=)(.+)()|(--method=(?:.*\s)?(?:stopwords|dictionary)=)(\S+)(.*)", re.DOTALL)


def connect(spark) -> bool:
    """Whether a session is one of Spark Connect, which has no JVM here."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def one_process(spark) -> bool:
    """Whether the driver is its own executor: local[2], but not local-cluster."""
    return not connect(spark) and re.match(r"local(\[|$)", spark.sparkContext.master) is not None


@functools.lru_cache(64)
def _copied(path, changed):
    """A copy of a file whose name is a hash of its content, so that files of other sessions cannot replace it."""
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        while part := f.read(1 << 20):
            digest.update(part)
    copy = os.path.join(_folders.held(), "neardup-" + digest.hexdigest()[:32])
    shutil.copy2(path, copy)
    return copy


def sent(spark, path):
    """Sends a file to all executors, and returns the name by which they find it."""
    copy = _copied(path, os.stat(path).st_mtime_ns)
    if connect(spark):
        spark.addArtifacts(copy, file=True)
    else:
        spark.sparkContext.addFile(copy)
    return os.path.basename(copy)


def argv(spark, *args):
    """A command line of the command: words, and (before, name, after) for files that were sent."""
    here = one_process(spark)
    words = [_command.path() if here else ("", sent(spark, _command.path()), "")]
    for arg in args:
        named = None if here else FILES.fullmatch(arg)
        before, path, after = [part for part in named.groups() if part is not None] if named else (arg, None, "")
        words.append((before, sent(spark, path), after) if named else arg)
    return words


def task(argv):
    """The function of a task: (place, id, text) to columns of DECISIONS. It is sent by value, so executors need not have this package."""

    def decide(batches, flags=()):
        import itertools
        import os
        import subprocess
        import tempfile

        import pyarrow as pa

        def found(word):
            from pyspark import SparkFiles

            return word if isinstance(word, str) else word[0] + SparkFiles.get(word[1]) + word[2]

        first = next(iter(batches), None)
        if first is None:
            return
        words = [found(word) for word in argv]
        if not os.access(words[0], os.X_OK):
            os.chmod(words[0], 0o755)
        local = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
        with tempfile.TemporaryDirectory(prefix="neardup-", dir=local if os.path.isdir(local) else None) as folder:
            made, rejects, said = (os.path.join(folder, name) for name in ("decisions.arrow", "rejects.jsonl", "said"))
            with open(said, "wb") as log:
                child = subprocess.Popen(
                    [words[0], "dedup", "--format=arrow", "--keep=first", "--audit=off", "--quiet", "--decisions=" + made, "--rejects=" + rejects, "--tmp=" + folder, *words[1:], *flags, "-"],
                    stdin=subprocess.PIPE, stdout=log, stderr=log)
            places = []
            try:
                names = ["id", "text"]
                writer = pa.ipc.new_stream(child.stdin, pa.schema([(name, first.schema.field(name).type) for name in names]))
                for batch in itertools.chain([first], batches):
                    places.append(batch.column(0))
                    writer.write_batch(pa.RecordBatch.from_arrays(batch.columns[1:], names=names))
                writer.close()
                child.stdin.close()
            except BrokenPipeError:
                pass  # the child has ended, and says why
            except BaseException:
                child.kill()
                raise
            finally:
                child.wait()
            if child.returncode != 0:
                with open(said, encoding="utf-8", errors="replace") as log:
                    lines = [line for line in log if line.startswith("neardup: ")]
                raise RuntimeError(lines[-1].strip() if lines else "neardup: dedup ended with %d" % child.returncode)
            places = pa.chunked_array(places).combine_chunks()
            with pa.memory_map(made) as source:
                decisions = pa.ipc.open_file(source).read_all()
                if len(decisions) != len(places):
                    with open(rejects, encoding="utf-8") as log:
                        raise RuntimeError("neardup: %d documents were rejected, the first: %s" % (len(places) - len(decisions), log.readline().strip()))
                table = pa.table({
                    "place": places, **{name: decisions[name].cast(pa.string()) for name in ("id", "decision", "leader")}, "similarity": decisions["similarity"],
                    "distance": decisions["distance"].cast(pa.int32()), **{name: decisions[name].cast(pa.string()) for name in ("method", "basis")},
                    "variant_of": decisions["variantOf"].cast(pa.string()), "conflicts": decisions["conflicts"].cast(pa.string())})
                yield from table.to_batches(1 << 16)

    return decide


def reason(e: Exception) -> Error:
    """What the command said, of a failed task."""
    said = re.findall(r"(?:Error|Exception|EXCEPTION\]):? neardup: (.*?)(?: SQLSTATE: \w+)?$|(neardup worker \S+ ends with .*)", str(e), re.MULTILINE)
    lost = re.search(r"ExecutorLostFailure|Lost executor|[Cc]heckpoint block \S+ not found", str(e))
    if said:
        return Error(said[-1][0] or said[-1][1])
    if lost:
        return Error("an executor was lost with what it held: run it again, and set a checkpoint folder (spark.sparkContext.setCheckpointDir) to go on from there")
    if "No module named 'pyarrow'" in str(e):
        return Error("the Python of Spark's executors has no pyarrow: install it there (pip install pyarrow), or name a Python that has it in PYSPARK_PYTHON")
    return None


@contextlib.contextmanager
def explained():
    """Within, a failure of Spark is an Error in the words of reason()."""
    try:
        yield
    except Error:
        raise
    except Exception as e:
        known = reason(e)
        if known is None:
            raise
        raise known from e


@contextlib.contextmanager
def python_of(spark):
    """Within, a Spark of one process runs functions in this Python, as python3 on PATH may be another one."""
    if not one_process(spark) or "PYSPARK_PYTHON" in os.environ or spark.sparkContext.pythonExec != "python3":
        yield
        return
    spark.sparkContext.pythonExec = sys.executable
    try:
        yield
    finally:
        spark.sparkContext.pythonExec = "python3"


def pinned(df: DataFrame) -> DataFrame:
    """The rows of a frame, computed once, and planned without their past, which would double with each use.

    They are on the checkpoint folder if there is one, else on the disk of where they were computed, which one machine does not
    lose in part. Spark 3.5 has no checkpoints over Connect: there each action computes the frame.
    """
    spark = df.sparkSession
    try:
        if not connect(spark) and not one_process(spark) and spark.sparkContext.getCheckpointDir():
            return df.checkpoint()
        level = {"storageLevel": StorageLevel.DISK_ONLY} if int(spark.version.split(".")[0]) >= 4 else {}
        return df.localCheckpoint(**level)
    except (AttributeError, NotImplementedError):
        return df


def documents(df: DataFrame, id, text, order, most) -> DataFrame:
    """(place, id, text) in one partition, in the order of their places; an empty id is the place."""
    columns = [id_of(df, id).alias("id"), text_of(df, text, most).alias("text")]
    numbers = F.monotonically_increasing_id().alias("place")
    if order:
        rows = df.coalesce(1).sortWithinPartitions(*[column(df, name) for name in order], id_of(df, id)).select(numbers, *columns)
    else:
        rows = df.select("place" if numbered_by_us(df) else numbers, *columns).coalesce(1).sortWithinPartitions("place")
    return rows.select("place", F.coalesce(F.expr("nullif(id, '')"), F.col("place").cast("string")).alias("id"), "text")


def fits(df: DataFrame, text, rows) -> bool:
    """Whether the texts are at most rows of 2 KB. They are counted unless Spark knows that its input is small. Over Connect any number fits."""
    if connect(df.sparkSession):
        return True
    if rows <= 0:
        return False
    if int(str(df._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())) <= rows * TEXT // PACKED:
        return True
    n, size = df.agg(F.count(F.lit(1)), F.sum(F.octet_length(column(df, text)))).first()
    return n <= rows and (size or 0) <= rows * TEXT


def decided(rows: DataFrame, flags) -> DataFrame:
    """Columns of DECISIONS of rows (place, id, text), by one task."""
    spark = rows.sparkSession
    with explained():
        with python_of(spark):
            made = rows.mapInArrow(task(argv(spark, *flags)), DECISIONS)
        return pinned(made)
