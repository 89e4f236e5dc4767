"""What all stages of one call share: the session, the flags, what is cached."""

import contextlib
import functools
import hashlib
import operator
import os
import re
import shutil
import sys

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession, functions as F

from .. import _command
from .._command import Error
from . import _folders, _index, _packs, _stage
from ._places import CO_PARTITION, classic

REFUSED = {
    "keep": "the order is that of the rows, or the columns that order= names",
    "memory": "memory is what Spark gives its executors",
    "workers": "partitions= says how finely the work is divided",
    "tmp": "temporary files are Spark's",
    "link": "only leaders",
    "add": "nothing is added to an index: neardup index add INDEX FILES adds what was kept",
    "json": "the result is a DataFrame", "quiet": "the result is a DataFrame",
}

FEW = 1_000_000  # rows of two or three numbers that are sent to all rather than shuffled

# Flags that name files of the driver: before the name, the name, and what follows.
FILES = re.compile(r"(--(?:idf|stopwords|dictionary)=)(.+)()|(--method=(?:.*\s)?weights=)(\S+)(.*)", re.DOTALL)


class Job:
    """One call of dedup, pairs or passages; of names the stages of the last."""

    def __init__(self, spark: SparkSession, options: dict, partitions=None, flags=None, tell=lambda step: None, pieces=None, against=None, of=()):
        self.spark = spark
        self.tell = tell  # is told what step begins
        self.partitions = partitions  # of each shuffle; None: Spark's own number, and it puts small ones together
        self.pieces = pieces  # in which files are read, at most
        self.cached = []  # what keep made, with what is cached
        self._folder = self._labels = None
        for name in options:
            if name in REFUSED:
                raise TypeError(f"{name}= is not for Spark: {REFUSED[name]}")
        flags = _command.flags(options) if flags is None else flags
        self.index = None if against is None else _index.Index(spark, against, flags)
        if self.index:
            flags = self.index.method
        contract = _stage.once([*of, "contract", *flags]).rstrip("\n")
        self.method = contract.split(" ", 2)[2]  # after the protocol and the cleaning
        self.here = one_process(self.spark.sparkContext)
        ship(self.spark)
        self.worker = _stage.Worker([*flags, f"--expect={contract}"], _command.path() if self.here else None, self.shipped(flags), self.index.flags if self.index else ())

    @contextlib.contextmanager
    def settings(self):
        """Within, Spark plans joins as _places wants them."""
        before = self.spark.conf.get(CO_PARTITION)
        self.spark.conf.set(CO_PARTITION, "false")
        try:
            yield
        finally:
            self.spark.conf.set(CO_PARTITION, before)

    @contextlib.contextmanager
    def step(self, name: str):
        """Spark's pages and logs call the jobs that run within by this name."""
        sc = self.spark.sparkContext
        before = sc.getLocalProperty("spark.job.description")
        sc.setJobDescription("neardup: " + name)
        self.tell(name)
        try:
            yield
        finally:
            sc.setJobDescription(before)

    def stage(self, df: DataFrame, stage, schema: str) -> DataFrame:
        return df.mapInArrow(stage, schema)

    def divided(self, df: DataFrame, *by) -> DataFrame:
        """Rows that agree in the columns come to one partition."""
        return df.repartition(self.partitions, *by) if self.partitions else df.repartition(*by)

    @property
    def labels(self):
        """Numbers that repartition sends to one partition each, in order, so that parts lie as the command divides them."""
        if self._labels is None:
            self._labels = _packs.labels(self.partitions or int(self.spark.conf.get("spark.sql.shuffle.partitions")))
        return self._labels

    def by_part(self, df: DataFrame) -> DataFrame:
        """Rows of a part come to one partition."""
        return self.divided(df, "part")

    def keep(self, df: DataFrame) -> DataFrame:
        """Makes it once and keeps it; what is made of it is planned without its past.

        A plan that held all stages before it would double with each use. Kept is it on the checkpoint folder if
        there is one; where one machine is all, which is not lost in part, on its disk: as much as the input has documents, it would fill the
        heap, and collecting garbage cost more than writing and reading it; else in a cache, and what an
        executor takes with it is made again from the input.
        """
        return self._kept(df, eager=True)

    def counted(self, df: DataFrame):
        """(what keep gives, its rows), in fewer jobs than keep and count."""
        made = self._kept(df, eager=not self.here)  # what goes to a folder later is made twice
        return made, made._jdf.queryExecution().toRdd().count()

    def _kept(self, df, eager) -> DataFrame:
        sc = self.spark.sparkContext
        if self.here:
            return df.localCheckpoint(eager, StorageLevel.DISK_ONLY)
        if sc._jsc.sc().getCheckpointDir().isDefined():
            return df.checkpoint(eager)
        df = df.persist()
        rows = df._jdf.queryExecution().toRdd()
        made = DataFrame(self.spark._jsparkSession.internalCreateDataFrame(rows, df._jdf.schema(), False), self.spark)
        self.cached.append((made, df))
        return made

    def folder(self) -> str:
        """A folder of the driver for small files, gone when Python ends."""
        if self._folder is None:
            self._folder = _folders.held()
        return self._folder

    def shipped(self, flags) -> dict:
        """Sends the files that flags name to executors on other machines, under names of what is in them: {flag: (before, name, after)}."""
        out = {}
        for flag in () if self.here else flags:
            named = FILES.fullmatch(flag)
            if named:
                before, path, after = (part for part in named.groups() if part is not None)
                with open(path, "rb") as f:
                    known = "file-" + hashlib.sha256(f.read()).hexdigest()[:32]
                sent = os.path.join(self.folder(), known)
                shutil.copyfile(path, sent)
                self.spark.sparkContext.addFile(sent)
                out[flag] = (before, known, after)
        return out

    def release(self, but=()):
        """Gives back what was cached, but for what results still read."""
        for made, df in self.cached:
            if not any(made is b for b in but):
                df.unpersist()


def one_process(sc) -> bool:
    """Whether the driver is its own executor: local[2], but not local-cluster."""
    return re.match(r"local(\[|$)", sc.master) is not None


def ship(spark):
    """Sends package and command to executors on other machines, once."""
    sc = spark.sparkContext
    if getattr(sc, "_neardup_shipped", False):
        return
    if one_process(sc) and "PYSPARK_PYTHON" not in os.environ and not sc.getConf().get("spark.pyspark.python"):
        sc.pythonExec = sys.executable  # not the python3 on PATH, which has none of this where no environment is activated
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = _folders.held()
    package = os.path.join(folder, "package", "neardup")
    shutil.copytree(here, package, ignore=shutil.ignore_patterns("bin", "__pycache__"))
    sc.addPyFile(shutil.make_archive(os.path.join(folder, "neardup-package"), "zip", os.path.dirname(package)))
    if not one_process(sc):
        command = os.path.join(folder, "neardup")
        shutil.copy2(_command.path(), command)
        sc.addFile(command)
    sc._neardup_shipped = True


def digest(decisions: DataFrame) -> str:
    """The digest of decisions: equal to that of `neardup dedup` if they are equal."""
    return totals(decisions)[1]


def totals(decisions: DataFrame, checked=False):
    """({documents, kept, variants, equal, blank}, digest, the checks of kept texts in one if there is a column of them), in one pass."""
    spark = classic(decisions)
    ship(spark)
    worker = _stage.Worker(program=_command.path() if one_process(spark.sparkContext) else None)
    check = F.col("check") if checked else F.lit(0).cast("long").alias("check")
    columns = decisions.select("id", "decision", "leader", F.coalesce("similarity", F.lit(0.0)).alias("similarity"), "variant_of", "basis", check)
    parts = columns.mapInArrow(_stage.digest(worker), "digest string, " + "".join(f"{n} long, " for n in _stage.TOTALS) + "checks long").collect()
    lines = "".join(p.digest + "\n" for p in parts).encode()
    checks = functools.reduce(operator.xor, (p.checks for p in parts), 0)
    return {n: sum(p[n] for p in parts) for n in _stage.TOTALS}, _stage.once(["digest"], lines).strip(), checks
