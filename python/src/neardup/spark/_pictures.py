"""Files of pictures to the texts of their fingerprints, which dedup and pairs compare by the method images."""

from __future__ import annotations

import base64

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, functions as F
from pyspark.sql.types import StringType

from .. import _command
from .._command import Error
from . import _files, _lines, _stage
from ._job import one_process, ship
from ._places import classic, column, quoted

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
    ship(spark)
    program = _command.path() if one_process(spark.sparkContext) else None
    rows = df.select(*[F.col(quoted(c)) for c in df.columns if c != content], bytes_of.alias("content of pictures"))
    schema = df.select(*[F.col(quoted(c)) for c in df.columns if c != content]).schema
    for name in MADE:
        schema = schema.add(name, StringType())
    return rows.mapInArrow(_hashed(program), schema)


def _hashed(program):
    def run(parts):
        for b in _stage.filled(parts):
            argv = [program or _stage.command(), "worker", "read", "-", "--format=images"]
            read = pa.Table.from_batches(list(_stage.child(argv, map(_line, b.column(b.num_columns - 1)), _files.read_lines)))
            if read.num_rows != b.num_rows:
                raise Error(f"of {b.num_rows} pictures {read.num_rows} came back")
            text, reason = (read.column(name).combine_chunks() for name in ("text", "reason"))
            made = pc.if_else(pc.is_null(reason), text, _lines.NULL), reason
            yield pa.RecordBatch.from_arrays([*b.columns[:-1], *made], [*b.schema.names[:-1], *MADE])

    return run


def _line(picture):
    """A picture as a line of JSON; that it is base64 is said, as the first bytes may be those of none."""
    content = picture.as_buffer() if picture.is_valid else b""
    return b'{"image":"data:;base64,' + base64.b64encode(content) + b'"}\n'
