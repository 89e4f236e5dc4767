"""Reads texts from what callers pass, and makes tables of results."""

from __future__ import annotations

import glob
import itertools
import json
import os
import re
import warnings
from collections.abc import Mapping


def field(text):
    """The flag that names the field, unless it is the default one."""
    if isinstance(text, (list, tuple, set)):
        raise TypeError(f"text is {type(text).__name__}, not str; name several fields in one string, 'title,body'")
    return {} if text == "text" else {"text_field": text}


def files(data):
    """The names of files, None if data is none."""
    if isinstance(data, os.PathLike) or hasattr(data, "__fspath__"):
        return [os.fspath(data)]
    if isinstance(data, str):
        if os.path.exists(data) or (any(c in data for c in "*?[") and glob.glob(data)):
            return [data]
        raise FileNotFoundError(f"{data!r} is not a file; for one text, pass a list")
    if isinstance(data, (list, tuple)) and data:
        if all(isinstance(d, os.PathLike) for d in data):
            return [os.fspath(d) for d in data]
        named = next((d for d in data[:1000] if isinstance(d, str) and like_file(d)), None)
        if named is not None:
            warnings.warn(f"the texts are compared as they are, and {named!r} looks like the name of a file; "
                          "to read files, pass a list of pathlib.Path", stacklevel=3)
    return None


def like_file(text):
    """Whether a text names an existing file, or looks like one that the command could read."""
    if len(text) >= 4096 or any(c in text for c in "\0\n"):
        return False
    return bool(re.fullmatch(r"\S+\.(jsonl|json|csv|tsv|parquet|arrows?|feather|warc|html?|txt)(\.(gz|zst|zstd))?", text)) or os.path.isfile(text)


def table_of(data, text):
    """Returns the kind of data by its attributes, without importing a library."""
    field(text)
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        data = data.collect()  # a LazyFrame
    if hasattr(data, "to_frame"):
        data = data.to_frame(text)  # a Series
    if hasattr(data, "columns") and hasattr(data, "index"):
        kind, names = "pandas", data.columns
    elif hasattr(data, "column_names") and hasattr(data, "to_batches"):
        kind, names = "pyarrow", data.column_names
    elif hasattr(data, "column_names") and hasattr(data, "features") and hasattr(data, "select_columns"):
        kind, names = "datasets", data.column_names
    elif hasattr(data, "iter_slices"):
        kind, names = "polars", data.columns
    else:
        if not hasattr(data, "__iter__") or isinstance(data, (bytes, Mapping)):
            raise TypeError(f"data is {type(data).__name__}: an iterable of texts, a table or a path is wanted")
        if iter(data) is data:
            first = list(itertools.islice(data, 1))
            data = itertools.chain(first, data)
        else:
            first = data[:1] if isinstance(data, (list, tuple)) else ()
        return data, "dicts" if first and isinstance(first[0], Mapping) else "strings"
    for name in [text] if text in names else heads(text):
        if name not in names:
            raise KeyError(f"no column {name!r}: the columns are {', '.join(map(str, names))}")
    return data, kind


def heads(text):
    """The columns of a path, or of several, such as messages[].content,title."""
    return [re.split(r"[.\[]", part.strip())[0] for part in text.split(",")]


def fed(data, text, kind):
    """The flag of the field in which the command finds each text that texts() yields."""
    own = kind == "strings" or (kind != "dicts" and text in (data.columns if kind in ("pandas", "polars") else data.column_names))
    return {} if own else field(text)


def texts(data, text, kind):
    """Yields texts; of dicts, and of columns that a path names, it yields dicts."""
    if kind == "dicts":
        return iter(data)
    if fed(data, text, kind):
        names = heads(text)
        return ({n: v if hasattr(v, "__len__") else missing(v) for n, v in zip(names, row)} for row in zip(*(column(data, n, kind) for n in names)))
    if kind == "pyarrow":
        return (missing(s) for chunk in data.column(text).chunks for s in chunk.to_pylist())
    if kind == "datasets":
        parts = data.select_columns([text]).with_format("arrow").iter(1000)
        return (missing(s) for part in parts for s in part.column(text).to_pylist())
    return (missing(s) for s in (data if kind == "strings" else data[text]))


def table(columns, kind, types, data, each=False):
    """A table of the kind with typed columns, also if they are empty. Columns of the type row name rows of data: by number,
    in pandas by label. each: there is a row for each of data."""
    if kind == "pandas":
        import pandas

        like = pandas.api.types
        row = "Int64" if like.is_integer_dtype(data.index) else "string" if like.is_string_dtype(data.index) else data.index.dtype
        at = {"row": row, "int64": "Int64", "double": "float64", "bool": "bool"}

        def series(name, values):
            kind = types.get(name)
            if kind == "row":
                values = [data.index[v] if isinstance(v, int) else v for v in values]
            index = data.index if each else None
            try:
                return pandas.Series(values, index=index, dtype=at.get(kind, "string"))
            except (TypeError, ValueError):  # labels, and ids of what came before
                return pandas.Series(values, index=index, dtype=object)

        return pandas.DataFrame({k: series(k, v) for k, v in columns.items()})
    import pyarrow

    at = {"row": pyarrow.int64(), "int64": pyarrow.int64(), "double": pyarrow.float64(), "bool": pyarrow.bool_()}
    table = pyarrow.table({k: pyarrow.array(v, at.get(types.get(k), pyarrow.string())) for k, v in columns.items()})
    if kind == "pyarrow":
        return table
    if kind == "datasets":
        import datasets

        return datasets.Dataset(datasets.table.InMemoryTable(table))
    import polars

    return polars.from_arrow(table)


def others(data, text, kind, options):
    """For each row a dict of the columns that keep and per read; None for strings."""
    if kind in ("strings", "dicts"):
        return None
    names = {"time", "url"}
    for key in str(options.get("keep", "")).split(";"):
        field = re.match(r"\s*(?:([^:]+):|(?:largest|smallest) (.+))", key)
        names |= {n.strip() for n in (field.groups() if field else ()) if n}
    names |= {n.strip() for n in str(options.get("per", "")).split(",") if n.strip() and n.strip() != "site"}
    have = data.columns if kind in ("pandas", "polars") else data.column_names
    names = [n for n in names if n in have and n not in ("id", text)]
    if not {"keep", "per"} & options.keys() or not names:
        return None
    return ({n: v for n, v in zip(names, row) if missing(v) != ""} for row in zip(*(column(data, n, kind) for n in names)))


def column(data, name, kind):
    """The values of a column."""
    if kind in ("strings", "dicts"):
        return [d[name] for d in data]
    return data.column(name).to_pylist() if kind == "pyarrow" else data[name].to_list() if kind == "polars" else data[name]


def rows(data, text, at):
    """The rows of data with these numbers, as data of the same kind."""
    kind = table_of(data, text)[1]
    field(text)
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        data = data.collect()
    if kind in ("strings", "dicts"):
        return [data[i] for i in at]
    if kind == "pandas":
        return data.iloc[at]
    if kind == "polars":
        return data[at]
    return data.take(at) if kind == "pyarrow" else data.select(at)


FEW = 1 << 20  # characters of texts that need no new process, plus 100 for each text


def few(texts):
    """Returns the texts as a list, or None if they are many or dicts, and an iterator over them."""
    start, size = [], 0
    for s in checked(texts):
        start.append(s)
        size += len(s) + 100
        if size > FEW or not isinstance(s, str):
            return None, itertools.chain(start, texts)
    return start, iter(start)


def checked(texts):
    for i, s in enumerate(texts):
        if not isinstance(s, (str, Mapping)):
            hint = ": pass a list of paths only, or read it first" if isinstance(s, os.PathLike) else ""
            raise TypeError(f"text {i} is {type(s).__name__}, not str{hint}")
        yield s


def feed(texts, counted, own="", others=None):
    """Yields the texts as JSONL: the id is own and their number, and others are further fields;
    counted[0] counts them."""
    others = others or itertools.repeat({})
    for s in checked(texts):
        of = {"text": s} if isinstance(s, str) else s
        yield json.dumps({**next(others), **of, "id": f"{own}{counted[0]}"}, default=_json).encode("ascii") + b"\n"
        counted[0] += 1


def _json(value):
    return value.tolist() if hasattr(value, "tolist") else str(value)


def missing(value):
    """A missing text is empty; what is not text is an error."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return "" if value != value else value  # NaN
    except TypeError:
        return ""  # a comparison with pandas.NA is neither true nor false
