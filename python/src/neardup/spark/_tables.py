"""Refuses folders of tables whose own log marks files as deleted: their files must not be read directly."""

from .._command import Error

READERS = {"Delta": "spark.read.format('delta').load", "Iceberg": "spark.read.format('iceberg').load", "Hudi": "spark.read.format('hudi').load"}


class Tables:
    """Checks each folder once."""

    def __init__(self, spark):
        self._spark, self._seen = spark, set()

    def refuse_around(self, path):
        """Fails if a folder that contains a path is a table."""
        if (around := path.getParent()) and around.toString() not in self._seen:
            self._seen.add(around.toString())
            fs, Path = self._of(path), self._spark._jvm.org.apache.hadoop.fs.Path
            self.refuse(around, [n for n in ("_delta_log", ".hoodie", "metadata") if fs.exists(Path(around, n))])
            self.refuse_around(around)

    def refuse(self, folder, names):
        """Fails if a folder with files and folders of these names is a table."""
        kind = "Delta" if "_delta_log" in names else "Hudi" if ".hoodie" in names else None
        if "metadata" in names and kind is None:
            inside = self._spark._jvm.org.apache.hadoop.fs.Path(folder, "metadata")
            kind = next(("Iceberg" for s in self._of(inside).listStatus(inside) if s.getPath().getName().endswith(".metadata.json")), None)
        if kind:
            raise Error(f"{folder.toString()} is a table of {kind}, in whose folder files lie that it has deleted: "
                        f"give neardup.spark.dedup the frame that {READERS[kind]} makes")

    def refuse_of(self, df):
        """Fails if a frame reads the files of a table without its log."""
        leaves = df._jdf.queryExecution().analyzed().collectLeaves()
        for i in range(leaves.size()):
            relation = leaves.apply(i)
            if relation.getClass().getSimpleName() != "LogicalRelation" or relation.relation().getClass().getSimpleName() != "HadoopFsRelation":
                continue
            files = relation.relation().location()
            if files.getClass().getSimpleName() == "InMemoryFileIndex":  # the index of a table's reader uses the log
                Path, roots = self._spark._jvm.org.apache.hadoop.fs.Path, files.rootPaths()
                for n in range(roots.size()):
                    self.refuse_around(Path(roots.apply(n), "any"))

    def _of(self, path):
        return path.getFileSystem(self._spark._jsc.hadoopConfiguration())
