"""Turns pictures into texts of their fingerprints, which dedup and pairs compare by the method images."""

from __future__ import annotations

from pyspark.sql import DataFrame, functions as F
from pyspark.sql.types import StringType, StructField, StructType

from .._command import Error
from . import _jar
from ._columns import column, quoted
from ._places import classic

MADE = ("pdq", "error")


def fingerprints(df: DataFrame, *, content: str = "content") -> DataFrame:
    """The rows of df without the bytes of their pictures, and with two more columns: pdq, the fingerprint of each as a text
    (hash, quality, size, SHA-256 of the file), and error, the reason if there is none.

    df is what spark.read.format("binaryFile") reads, or any frame with a column of bytes. Save the result, because pictures
    are decoded each time it is used, and give it to dedup or pairs: dedup(hashes, id="path", text="pdq", method="images").
    """
    spark = classic(df)
    taken = next((name for name in MADE if name in df.columns), None)
    if taken:
        raise Error(f"column {taken!r} already exists")
    bytes_of = column(df, content, ("binary",))
    # The prefix marks base64, because the bytes may not begin as a picture does; Spark may break it into lines.
    line = F.concat(F.lit('{"image":"data:;base64,'), F.translate(F.coalesce(F.base64(bytes_of), F.lit("")), "\r\n", ""), F.lit('"}'))
    rest = [F.col(quoted(c)) for c in df.columns if c != content]
    rows = df.select((F.struct(*rest) if rest else F.lit(None).cast("struct<>")).alias("rest"), line.alias("line"))
    kind = StructType([rows.schema["rest"], *(StructField(name, StringType()) for name in MADE)])
    argv = _jar.words(spark, "worker", "texts", "--format=images")
    made = _jar.frame(spark, _jar.stages(spark).run(_jar.rows_of(rows), argv, None, 3), kind)
    return made.select("rest.*", *MADE)
