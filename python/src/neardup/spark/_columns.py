"""Reads documents from the columns of a frame, by public calls of Spark only."""

from __future__ import annotations

import re
from typing import Sequence

from pyspark.sql import Column, DataFrame, functions as F
from pyspark.sql.types import StructType

from .._command import Error, OptionError

PLACES = "neardup places"  # metadata of a column that numbered() made
MOST = "16MiB"  # the largest text, as --max-document
UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
IDS = re.compile(r"(string|char|varchar|tinyint|smallint|int|bigint|decimal|binary|void)\b")


def size_of(value) -> int:
    """Bytes of a size: 1048576, or "1MiB"."""
    found = re.fullmatch(r"(\d+)\s*(|B|KiB|MiB|GiB)", str(value))
    if not found:
        raise OptionError(f"max_document={value!r}: invalid size (want for example '16MiB')")
    return int(found[1]) * UNITS[found[2]]


def text_of(df: DataFrame, name: str, most: int) -> Column:
    """The texts; a text longer than most bytes is an error."""
    text = column(df, name, ("string",))
    size = F.octet_length(text)
    why = F.concat(F.lit(f"neardup: column {name!r} has a text of "), size.cast("string"), F.lit(f" bytes, more than max_document={most}: raise it, or leave the row out"))
    return F.when(text.isNull() | (size <= most), text).otherwise(F.raise_error(why))


def numbered_by_us(df: DataFrame) -> bool:
    return "place" in df.columns and "neardup" in df.schema["place"].metadata


def id_of(df: DataFrame, name: str) -> Column:
    """The ids as strings. Bytes must be UTF-8, because ids that are not would become equal."""
    ids, kind = column(df, name), kind_of(df, name)
    if not IDS.match(kind):
        raise Error(f"column {name!r} is {kind}, not a string, an integer, a decimal or bytes of UTF-8: name another column of ids, or cast this one")
    if kind != "binary":
        return ids.cast("string")
    if int(df.sparkSession.version.split(".")[0]) >= 4:
        valid = F.is_valid_utf8(ids.cast("string"))
    else:
        valid = F.encode(F.decode(ids, "UTF-8"), "UTF-8") == ids
    why = F.concat(F.lit(f"neardup: column {name!r} has bytes that are not UTF-8, such as "), F.hex(ids), F.lit(": take hex(id) for the id"))
    return F.when(ids.isNull() | valid, ids.cast("string")).otherwise(F.raise_error(why))


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def column(rows: DataFrame, name: str, types: Sequence[str] = ()) -> Column:
    """A column by its name, or by its path with dots; types are those that it may have."""
    kind = kind_of(rows, name)
    if types and kind not in types:
        raise Error(f"column {name!r} is {kind}, not {types[0]}")
    return F.col(".".join(map(quoted, path_of(rows, name))))


def path_of(rows: DataFrame, name: str) -> list:
    return [name] if name in rows.columns else name.split(".")


def kind_of(rows: DataFrame, name: str) -> str:
    """The type of a column."""
    kind = rows.schema
    for part in path_of(rows, name):
        if not isinstance(kind, StructType) or part not in kind.names:
            raise Error(f"no column {name!r}; the columns are {', '.join(rows.columns)}")
        kind = kind[part].dataType
    return kind.simpleString()
