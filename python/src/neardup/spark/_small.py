"""Documents that one task decides: it passes them in their order to `neardup dedup`, as Arrow both ways.

It uses only public calls of Spark, so it runs on Spark 3.5 and later, and over Spark Connect.
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
PACKED = 8  # bytes of text for each byte of a packed file

DECISIONS = "place long, id string, decision string, leader string, similarity double, distance int, method string, basis string, variant_of string, conflicts string"

BLOCK = 64 << 20  # bytes of decisions that pyarrow reads at once: no decision may be larger

DISORDER = "rows came in another order than that of their places"

# Flags that name files of the driver: the part before the name, the name, and the part after it.
FILES = re.compile(r"(--(?:idf|overrides|tally)=)(.+)()|(--method=(?:.*\s)?(?:stopwords|dictionary)=)(\S+)(.*)", re.DOTALL)


def connect(spark) -> bool:
    """Whether a session is one of Spark Connect, which has no JVM here."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def one_process(spark) -> bool:
    """Whether driver and executor are one process: local[2], but not local-cluster."""
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


_added = set()  # (session of Connect, file): Spark 3.5 refuses a file that a session has


def sent(spark, path):
    """Sends a file to all executors, and returns the name by which they find it."""
    copy = _copied(path, os.stat(path).st_mtime_ns)
    if not connect(spark):
        spark.sparkContext.addFile(copy)
    elif (spark.session_id, copy) not in _added:
        spark.addArtifacts(copy, file=True)
        _added.add((spark.session_id, copy))
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


def task(argv, ordered=True):
    """The function of a task: (place, id, text) to columns of DECISIONS. It fails with DISORDER if rows are not in the order of their places, unless ordered.

    It is sent by value, so executors need not have this package.
    """

    def decide(batches, flags=()):
        import itertools
        import os
        import subprocess
        import tempfile

        import pyarrow as pa
        import pyarrow.compute as pc
        from pyarrow import json

        def in_order(batch, last):
            places = batch.column(0)
            return places[0].as_py() >= last and pc.all(pc.less_equal(places.slice(0, len(places) - 1), places.slice(1))).as_py() is not False

        def found(word):
            from pyspark import SparkFiles

            return word if isinstance(word, str) else word[0] + SparkFiles.get(word[1]) + word[2]

        batches = filter(len, batches)
        first = next(batches, None)
        if first is None:
            return
        words = [found(word) for word in argv]
        if not os.access(words[0], os.X_OK):
            os.chmod(words[0], 0o755)
        local = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
        with tempfile.TemporaryDirectory(prefix="neardup-", dir=local if os.path.isdir(local) else None) as folder:
            documents, made, rejects, said = (os.path.join(folder, name) for name in ("documents.arrow", "decisions.jsonl", "rejects.jsonl", "said"))
            places, last, names = [], 0, ["id", "text"]
            with pa.OSFile(documents, "wb") as to, pa.ipc.new_file(to, pa.schema([(name, first.schema.field(name).type) for name in names])) as writer:
                for batch in itertools.chain([first], batches):
                    if not ordered and not in_order(batch, last):
                        raise RuntimeError("neardup: " + DISORDER)
                    places.append(batch.column(0))
                    last = batch.column(0)[-1].as_py()
                    writer.write_batch(pa.RecordBatch.from_arrays(batch.columns[1:], names=names))
            line = [words[0], "dedup", "--keep=first", "--audit=off", "--quiet", "--decisions=" + made, "--rejects=" + rejects, "--tmp=" + folder, *words[1:], *flags, documents]
            with open(said, "wb") as log:
                code = subprocess.call(line, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            if code != 0:
                with open(said, encoding="utf-8", errors="replace") as log:
                    lines = [line for line in log if line.startswith("neardup: ")]
                raise RuntimeError(lines[-1].strip() if lines else "neardup: dedup ended with %d" % code)
            os.remove(documents)
            # pyarrow reads most of a decision faster than the command writes Arrow; conflicts stay JSON.
            text = pa.string()
            kinds = {"id": text, "decision": text, "leader": text, "similarity": pa.float64(), "distance": pa.int32(), "method": text, "basis": text, "variantOf": text}
            decisions = json.read_json(made, json.ReadOptions(block_size=BLOCK), json.ParseOptions(pa.schema(list(kinds.items())), unexpected_field_behavior="ignore"))
            if len(decisions) != sum(map(len, places)):
                with open(rejects, encoding="utf-8") as log:
                    raise RuntimeError("neardup: %d documents were rejected, the first: %s" % (sum(map(len, places)) - len(decisions), log.readline().strip()))
            with open(made, encoding="utf-8", newline="\n") as lines:
                facts = [rest and rest[: rest.index('],"') + 1] or None for rest in (line.partition(',"conflicts":')[2] for line in lines)]
            columns = [pa.chunked_array(places), *[decisions[name] for name in kinds], pa.array(facts, text)]
            yield from pa.table(columns, [name.split()[0] for name in DECISIONS.split(", ")]).to_batches(1 << 16)

    return decide


def reason(e: Exception) -> Error:
    """The message of the command in a failed task."""
    said = re.findall(r"(?:Error|Exception|EXCEPTION\]):? neardup: (.*?)(?: SQLSTATE: \w+)?$|(neardup worker \S+ ends with .*)", str(e), re.MULTILINE)
    lost = re.search(r"ExecutorLostFailure|Lost executor|[Cc]heckpoint block \S+ not found", str(e))
    if said:
        return Error(said[-1][0] or said[-1][1])
    if lost:
        return Error("an executor was lost with its data: set a checkpoint folder (spark.sparkContext.setCheckpointDir) and run again")
    if re.search(r"OSError: .*No space left on device", str(e)):
        return Error("the disk of the task is full: give Spark another folder (spark.local.dir, SPARK_LOCAL_DIRS)")
    if "No module named 'pyarrow'" in str(e):
        return Error("the Python of Spark's executors has no pyarrow: install it there (pip install pyarrow), or name a Python that has it in PYSPARK_PYTHON")
    return None


@contextlib.contextmanager
def explained():
    """Within, a failure of Spark is raised as an Error with the message of reason()."""
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
    """The rows of a frame, computed once. Their plan no longer includes how, which would double with each use.

    They are in the checkpoint folder if there is one, else on the disks of their executors, which is safe
    on one machine. Spark 3.5 has no checkpoints over Connect: there each action computes the frame.
    """
    spark = df.sparkSession
    try:
        if not connect(spark) and not one_process(spark) and spark.sparkContext.getCheckpointDir():
            return df.checkpoint()
        level = {"storageLevel": StorageLevel.DISK_ONLY} if int(spark.version.split(".")[0]) >= 4 else {}
        return df.localCheckpoint(**level)
    except (AttributeError, NotImplementedError):
        return df


def documents(df: DataFrame, id, text, order, most, ordered=True) -> DataFrame:
    """(place, id, text) in one partition, if ordered in the order of their places; an empty id is the place."""
    columns = [id_of(df, id).alias("id"), text_of(df, text, most).alias("text")]
    numbers = F.monotonically_increasing_id().alias("place")
    if order:
        rows = df.coalesce(1).sortWithinPartitions(*[column(df, name) for name in order], id_of(df, id)).select(numbers, *columns)
    else:
        rows = df.select("place" if numbered_by_us(df) else numbers, *columns).coalesce(1)
        rows = rows.sortWithinPartitions("place") if ordered else rows
    return rows.select("place", F.coalesce(F.expr("nullif(id, '')"), F.col("place").cast("string")).alias("id"), "text")


def fits(df: DataFrame, text, rows) -> bool:
    """Whether the texts are at most as many bytes as rows texts of 2 KB. They are counted unless Spark knows that its input is small. Over Connect any number fits."""
    if connect(df.sparkSession):
        return True
    if rows <= 0:
        return False
    if int(str(df._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())) <= rows * TEXT // PACKED:
        return True
    n, size = df.agg(F.count(F.lit(1)), F.sum(F.octet_length(column(df, text)))).first()
    return n <= rows and (size or 0) <= rows * TEXT


def decided(df: DataFrame, id, text, order, most, flags) -> DataFrame:
    """Columns of DECISIONS, by one task.

    Each partition has higher places than the one before, unless Spark reads several files into one. So rows are sorted only
    if they arrive in another order, which ends the first task at once.
    """
    spark = df.sparkSession
    words, at_once = argv(spark, *flags), not connect(spark) or int(spark.version.split(".")[0]) >= 4
    for ordered in (False, True) if at_once and not order else (True,):
        try:
            with explained(), python_of(spark):
                return pinned(documents(df, id, text, order, most, ordered).mapInArrow(task(words, ordered), DECISIONS))
        except Error as e:
            if ordered or str(e) != DISORDER:
                raise
