"""Files that are read in pieces: gives their rows places, and finds file and line of a place."""

import itertools
import re

import pyarrow as pa
from pyspark.sql import DataFrame, functions as F

from .._command import Error
from ._places import MANY, ROW_BITS, ROWS, Placed, coalesced, constants

PIECE = 16 << 20  # least bytes of a piece of a file, if every core has one
LARGEST = 128 << 20


class Pieces:
    """scan: the rows of files, each piece a partition; place: the column of their places.

    Spark orders the pieces by length, the longest first. A place begins with the rank of its piece in the order of
    the files: ranks has it for each partition, or is None if it is the number of the partition. With many
    small files a partition has several pieces, in no order: then ordered is False.
    """

    def __init__(self, job, files, sizes, read):
        """sizes: bytes of each of the files; read makes a scan of a list of patterns. From then on the session divides files so."""
        self.spark = spark = job.spark
        cores = spark.sparkContext.defaultParallelism
        most = min(job.pieces or cores, max(4 * cores, sum(sizes) // PIECE))
        length = max(1, min(LARGEST, -(-sum(sizes) // most)))
        # One piece for each partition: Spark is set to count opening a file as a whole piece.
        for name, value in (("maxPartitionBytes", f"{length}b"), ("openCostInBytes", f"{length}b"), ("maxPartitionNum", 2**31 - 1)):
            spark.conf.set("spark.sql.files." + name, value)
        self.scan = read(list(map(escaped, files)))
        number = {name: i for i, name in enumerate(files)}
        parts = [part.files() for part in self.scan._jdf.queryExecution().toRdd().partitions()]
        at = [(number[piece.toPath().toString()], piece.start()) for (piece,) in parts]
        read = {file for file, _ in at}
        if lost := [f for i, f in enumerate(files) if sizes[i] and i not in read]:
            raise Error(f"{plain(lost[0])}: Spark does not read it; rename it")
        by_rank = sorted(range(len(at)), key=at.__getitem__)
        self.file = F.get(constants([file for file, _ in at]), F.spark_partition_id()).cast("long")  # the number of the file of a row
        self.ranks = None
        self.place = F.monotonically_increasing_id()
        if by_rank != list(range(len(by_rank))):
            self.ranks = [0] * len(by_rank)
            for rank, p in enumerate(by_rank):
                self.ranks[p] = rank
            rank = F.get(constants(self.ranks), F.spark_partition_id()).cast("long")
            self.place = F.shiftleft(rank, ROW_BITS) + self.place.bitwiseAND(ROWS)
        self._partitions, self._most = by_rank, most
        self._files, self._of = list(map(plain, files)), [at[p] for p in by_rank]
        self.ordered = len(at) <= MANY * most
        if not self.ordered:  # a task for each file would cost more than sorting the kept rows
            self.ranks = None

    def placed(self, rows: DataFrame) -> Placed:
        """Rows of the scan with their places."""
        return Placed(rows, self._partitions) if self.ordered else Placed(rows.coalesce(self._most), lambda rdd: coalesced(rdd, self._partitions))

    def lines(self, rows: DataFrame) -> DataFrame:
        """Replaces the place of rows by file and line. If a file has several pieces it is read again to count its lines."""
        rows = rows.withColumn("piece", F.shiftright("place", ROW_BITS))
        wanted = [r.piece for r in rows.select("piece").distinct().collect()]
        ends = [0] * (len(self._of) + 1)
        if any(self._of[p][1] for p in wanted):
            counts = dict(map(tuple, self.scan.select(F.shiftright(self.place, ROW_BITS).alias("piece")).groupBy("piece").count().collect()))
            ends = [0, *itertools.accumulate(counts.get(p, 0) for p in range(len(self._of)))]
        first = {file: p for p, (file, start) in enumerate(self._of) if start == 0}
        of = [(p, self._of[p][0]) for p in wanted]
        table = {"piece": wanted, "file": [self._files[f] for _, f in of], "before": [ends[p] - ends[first[f]] for p, f in of]}
        line = F.col("before") + F.col("place").bitwiseAND(ROWS) + 1
        return rows.join(F.broadcast(self.spark.createDataFrame(pa.table(table))), "piece").withColumn("line", line).drop("piece", "before", "place")


def plain(path):
    """A file of this machine as a path."""
    return "/" + path.removeprefix("file:").lstrip("/") if path.startswith("file:/") else path


GLOB = re.compile(r"[\\{}\[\]*?,^]")


def escaped(path):
    """A pattern that matches only the path."""
    return GLOB.sub(r"\\\g<0>", path)
