"""Columns to lines of the worker and back, without a loop over rows.

Lines are fields parted by tabs; worker/doc.go has their contents.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv


# pa.array, pa.scalar, to_numpy and strings that pc is given import pandas, to see whether something is of its kind: half a second of CPU,
# and 40 MB, for each Python of an executor. What follows does without.


def one(text, kind=pa.string()):
    """A string as a scalar; None is null."""
    if text is None:
        return pa.nulls(1, kind)[0]
    raw = text.encode()
    ends = np.array([0, len(raw)], np.int32)
    return pa.StringArray.from_buffers(1, pa.py_buffer(ends), pa.py_buffer(raw))[0].cast(kind)


def column(values, valid=None):
    """Numbers of numpy as a column, with null where they are not valid."""
    known = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [known, pa.py_buffer(np.ascontiguousarray(values))])


def binaries(values):
    """A list of bytes as a column."""
    ends = np.cumsum([0, *map(len, values)], dtype=np.int32)
    return pa.Array.from_buffers(pa.binary(), len(values), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(values))])


def values(column):
    """A column of numbers as an array of numpy; what is null is any number."""
    kind = np.dtype(str(column.type))
    return np.frombuffer(column.buffers()[1], kind, len(column), column.offset * kind.itemsize) if len(column) else np.empty(0, kind)


def mask(booleans):
    """A column of booleans without null as an array of numpy."""
    return values(booleans.cast(pa.uint8())).view(bool)


TAB, END, NOTHING = (one(s, pa.large_string()) for s in ("\t", "\n", ""))
EMPTY, NULL = one(""), one(None)


def escape(texts):
    """Backslash, tab, newline and return of a column as \\\\, \\t, \\n, \\r."""
    texts = pc.fill_null(texts.cast(pa.large_string()), NOTHING)
    whole = bytes(data(texts))
    for raw, escaped in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        if raw.encode() in whole:
            texts = pc.replace_substring(texts, pattern=raw, replacement=escaped)
    return texts


def unescape(texts):
    """Undoes escape; few texts have anything to undo."""
    found = pc.match_substring(texts, "\\")
    if not pc.any(found).as_py():
        return texts
    names = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}

    def raw(s):
        head, *rest = s.split("\\")
        out, rest = [head], iter(rest)
        for part in rest:
            if part == "":  # a backslash itself
                out.append("\\" + next(rest, ""))
            else:
                out.append(names[part[0]] + part[1:])
        return "".join(out)

    return pa.array([raw(s) if "\\" in s else s for s in texts.to_pylist()], pa.string())


def join(*columns, last=TAB):
    """The lines of two columns or more, as bytes. A str is the same field in each line; last is what parts the last two columns."""
    parts = []
    for c in columns:
        parts += [one(c, pa.large_string()) if isinstance(c, str) else c.cast(pa.large_string()), TAB]
    parts[-3:] = [last, parts[-2], END]
    return data(pc.binary_join_element_wise(*parts, NOTHING, null_handling="replace", null_replacement=""))


def data(strings):
    """The bytes of all strings of an array, one after the other."""
    if isinstance(strings, pa.ChunkedArray):
        strings = pa.concat_arrays(strings.chunks)
    if len(strings) == 0:
        return b""
    wide = pa.types.is_large_string(strings.type) or pa.types.is_large_binary(strings.type)
    ends = np.frombuffer(strings.buffers()[1], np.int64 if wide else np.int32)
    start, end = ends[strings.offset], ends[strings.offset + len(strings)]
    return memoryview(strings.buffers()[2])[start:end]


def hexed(numbers):
    """A column of int64 as 16 hex digits each."""
    digits = values(numbers).astype(">i8").tobytes().hex().encode()
    ends = np.arange(len(numbers) + 1, dtype=np.int64) * 16
    return pa.LargeStringArray.from_buffers(len(numbers), pa.py_buffer(ends), pa.py_buffer(digits))


def numbers(strings):
    """16 hex digits each, and spaces anywhere, as int64."""
    raw = bytes.fromhex(bytes(data(strings)).decode("ascii"))
    return np.frombuffer(raw, ">i8").astype(np.int64)


def lists(strings):
    """Numbers of 16 hex digits, parted by spaces, as lists of int64."""
    counts = (values(pc.binary_length(strings)).astype(np.int64) + 1) // 17
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return pa.ListArray.from_arrays(column(ends), column(numbers(strings)))


def parse(lines, **types):
    """The columns of whole lines; strings are as they stand."""
    return csv.read_csv(
        pa.py_buffer(lines),
        read_options=csv.ReadOptions(column_names=list(types), use_threads=False, block_size=max(len(lines), 1)),
        parse_options=csv.ParseOptions(delimiter="\t", quote_char=False, escape_char=False, newlines_in_values=False, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(column_types=types, strings_can_be_null=False, null_values=[""]),
    ).combine_chunks()
