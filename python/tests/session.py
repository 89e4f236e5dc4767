"""A Spark session for tests, and the shared data.

Needs pyspark (pip install './python[spark]'), Java 17 and the shared data.
"""

import atexit
import contextlib
import functools
import importlib.util
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import neardup

DATA = os.environ.get("NEARDUP_TEST_DATA") or os.path.join(os.path.dirname(__file__), "..", "..", "..", "shared", "data")
HAVE = importlib.util.find_spec("pyspark") is not None and os.path.isdir(DATA)
if os.environ.get("CI") == "true" and os.environ.get("NEARDUP_TEST_ENGINES") == "1" and not HAVE:
    raise RuntimeError("pyspark or the shared data are missing")


FIELDS = ("id", "decision", "leader", "similarity", "distance", "method", "basis", "variant_of")  # of a decision


def lines(name, count=None):
    """The first lines of a file, of the shared data where its name is not a whole path; the last one is empty."""
    path = os.path.join(DATA, name)
    if path.endswith(".zst"):
        import pyarrow

        with pyarrow.input_stream(path, compression="zstd") as f:
            text = f.read().decode()
    else:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    return text.split("\n")[:count]


@functools.cache
def context():
    """The session that those of all classes are made of: to start Spark, and its Python workers, takes seconds. $NEARDUP_TEST_REMOTE is a server of Spark Connect."""
    from pyspark.sql import SparkSession

    if remote := os.environ.get("NEARDUP_TEST_REMOTE"):
        return SparkSession.builder.remote(remote).getOrCreate()
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    folder = tempfile.TemporaryDirectory()
    options = {
        # A task that fails is tried again, as on a cluster.
        "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "1g",
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "3",
        # What starts soon counts here, not what runs fast in the end.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.local.dir": folder.name, "spark.sql.warehouse.dir": folder.name,
        "spark.ui.retainedJobs": "100000", "spark.ui.retainedStages": "100000",  # tests count them
    }
    builder = SparkSession.builder.master("local[2,3]")
    for name, value in options.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    atexit.register(folder.cleanup)
    atexit.register(spark.stop)
    return spark


@unittest.skipUnless(HAVE, "pyspark or the shared data are not there")
class Session(unittest.TestCase):
    """Has a session with settings of its own, and a folder."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.spark = context() if "NEARDUP_TEST_REMOTE" in os.environ else context().newSession()

    def write(self, name, rows):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(r + "\n" for r in rows if r)
        return path

    def frame(self, path):
        return self.spark.read.schema("id string, text string").json(path)

    def local(self, path, *flags):
        out = subprocess.run(["neardup", "dedup", "--json", *flags, path], capture_output=True, text=True, check=True).stdout
        return json.loads(out)

    @contextlib.contextmanager
    def killed_children(self, *stages):
        """Within, the first child of each of these stages ends by kill -9; Spark runs its task again."""
        log = tempfile.mkdtemp(dir=self.folder.name)
        script = os.path.join(log, "killing")
        with open(script, "w") as f:
            f.write(f'#!/bin/sh\nfor s in "$2" "$3"; do case " {" ".join(stages)} " in *" $s "*) [ "$1" = worker ] && mkdir "{log}/$s" 2>/dev/null && kill -9 $$;; esac; done\nexec "{neardup.path()}" "$@"\n')
        os.chmod(script, stat.S_IRWXU)
        with unittest.mock.patch.dict(os.environ, NEARDUP_COMMAND=script):
            yield
        self.assertEqual(set(os.listdir(log)) - {"killing"}, set(stages))


class Documents(Session):
    """Has frames of documents, and what the command makes of the same documents."""

    def documents(self, count=120):
        """(id, text), a third of them copies, a quarter of them edited."""
        texts = [json.loads(r)["text"] for r in lines("uci_sms/docs.jsonl", count)]
        return [(f"d{i}", t) for i, t in enumerate(texts + texts[::3] + [t + " !" for t in texts[::4]])]

    def frame_of(self, documents, kind="id string, text string", parts=3):
        return self.spark.createDataFrame(documents, kind).coalesce(parts)

    def agrees(self, df, texts, flags=(), **options):
        """The decisions of df are those of the command for its documents in the order of their places; texts are those of ids."""
        from neardup.spark import dedup

        got = [r.asDict() for r in dedup(df, **options).orderBy("place").collect()]
        path = self.write("in order.jsonl", [json.dumps({"id": r["id"], "text": texts[r["id"]]}) for r in got])
        want = neardup.dedup(path, **{f.split("=")[0]: f.split("=", 1)[1] for f in flags}) if got else []
        self.assertEqual([{f: r[f] for f in FIELDS} for r in got], [{f: r[f] for f in FIELDS} for r in want])
        self.assertEqual([json.loads(r["conflicts"] or "null") for r in got], [r.get("conflicts") for r in want])
        return got
