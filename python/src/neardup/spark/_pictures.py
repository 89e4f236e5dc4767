"""Files of pictures to the texts of their fingerprints, which dedup and pairs compare by the method images."""

from __future__ import annotations

from pyspark.sql import DataFrame, functions as F
from pyspark.sql.types import StringType, StructField, StructType

from .._command import Error
from . import _jar, _stage
from ._columns import column, quoted
from ._places import classic

MADE = ("pdq", "error")


def fingerprints(df: DataFrame, *, content: str = "content") -> DataFrame:
    """The rows of df without the bytes of their pictures, and with two more columns: pdq, the fingerprint of each as a text
    (hash, quality, size, SHA-256 of the file), and error, why there is none.

    df is what spark.read.format("binaryFile") reads, or any frame with a column of bytes. Save the result, as pictures are
    decoded each time it is used, and give it to dedup or pairs: dedup(hashes, id="path", text="pdq", method="images").
    """
    spark = classic(df)
    taken = next((name for name in MADE if name in df.columns), None)
    if taken:
        raise Error(f"there is a column {taken!r} already")
    bytes_of = column(df, content, ("binary",))
    # That it is base64 is said, as the first bytes may be those of none; Spark may break it into lines.
    line = F.concat(F.lit('{"image":"data:;base64,'), F.translate(F.coalesce(F.base64(bytes_of), F.lit("")), "\r\n", ""), F.lit('"}'))
    rows = df.select(*[F.col(quoted(c)) for c in df.columns if c != content], line.alias("content of pictures"))
    argv = _stage.Worker(program=_jar.program(spark)).words("read", "-", "--format=images")
    made = _jar.stages(spark).beside(_jar.rows_of(rows), rows._jdf.schema(), argv, "--ss")
    return _jar.frame(spark, made, StructType([*rows.schema.fields[:-1], *(StructField(name, StringType()) for name in MADE)]))
