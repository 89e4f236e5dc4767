"""Files that are read in pieces: places of their rows, and of lines from those back to file and line."""

import collections
import re

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, functions as F

from .._command import Error
from . import _jar
from ._places import MANY, ROW_BITS, ROWS, Placed, coalesced, constants

PIECE = 16 << 20  # bytes of a piece of a file, at least, where each core has some
LARGEST = 128 << 20


def lengths(job, sizes):
    """(bytes of a piece of files, at most; how many partitions are wanted)."""
    cores = job.spark.sparkContext.defaultParallelism
    most = min(job.pieces or cores, max(4 * cores, sum(sizes) // PIECE))
    return max(1, min(LARGEST, -(-sum(sizes) // most))), most


class Lines:
    """Lines of files, in pieces that the jar reads: rows (place, text). Where there are many pieces a partition has several, one behind the other."""

    def __init__(self, job, files, sizes):
        self.spark, self.files = job.spark, list(map(plain, files))
        self._names = "\0".join(files)
        self._stages, self._context = _jar.stages(self.spark), self.spark.sparkContext._jsc.sc()
        length, most = lengths(job, sizes)
        solid = bytes(self._stages.solid(self._context, self._names))
        cuts = []
        for i, size in enumerate(sizes):
            step = max(1, size if solid[i] else length)
            cuts += [(i, at, min(size, at + step)) for at in range(0, size, step)]
        self._pieces = np.array(cuts, np.int64).reshape(-1, 3)
        part = np.arange(len(cuts))
        if len(cuts) > MANY * most:  # neighbours share a partition
            ends = np.cumsum(self._pieces[:, 2] - self._pieces[:, 1])
            part = (ends - 1) * most // ends[-1]
        begins = np.diff(part, prepend=-1) != 0
        self.placed = Placed(self._rows(self._pieces, np.flatnonzero(begins)), (np.cumsum(begins) - 1).tolist())

    def _rows(self, pieces, firsts):
        rows = self._stages.lines(self._context, self._names, pieces.astype("<i8").tobytes(), firsts.astype("<i8").tobytes())
        return _jar.frame(self.spark, rows, "place long, text string")

    def at(self, rows: DataFrame) -> DataFrame:
        """Rows that have a place, with file and line instead. Of a file in several pieces lines before a piece are counted, in another reading."""
        rows = rows.withColumn("piece", F.shiftright("place", ROW_BITS))
        number = self._pieces[:, 0]
        wanted = np.array(sorted(r.piece for r in rows.select("piece").distinct().collect()), np.int64)
        first = np.searchsorted(number, number[wanted])  # piece of its file
        before = np.zeros(len(number), np.int64)
        before[[n for a, b in zip(first, wanted) for n in range(a, b)]] = 1
        counted = np.flatnonzero(before)
        if len(counted):
            read = self._rows(self._pieces[counted], np.arange(len(counted)))
            of = read.groupBy(F.shiftright("place", ROW_BITS).alias("piece")).count()
            before[counted] = 0
            for r in of.collect():
                before[counted[r.piece]] = r["count"]
        ends = np.concatenate([[0], np.cumsum(before)])
        known = pa.table({"piece": wanted, "file": [self.files[number[p]] for p in wanted], "before": ends[wanted] - ends[first]})
        line = F.col("before") + F.col("place").bitwiseAND(ROWS) + 1
        return rows.join(F.broadcast(self.spark.createDataFrame(known)), "piece").withColumn("line", line).drop("piece", "before", "place")


class Pieces:
    """scan: the rows of files, a piece of them a partition; place: the column that gives their places.

    Spark deals the pieces out by their lengths, the longest first. Their rank, which begins a place, is that in the order of
    the files: ranks has it for each partition, or is None where it is the number of the partition. Where files
    are many and small a partition has several pieces, in no order: then ordered is False.
    """

    def __init__(self, job, files, sizes, read):
        """sizes: bytes of each of the files; read makes a scan of a list of patterns. Sets how the session divides files from now on."""
        self.spark = spark = job.spark
        length, most = lengths(job, sizes)
        # One piece a partition: what a further one costs by Spark's reckoning is as much as a piece.
        for name, value in (("maxPartitionBytes", f"{length}b"), ("openCostInBytes", f"{length}b"), ("maxPartitionNum", 2**31 - 1)):
            spark.conf.set("spark.sql.files." + name, value)
        self.scan = read(list(map(escaped, files)))
        at = [piece for (piece,) in partitions(self.scan, files)]
        read = {number for number, _ in at}
        if lost := [f for i, f in enumerate(files) if sizes[i] and i not in read]:
            raise Error(f"{plain(lost[0])}: Spark does not read it; rename it")
        by_rank = sorted(range(len(at)), key=at.__getitem__)
        self.file = F.get(constants([file for file, _ in at]), F.spark_partition_id()).cast("long")  # of a row, its number
        self.ranks = None
        self.place = F.monotonically_increasing_id()
        if by_rank != list(range(len(by_rank))):
            self.ranks = [0] * len(by_rank)
            for rank, p in enumerate(by_rank):
                self.ranks[p] = rank
            rank = F.get(constants(self.ranks), F.spark_partition_id()).cast("long")
            self.place = F.shiftleft(rank, ROW_BITS) + self.place.bitwiseAND(ROWS)
        self._partitions, self._most = by_rank, most
        self.ordered = len(at) <= MANY * most
        if not self.ordered:  # a task for each file costs more than to sort what is kept
            self.ranks = None

    def placed(self, rows: DataFrame) -> Placed:
        """Of rows of the scan, with their place."""
        return Placed(rows, self._partitions) if self.ordered else Placed(rows.coalesce(self._most), lambda rdd: coalesced(rdd, self._partitions))


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
