"""Lines of files that Spark reads in pieces, each a partition: their places, and from those back to file and line."""

import bisect
import collections
import itertools
import re

from pyspark.sql import DataFrame, functions as F

from .._command import Error

PIECE = 16 << 20  # bytes of a piece of a file, at least, where each core has some
LARGEST = 128 << 20
MANY = 4  # times as many pieces as partitions are wanted: from there on a partition has several
ROW_BITS = 33  # of a place: the row within a piece, and before it the rank of the piece


class Pieces:
    """rows: (place, text), a row for each line, its bytes as they are but for the line feed that ends it.

    Spark deals the pieces out by their lengths, the longest first. Their rank is that in the order of
    the files: ranks has it for each partition, or is None where it is the number of the partition. Where files
    are many and small a partition has several pieces, in no order: then ordered is False.
    """

    def __init__(self, job, files, sizes):
        """sizes: bytes of each of the files. Sets how the session divides files from now on."""
        self.spark = spark = job.spark
        cores = spark.sparkContext.defaultParallelism
        most = min(job.pieces or cores, max(4 * cores, sum(sizes) // PIECE))
        length = max(1, min(LARGEST, -(-sum(sizes) // most)))
        # One piece a partition: what a further one costs by Spark's reckoning is as much as a piece.
        for name, value in (("maxPartitionBytes", f"{length}b"), ("openCostInBytes", f"{length}b"), ("maxPartitionNum", 2**31 - 1)):
            spark.conf.set("spark.sql.files." + name, value)
        lines = spark.read.option("lineSep", "\n").text(list(map(escaped, files)))
        at = _pieces(lines, files)
        read = {number for number, _ in at}
        if lost := [f for i, f in enumerate(files) if sizes[i] and i not in read]:
            raise Error(f"{plain(lost[0])}: Spark does not read it; rename it")
        by_rank = sorted(range(len(at)), key=at.__getitem__)
        self.number = [at[p][0] for p in by_rank]  # of the file of each rank
        self.files = list(map(plain, files))
        self.ranks = None
        place = F.monotonically_increasing_id()
        if by_rank != list(range(len(by_rank))):
            self.ranks = [0] * len(by_rank)
            for rank, p in enumerate(by_rank):
                self.ranks[p] = rank
            rank = F.get(F.lit(self.ranks).cast("array<bigint>"), F.spark_partition_id())
            place = F.shiftleft(rank, ROW_BITS) + place.bitwiseAND((1 << ROW_BITS) - 1)
        self.rows = lines.select(place.alias("place"), F.col("value").alias("text"))
        self.ordered = len(at) <= MANY * most
        if not self.ordered:  # a task for each file costs more than to sort what is kept
            self.rows, self.ranks = self.rows.coalesce(most), None

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
            of = self.rows.select(F.shiftright("place", ROW_BITS).alias("piece")).where(F.col("piece").isin(counted))
            counts = {r.piece: r["count"] for r in of.groupBy("piece").count().collect()}
        found = []
        for first, end in ends.items():
            before = itertools.accumulate((counts.get(i, 0) for i in range(first, end)), initial=0)
            found += [(i, self.files[self.number[i]], n) for i, n in zip(range(first, end + 1), before)]
        known = F.broadcast(self.spark.createDataFrame(found, "piece long, file string, before long"))
        line = F.col("before") + F.col("place").bitwiseAND((1 << ROW_BITS) - 1) + 1
        return rows.join(known, "piece").withColumn("line", line).drop("piece", "before", "place")


def _pieces(lines, files):
    """(number of its file, start) of the piece that each partition is."""
    numbers = collections.defaultdict(list)
    for i, name in enumerate(files):
        numbers[name].append(i)  # a file that is named again is read again
    seen, out = collections.Counter(), []
    for partition in lines._jdf.queryExecution().toRdd().partitions():
        (piece,) = partition.files()
        at = piece.toPath().toString(), piece.start()
        out.append((numbers[at[0]][seen[at]], at[1]))
        seen[at] += 1
    return out


def plain(path):
    """A file of this machine as a path."""
    return "/" + path.removeprefix("file:").lstrip("/") if path.startswith("file:/") else path


GLOB = re.compile(r"[\\{}\[\]*?,^]")


def escaped(path):
    """A pattern that is the path alone."""
    return GLOB.sub(r"\\\g<0>", path)
