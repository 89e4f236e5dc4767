"""The jar, which runs stages in Spark's JVMs, and the command that it starts there."""

import os

from pyspark.sql import DataFrame

from .._command import Error
from . import _small, _stage

JAR = os.environ.get("NEARDUP_JAR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "jar", "neardup-spark.jar")


def check():
    """Fails where there is no jar."""
    if not os.path.exists(JAR):
        raise Error(f"no {JAR}, which runs on Spark's machines: this neardup was built without it. Take a released one, build it where Maven and a JDK "
                    "(17 or later) are (pip install ./python; or python3 python/jar.py, and then go build), or name the jar by NEARDUP_JAR")


def words(spark, *argv) -> list:
    """A command line in the form of Command.java."""
    return [[word] if isinstance(word, str) else list(word) for word in _small.argv(spark, *argv)]


def stages(spark):
    """The object of Stages.java. The first call sends the jar to executors."""
    sc = spark.sparkContext
    found = getattr(sc, "_neardup_stages", None)
    if found is None:
        check()
        jvm, new = sc._jvm, sc._gateway.new_array
        sc._jsc.addJar(JAR)
        # A class loader of its own: the running session's does not have the jar, or may have that of another neardup.
        urls = new(jvm.java.net.URL, 1)
        urls[0] = jvm.java.io.File(JAR).toURI().toURL()
        kind = jvm.java.net.URLClassLoader(urls, jvm.Thread.currentThread().getContextClassLoader()).loadClass("neardup.spark.Stages")
        found = sc._neardup_stages = kind.getDeclaredConstructor(new(jvm.Class, 0)).newInstance(new(jvm.Object, 0))
    return found


def rows_of(df: DataFrame):
    """The rows of the plan that Spark runs."""
    return df._jdf.queryExecution().toRdd()


def frame(spark, rows, schema) -> DataFrame:
    """A frame of rows by a schema: a DDL, or a StructType."""
    struct = spark._jvm.org.apache.spark.sql.types.StructType
    kind = struct.fromDDL(schema) if isinstance(schema, str) else spark._jvm.org.apache.spark.sql.types.DataType.fromJson(schema.json())
    return DataFrame(spark._jsparkSession.internalCreateDataFrame(rows, kind, False), spark)


def run(spark, argv, stage, df) -> DataFrame:
    """The output of a stage for the columns of a frame that it reads; argv is from words()."""
    rows = rows_of(df.select(*stage.reads.split()))
    return frame(spark, stages(spark).run(rows, argv, stage.first, len(_stage.names(stage.makes))), stage.makes)
