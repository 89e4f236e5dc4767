"""Files that Spark reads in pieces, each a partition: places of their rows, and from those back to file and line."""

import bisect
import collections
import itertools
import re

import pyarrow as pa
from pyspark.sql import DataFrame, functions as F

from .._command import Error
from ._places import ROW_BITS, ROWS, Placed, numbers

PIECE = 16 << 20  # bytes of a piece of a file, at least, where each core has some
LARGEST = 128 << 20
MANY = 4  # times as many pieces as partitions are wanted: from there on a partition has several


class Pieces:
    """scan: the rows of files, a piece of them a partition; place: the column that gives their places.

    Spark deals the pieces out by their lengths, the longest first. Their rank, which begins a place, is that in the order of
    the files: ranks has it for each partition, or is None where it is the number of the partition. Where files
    are many and small a partition has several pieces, in no order: then ordered is False.
    """

    def __init__(self, job, files, sizes, read):
        """sizes: bytes of each of the files; read makes a scan of a list of patterns. Sets how the session divides files from now on."""
        self.spark = spark = job.spark
        cores = spark.sparkContext.defaultParallelism
        most = min(job.pieces or cores, max(4 * cores, sum(sizes) // PIECE))
        length = max(1, min(LARGEST, -(-sum(sizes) // most)))
        # One piece a partition: what a further one costs by Spark's reckoning is as much as a piece.
        for name, value in (("maxPartitionBytes", f"{length}b"), ("openCostInBytes", f"{length}b"), ("maxPartitionNum", 2**31 - 1)):
            spark.conf.set("spark.sql.files." + name, value)
        self.scan = read(list(map(escaped, files)))
        at = [piece for (piece,) in partitions(self.scan, files)]
        read = {number for number, _ in at}
        if lost := [f for i, f in enumerate(files) if sizes[i] and i not in read]:
            raise Error(f"{plain(lost[0])}: Spark does not read it; rename it")
        by_rank = sorted(range(len(at)), key=at.__getitem__)
        self.number = [at[p][0] for p in by_rank]  # of the file of each rank
        self.files = list(map(plain, files))
        self.file = F.get(numbers([file for file, _ in at]), F.spark_partition_id()).cast("long")  # of a row, its number
        self.ranks = None
        self.place = F.monotonically_increasing_id()
        if by_rank != list(range(len(by_rank))):
            self.ranks = [0] * len(by_rank)
            for rank, p in enumerate(by_rank):
                self.ranks[p] = rank
            rank = F.get(numbers(self.ranks), F.spark_partition_id()).cast("long")
            self.place = F.shiftleft(rank, ROW_BITS) + self.place.bitwiseAND(ROWS)
        self._partitions, self._most = by_rank, most
        self.ordered = len(at) <= MANY * most
        if not self.ordered:  # a task for each file costs more than to sort what is kept
            self.ranks = None

    def placed(self, rows: DataFrame) -> Placed:
        """Of rows of the scan, with their place."""
        return Placed(rows, self._partitions) if self.ordered else Placed(rows.coalesce(self._most), self._coalesced)

    def _coalesced(self, rdd):
        """Of each rank its partition, where one has several."""
        to = {p: at for at, several in enumerate(rdd.partitions()) for p in several.parentsIndices()}
        return [to[p] for p in self._partitions]

    def lines(self, rows: DataFrame) -> DataFrame:
        """Rows that have a place, with file and line instead. Lines before a piece are counted, in another reading, only where its file has several."""
        rows = rows.withColumn("piece", F.shiftright("place", ROW_BITS))
        wanted = [r.piece for r in rows.select("piece").distinct().collect()]
        ends = {}  # of the first piece of a file the last that is wanted
        for i in wanted:
            first = bisect.bisect_left(self.number, self.number[i])
            ends[first] = max(i, ends.get(first, i))
        counted, counts = [i for first, end in ends.items() for i in range(first, end)], {}
        if counted:
            of = self.scan.select(F.shiftright(self.place, ROW_BITS).alias("piece")).where(F.col("piece").isin(counted))
            counts = {r.piece: r["count"] for r in of.groupBy("piece").count().collect()}
        found = []
        for first, end in ends.items():
            before = itertools.accumulate((counts.get(i, 0) for i in range(first, end)), initial=0)
            found += [(i, self.files[self.number[i]], n) for i, n in zip(range(first, end + 1), before)]
        known = F.broadcast(self.spark.createDataFrame(pa.table(list(map(list, zip(*found))), ["piece", "file", "before"])))
        line = F.col("before") + F.col("place").bitwiseAND(ROWS) + 1
        return rows.join(known, "piece").withColumn("line", line).drop("piece", "before", "place")


def partitions(scan, files):
    """(number of its file, start) of each of the pieces that a partition has, for each partition."""
    number = collections.defaultdict(list)
    for i, name in enumerate(files):
        number[name].append(i)  # a file that is named again is read again
    seen, out = collections.Counter(), []
    for partition in scan._jdf.queryExecution().toRdd().partitions():
        out.append([])
        for piece in partition.files():
            at = piece.toPath().toString(), piece.start()
            out[-1].append((number[at[0]][seen[at]], at[1]))
            seen[at] += 1
    return out


def plain(path):
    """A file of this machine as a path."""
    return "/" + path.removeprefix("file:").lstrip("/") if path.startswith("file:/") else path


GLOB = re.compile(r"[\\{}\[\]*?,^]")


def escaped(path):
    """A pattern that is the path alone."""
    return GLOB.sub(r"\\\g<0>", path)
