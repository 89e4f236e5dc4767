"""The state that all stages of one call share: the session, the flags."""

import contextlib
import os
import warnings

from pyspark.sql import DataFrame, SparkSession, functions as F

from .. import _command
from . import _folders, _index, _jar, _stage
from ._places import CO_PARTITION, classic, constants, session_of, whole
from ._small import explained, pinned

FEW = 1_000_000  # rows of two or three numbers that are sent to all rather than shuffled


class Job:
    """One call of dedup, pairs or passages; `of` names the stages of passages."""

    def __init__(self, spark: SparkSession, options: dict, partitions=None, flags=None, tell=lambda step: None, note=warnings.warn, pieces=None, against=None, of=()):
        self.spark = spark
        self.tell, self.note = tell, note  # called with the step that begins, and with notes for the user
        self.partitions = partitions  # of each shuffle; None: Spark chooses, and combines small ones
        self.pieces = pieces  # the most pieces in which files are read
        self._folder = None
        flags = _command.flags(options) if flags is None else flags
        self.index = None if against is None else _index.Index(spark, against, flags)
        if self.index:
            flags = self.index.method
        contract = _stage.once([*of, "contract", *flags]).rstrip("\n")
        self.method = contract.split(" ", 2)[2]  # after the protocol and the cleaning
        self.flags, self.reads = [*flags, f"--expect={contract}"], self.index.flags if self.index else []  # of all stages, and of those that read the index

    @contextlib.contextmanager
    def step(self, name: str):
        """Spark's pages and logs show the jobs within under this name."""
        sc = self.spark.sparkContext
        before = sc.getLocalProperty("spark.job.description")
        sc.setJobDescription("neardup: " + name)
        self.tell(name)
        try:
            yield
        finally:
            sc.setJobDescription(before)

    def stage(self, df: DataFrame, stage: _stage.Stage) -> DataFrame:
        """The output of a stage for a frame; shuffles before it run at once."""
        return _jar.run(self.spark, _jar.words(self.spark, "worker", *stage.argv, *self.flags), stage, df)

    def divided(self, df: DataFrame, *by) -> DataFrame:
        """Puts rows that agree in the columns into one partition."""
        return df.repartition(self.partitions, *by) if self.partitions else df.repartition(*by)

    @property
    def parts(self) -> int:
        """The number of parts into which the command divides packs."""
        return self.partitions or int(self.spark.conf.get("spark.sql.shuffle.partitions"))

    def by_part(self, df: DataFrame) -> DataFrame:
        """Puts the rows of each part into a partition of their own."""
        labels = _jar.stages(self.spark).labels(self.parts).split(",")
        return self.divided(df, F.get(constants(list(map(int, labels))), F.col("part").cast("int")))

    def counted(self, df: DataFrame):
        """(a frame that is computed once, its number of rows)."""
        made = pinned(df)
        return made, _jar.rows_of(made).count()

    def folder(self) -> str:
        """A folder of the driver for small files, removed when Python ends."""
        if self._folder is None:
            self._folder = _folders.held()
        return self._folder


@contextlib.contextmanager
def apart(df: DataFrame):
    """A frame in a session of its own, with the settings that _places needs: the user's session is not changed. A failure is raised as an Error with a short message."""
    spark = classic(df)
    own = type(spark)(spark.sparkContext, spark._jsparkSession.cloneSession())
    own.conf.set(CO_PARTITION, "false")
    with explained():
        yield moved(df, own)


def moved(df: DataFrame, spark: SparkSession) -> DataFrame:
    """A frame in another session of the same context."""
    return DataFrame(spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, df._jdf.queryExecution().analyzed()), spark)


def digest(decisions: DataFrame) -> str:
    """The digest of decisions: that of `neardup dedup` for the same decisions."""
    spark = session_of(decisions)
    columns = decisions.select("id", "decision", "leader", F.coalesce("similarity", F.lit(0.0)).alias("similarity"), "variant_of")
    if whole(spark) and os.path.exists(_jar.JAR):
        parts = _jar.run(spark, _jar.words(spark, "worker", "digest"), _stage.digest(), columns).collect()
        rows = [(part.id, None, None, 0.0, None) for part in parts]
    else:
        rows = columns.toLocalIterator()
    return _command.run_bytes(["worker", "digest"], feed=(_stage.row(*r) for r in rows))[-64:].decode()
