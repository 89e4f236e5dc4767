"""Places of rows, in the order in which documents are decided, and frames whose rows keep their places.

A place is the number of a piece of the input and, in its lower 33 bits, the number of a row within it.
"""

from __future__ import annotations

from typing import Callable, Sequence, Union

from pyspark.sql import Column, DataFrame, SparkSession, functions as F

from .._command import Error
from . import _jar
from ._columns import PLACES, column, id_of, numbered_by_us, text_of
from ._small import connect, pinned
from ._tables import Tables

ROW_BITS = 33
ROWS = (1 << ROW_BITS) - 1
PIECE = "neardup_piece"
MANY = 4  # with this many pieces for each core or more, a task has several

# Spark joins by two columns if a side is already partitioned by one of them.
CO_PARTITION = "spark.sql.requireAllClusterKeysForCoPartition"


class Placed:
    """Rows with the column place, planned once: each reading gives the same rows in the same partitions.

    All rows of a piece are in one partition, and the plan declares it to Spark. Tables that are joined with them are sent to the
    partitions; the rows are not shuffled, and keep their order. CO_PARTITION must be false when such a join is planned.
    """

    def __init__(self, rows: DataFrame, partitions: Union[None, Sequence[int], Callable] = None):
        """partitions: the partition of each piece, or a function that finds them in the planned RDD; None: pieces are partitions."""
        n = rows._jdf.queryExecution().toRdd().getNumPartitions()
        labels = list(map(int, _jar.stages(rows.sparkSession).labels(max(n, 1)).split(",")))
        plan = rows.withColumn(PIECE, F.get(constants(labels), F.spark_partition_id()))._jdf
        rdd = plan.queryExecution().toRdd().setName(PLACES)
        if rdd.getNumPartitions() != n:
            raise Error("Spark divided its input differently when it planned it again")
        self.partitions = partitions(rdd) if callable(partitions) else partitions
        self.labels = labels if self.partitions is None else [labels[p] for p in self.partitions]
        self._rows = _lying(rows.sparkSession, rdd, plan.schema())

    @property
    def rows(self) -> DataFrame:
        return self._rows.drop(PIECE)

    def where(self, condition) -> Placed:
        some = object.__new__(Placed)
        some.partitions, some.labels, some._rows = self.partitions, self.labels, self._rows.where(condition)
        return some

    def join(self, small: DataFrame, how="inner", few=False) -> DataFrame:
        """Joins the rows with another frame by place: its rows are sent to all executors if few, else to their partitions."""
        if few:
            return self.rows.join(F.broadcast(small), "place", how)
        piece = F.get(constants(self.labels), F.shiftright("place", ROW_BITS).cast("int"))
        return self._rows.join(small.withColumn(PIECE, piece).hint("shuffle_hash"), [PIECE, "place"], how).drop(PIECE)


def _lying(spark, rdd, schema) -> DataFrame:
    """A frame of rows that are partitioned by the hash of their piece: Spark's plan for an RDD, which declares this partitioning."""
    session, jvm = spark._jsparkSession, spark._jvm
    plan = session.internalCreateDataFrame(rdd, schema, False).queryExecution().analyzed()
    piece = plan.output().apply(plan.output().size() - 1)
    by = jvm.org.apache.spark.sql.catalyst.plans.physical.HashPartitioning(jvm.PythonUtils.toSeq([piece]), rdd.getNumPartitions())
    fields = spark.sparkContext._gateway.new_array(jvm.Object, plan.productArity())
    for i in range(len(fields)):
        fields[i] = by if i == 2 else plan.productElement(i)
    return DataFrame(jvm.org.apache.spark.sql.classic.Dataset.ofRows(session, plan.makeCopy(fields)), spark)


def constants(values: Sequence[int]) -> Column:
    """A constant array, as fast for very many elements as for few."""
    return F.split(F.lit(",".join(map(str, values))), ",").cast("array<bigint>" if max(values) >> 31 else "array<int>")


# Steps that compute each row from one row and leave it in its partition.
NARROW = {"Project", "Filter", "Generate", "SubqueryAlias", "View", "LocalRelation", "Range", "OneRowRelation"}


def stable(df: DataFrame) -> bool:
    """Whether a plan gives the same rows in the same partitions whenever it runs: files, and what is computed of each row by itself."""

    def of(plan):
        kind = _kind(plan)
        if kind == "LogicalRelation":
            own = _kind(plan.relation()) == "HadoopFsRelation"
        elif kind == "LogicalRDD":
            own = plan.rdd().isCheckpointed() or _is_placed(plan)
        else:
            own = kind in NARROW
        return own and plan.deterministic() and plan.subqueries().isEmpty() and all(map(of, _each(plan.children())))

    return of(df._jdf.queryExecution().analyzed())


def _kind(of) -> str:
    return of.getClass().getSimpleName()


def _each(seq):
    return (seq.apply(i) for i in range(seq.size()))


def _leaves(df: DataFrame):
    return _each(df._jdf.queryExecution().analyzed().collectLeaves())


def _is_placed(plan) -> bool:
    return _kind(plan) == "LogicalRDD" and plan.rdd().name() == PLACES


NEEDED = "what is larger than one task, pairs, passages and pictures need Spark 4 and a session with a master (spark.api.mode=classic, without SPARK_REMOTE)"


def whole(session) -> bool:
    """Whether a session can run the stages of a cluster: Spark 4, not over Connect."""
    return not connect(session) and int(session.version.split(".")[0]) >= 4


def session_of(of) -> SparkSession:
    session = getattr(of, "sparkSession", of)
    if not hasattr(session, "version"):
        raise Error(f"a DataFrame of Spark is needed, not {type(of).__module__}.{type(of).__qualname__}: neardup.dedup takes pandas and polars")
    return session


def refuse_tables(df: DataFrame):
    if not connect(df.sparkSession):
        Tables(df.sparkSession).refuse_of(df)


def classic(of) -> SparkSession:
    """The session of a frame, or a session, that can run the stages of a cluster."""
    session = session_of(of)
    if not whole(session):
        raise Error(f"this is {'Spark Connect' if connect(session) else 'Spark ' + session.version}: {NEEDED}")
    return session


def numbered(df: DataFrame, *, order: Union[None, str, Sequence[str]] = None) -> DataFrame:
    """The rows of df with one more column, place, by which those of decisions can be joined with them.

    Places are in the order of the rows, or of the columns that order= names. A row always keeps its place: a plan that
    may give other rows in a partition when it runs again, as after a shuffle, is run here and stored on disk.
    """
    session = session_of(df)
    if "place" in df.columns:
        raise Error("column 'place' already exists")
    refuse_tables(df)
    if order:
        df = df.orderBy(*[column(df, name) for name in ([order] if isinstance(order, str) else order)])
    rows = df.select("*", F.monotonically_increasing_id().alias("place", metadata={"neardup": PLACES}))
    if not whole(session):
        return pinned(rows)
    return Placed(rows if stable(df) else pinned(rows)).rows


def placed(df: DataFrame, id: str, text: str, order=(), most=0) -> Placed:
    """(place, id, text) of the documents of df. A text of more than most bytes is an error."""
    refuse_tables(df)
    columns = [id_of(df, id).alias("id"), text_of(df, text, most).alias("text")]
    if numbered_by_us(df):
        if order:
            raise TypeError("order= is of no use here: the frame has places of numbered(). Pass order= to numbered()")
        if not stable(df) or not any(_is_placed(leaf) for leaf in _leaves(df)):
            raise Error("the frame of column 'place' was shuffled or written since: drop the column, and call numbered() last")
        return spread(df.select("place", *columns))
    chosen = df.select(*columns)
    if order:
        chosen = df.orderBy(*[column(df, name) for name in order], id_of(df, id)).select(*columns)
    rows = chosen.select(F.monotonically_increasing_id().alias("place"), "id", "text")
    return spread(rows if stable(chosen) else pinned(rows))


def spread(rows: DataFrame) -> Placed:
    """Rows whose pieces are their partitions. With many pieces a task has several, because each task starts a child."""
    most = MANY * rows.sparkSession.sparkContext.defaultParallelism
    pieces = rows._jdf.queryExecution().toRdd().getNumPartitions()
    if pieces <= most:
        return Placed(rows)
    return Placed(rows.coalesce(most), lambda rdd: coalesced(rdd, range(pieces)))


def coalesced(rdd, pieces) -> list:
    """The partition of each piece."""
    to = {p: at for at, several in enumerate(rdd.partitions()) for p in several.parentsIndices()}
    return [to[p] for p in pieces]
