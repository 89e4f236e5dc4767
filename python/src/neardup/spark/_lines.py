"""Columns to lines of the worker and back, without a loop over rows.

Lines are fields parted by tabs; worker/doc.go has their contents.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv


TAB, END, NOTHING = (pa.scalar(s, pa.large_string()) for s in ("\t", "\n", ""))


def escape(texts):
    """Backslash, tab, newline and return of a column as \\\\, \\t, \\n, \\r."""
    texts = pc.fill_null(texts.cast(pa.large_string()), "")
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

    def one(s):
        head, *rest = s.split("\\")
        out, rest = [head], iter(rest)
        for part in rest:
            if part == "":  # a backslash itself
                out.append("\\" + next(rest, ""))
            else:
                out.append(names[part[0]] + part[1:])
        return "".join(out)

    return pa.array([one(s) if "\\" in s else s for s in texts.to_pylist()], pa.string())


def join(*columns, last=TAB):
    """The lines of two columns or more, as bytes. A str is the same field in each line; last is what parts the last two columns."""
    parts = []
    for c in columns:
        parts += [pa.scalar(c, pa.large_string()) if isinstance(c, str) else c.cast(pa.large_string()), TAB]
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
    digits = numbers.to_numpy(zero_copy_only=False).astype(">i8").tobytes().hex().encode()
    ends = np.arange(len(numbers) + 1, dtype=np.int64) * 16
    return pa.LargeStringArray.from_buffers(len(numbers), pa.py_buffer(ends), pa.py_buffer(digits))


def numbers(strings):
    """16 hex digits each, and spaces anywhere, as int64."""
    raw = bytes.fromhex(bytes(data(strings)).decode("ascii"))
    return np.frombuffer(raw, ">i8").astype(np.int64)


def lists(strings):
    """Numbers of 16 hex digits, parted by spaces, as lists of int64."""
    counts = (pc.binary_length(strings).to_numpy(zero_copy_only=False).astype(np.int64) + 1) // 17
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(numbers(strings)))


def parse(lines, **types):
    """The columns of whole lines; strings are as they stand."""
    return csv.read_csv(
        pa.py_buffer(lines),
        read_options=csv.ReadOptions(column_names=list(types), use_threads=False, block_size=max(len(lines), 1)),
        parse_options=csv.ParseOptions(delimiter="\t", quote_char=False, escape_char=False, newlines_in_values=False, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(column_types=types, strings_can_be_null=False, null_values=[""]),
    ).combine_chunks()
