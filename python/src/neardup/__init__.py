"""Near-duplicate texts: which ones, of which, and how similar they are.

>>> import neardup
>>> [d["leader"] for d in neardup.dedup(["one text", "another one", "one text"], method="exact")]
[None, None, 0]
"""

from __future__ import annotations

import glob
import itertools
import json
import os
import re
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence, TypedDict, Union, overload

from ._command import Error, OptionError, flags, path, run

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["dedup", "pairs", "Decision", "Pair", "Error", "OptionError", "path"]
__version__ = "0.1.0"

FIELDS = ("decision", "leader", "similarity", "distance", "method", "basis", "variant_of", "kept_by")
PAIR = ("a", "b", "similarity", "distance", "relation", "basis")

Path = Union["os.PathLike[str]", "Sequence[os.PathLike[str]]"]


class Decision(TypedDict, total=False):
    """What became of a text. id is there for files, whose leaders are ids too."""

    id: str
    decision: str
    leader: Union[int, str, None]
    similarity: Optional[float]
    distance: Optional[int]
    method: str
    basis: Optional[str]
    variant_of: Union[int, str, None]
    kept_by: Optional[str]


class Pair(TypedDict):
    """Two near texts."""

    a: Union[int, str]
    b: Union[int, str]
    similarity: float
    distance: Optional[int]
    relation: str
    basis: str


@overload
def dedup(data: "pandas.DataFrame | pandas.Series", *, text: str = ..., method: str = ..., threshold: Optional[float] = ..., **options: object) -> "pandas.DataFrame": ...
@overload
def dedup(data: "polars.DataFrame | polars.LazyFrame | polars.Series", *, text: str = ..., method: str = ..., threshold: Optional[float] = ..., **options: object) -> "polars.DataFrame": ...
@overload
def dedup(data: "Path | str | Iterable[str]", *, text: str = ..., method: str = ..., threshold: Optional[float] = ..., **options: object) -> "List[Decision]": ...
@overload
def dedup(data: "pyarrow.Table", *, text: str = ..., method: str = ..., threshold: Optional[float] = ..., **options: object) -> "pyarrow.Table": ...


def dedup(data: Any, *, text: str = "text", method: str = "auto", threshold: Optional[float] = None, **options: object) -> Any:
    """Decides for each text whether it is new or a near-duplicate of one kept.

    data is an iterable of strings; a pandas or polars DataFrame, a polars LazyFrame or a
    pyarrow Table with a column `text`; a Series, in which a missing text is an empty one; or
    what the command reads: a path, a pattern, or a list of pathlib.Paths, with `text` the
    field. Other options are flags of `neardup dedup`: keep="longest", memory="4GiB",
    overrides="rulings.jsonl". keep="source:wiki,*; latest" looks at columns of a table, too,
    and "kept_by" is the key that decided.

    Of strings it returns a list with a dict for each, in their order; "leader"
    and "variant_of" are indices. Of pandas it returns a DataFrame with the
    same index; they are labels of that index. Of polars or a Table it returns
    a table with a row for each; they are numbers of rows. Of files it returns the
    decisions as the command writes them, in the order of keep, with ids.
    """
    options = {"method": method, "threshold": threshold, **options}
    names = _files(data)
    if names:
        return _decide(names, {**options, **_field(text)})
    data, kind = _table_of(data, text)
    rows = _of_strings(_texts(data, text, kind), options, _others(data, kind, text, options))
    if kind == "strings":
        return rows
    if kind == "pandas":
        return _of_frame(rows, data.index)
    columns = {k: [d[k] for d in rows] for k in FIELDS}
    return _table(columns, kind, {"leader": "int64", "variant_of": "int64", "distance": "int64", "similarity": "double"})


@overload
def pairs(data: "pandas.DataFrame | pandas.Series", *, text: str = ..., method: str = ..., threshold: Optional[float] = ..., variants: bool = ..., **options: object) -> "pandas.DataFrame": ...
@overload
def pairs(data: "polars.DataFrame | polars.LazyFrame | polars.Series", *, text: str = ..., method: str = ..., threshold: Optional[float] = ..., variants: bool = ..., **options: object) -> "polars.DataFrame": ...
@overload
def pairs(data: "Path | str | Iterable[str]", *, text: str = ..., method: str = ..., threshold: Optional[float] = ..., variants: bool = ..., **options: object) -> "List[Pair]": ...
@overload
def pairs(data: "pyarrow.Table", *, text: str = ..., method: str = ..., threshold: Optional[float] = ..., variants: bool = ..., **options: object) -> "pyarrow.Table": ...


def pairs(data: Any, *, text: str = "text", method: str = "auto", threshold: Optional[float] = None, variants: bool = False, **options: object) -> Any:
    """Every verified pair of near texts: a before b, similarity, distance, relation, basis.

    data and options are those of dedup; a and b are indices, labels, numbers of rows or ids as
    there. Of strings and files it returns a list of dicts, else a table of the kind of data.
    variants=True lists variants too. n equal texts are n*(n-1)/2 pairs.
    """
    options = {"method": method, "threshold": threshold, "with_variants": variants or None, **options}
    names = _files(data)
    if names:
        return _pairs(names, {**options, **_field(text)})
    data, kind = _table_of(data, text)
    texts = iter(_texts(data, text, kind))
    first = next(texts, None)
    rows = [] if first is None else _pairs(["--format=jsonl", "-"], options, _feed(itertools.chain([first], texts), [0]))
    for d in rows:
        d["a"], d["b"] = int(d["a"]), int(d["b"])
    if kind == "strings":
        return rows
    if kind == "pandas":
        for d in rows:
            d["a"], d["b"] = data.index[d["a"]], data.index[d["b"]]
    columns = {k: [d[k] for d in rows] for k in PAIR}
    return _table(columns, kind, {"a": "int64", "b": "int64", "distance": "int64", "similarity": "double"})


def _pairs(inputs, options, feed=None):
    with tempfile.TemporaryDirectory(prefix="neardup-") as folder:
        name = os.path.join(folder, "pairs.tsv")
        run(["pairs", "--quiet", "--exact", f"--out={name}", *flags(options), *inputs], feed=feed)
        out = []
        with open(name, encoding="utf-8", newline="\n") as f:
            next(f)
            for line in f:
                a, b, similarity, distance, relation, basis, *_ = line.rstrip("\n").split("\t")
                out.append(dict(zip(PAIR, (
                    _unescaped(a), _unescaped(b), float(similarity), int(distance) if distance else None, relation, _unescaped(basis)))))
        return out


def _unescaped(field):
    """Undoes the escapes of a table: \\\\, \\t, \\n, \\r."""
    if "\\" not in field:
        return field
    return re.sub(r"\\(.)", lambda m: {"t": "\t", "n": "\n", "r": "\r"}.get(m[1], m[1]), field)


def _field(text):
    """The flag of a field that is not the usual one."""
    return {} if text == "text" else {"text_field": text}


def _files(data):
    """The names of files, None if data is none."""
    if isinstance(data, os.PathLike) or hasattr(data, "__fspath__"):
        return [os.fspath(data)]
    if isinstance(data, str):
        if os.path.exists(data) or (any(c in data for c in "*?[") and glob.glob(data)):
            return [data]
        raise FileNotFoundError(f"{data!r} is no file; for one text, pass a list")
    if isinstance(data, (list, tuple)) and data:
        if all(isinstance(d, os.PathLike) for d in data):
            return [os.fspath(d) for d in data]
        named = next((d for d in data[:1000] if isinstance(d, str) and _like_file(d)), None)
        if named is not None:
            warnings.warn(f"the texts are compared as they are, and {named!r} looks like the name of a file; "
                          "to read files, pass a list of pathlib.Path", stacklevel=3)
    return None


def _like_file(text):
    """Whether a text is the name of a file that is there, or of one that the command could read."""
    if len(text) >= 4096 or any(c in text for c in "\0\n"):
        return False
    return bool(re.fullmatch(r"\S+\.(jsonl|json|csv|tsv|parquet|warc|html?|txt)(\.(gz|zst|zstd))?", text)) or os.path.isfile(text)


def _table_of(data, text):
    """What data is, known by what it can do: no library is imported for it."""
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        data = data.collect()  # a LazyFrame
    if hasattr(data, "to_frame"):
        data = data.to_frame(text)  # a Series
    if hasattr(data, "columns") and hasattr(data, "index"):
        kind, names = "pandas", data.columns
    elif hasattr(data, "column_names") and hasattr(data, "to_batches"):
        kind, names = "pyarrow", data.column_names
    elif hasattr(data, "iter_slices"):
        kind, names = "polars", data.columns
    else:
        if not hasattr(data, "__iter__"):
            raise TypeError(f"data is {type(data).__name__}: texts, a table or a path are wanted")
        return data, "strings"
    if text not in names:
        raise KeyError(f"no column {text!r}: the columns are {', '.join(map(str, names))}")
    return data, kind


def _texts(data, text, kind):
    if kind == "strings":
        return data
    if kind == "pyarrow":
        return (_missing(s) for chunk in data.column(text).chunks for s in chunk.to_pylist())
    return (_missing(s) for s in data[text])


def _table(columns, kind, types):
    """A table of the kind, its columns typed also where they are empty."""
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    import pyarrow

    at = {"int64": pyarrow.int64(), "double": pyarrow.float64()}
    table = pyarrow.table({k: pyarrow.array(v, at.get(types.get(k), pyarrow.string())) for k, v in columns.items()})
    if kind == "pyarrow":
        return table
    import polars

    return polars.from_arrow(table)


def _decide(inputs, options, feed=None):
    """Runs the command and returns its decisions."""
    with tempfile.TemporaryDirectory(prefix="neardup-") as folder:
        name = os.path.join(folder, "decisions.jsonl")
        run(["dedup", "--quiet", f"--decisions={name}", *flags(options), *inputs], feed=feed)
        with open(name, encoding="utf-8") as f:
            return [_plain(json.loads(line)) for line in f]


def _plain(decision):
    decision["variant_of"], decision["kept_by"] = decision.pop("variantOf", None), decision.pop("keptBy", None)
    return {"id": decision.pop("id"), **{k: decision.pop(k, None) for k in FIELDS}, **decision}


def _others(data, kind, text, options):
    """For each row a dict of the columns that keep looks at; of strings there are none."""
    if kind == "strings":
        return None
    names = {"time", "url"}
    for key in str(options.get("keep", "")).split(";"):
        field = re.match(r"\s*(?:([^:]+):|(?:largest|smallest) (.+))", key)
        names |= {n.strip() for n in (field.groups() if field else ()) if n}
    have = data.column_names if kind == "pyarrow" else data.columns
    names = [n for n in names if n in have and n not in ("id", text)]
    if "keep" not in options or not names:
        return None
    columns = (data.column(n).to_pylist() if kind == "pyarrow" else data[n] for n in names)
    return ({n: v for n, v in zip(names, row) if _missing(v) != ""} for row in zip(*columns))


def _of_strings(texts, options, others=None):
    texts = iter(texts)
    first = next(texts, None)
    if first is None:
        return []  # the command refuses to read nothing
    counted = [0]
    found = _decide(["--format=jsonl", "-"], options, _feed(itertools.chain([first], texts), counted, others))
    count = counted[0]
    out = [None] * count
    for d in found:
        at = d.pop("id")
        for k in ("leader", "variant_of"):
            if d[k] is not None:
                d[k] = int(d[k])
        out[int(at)] = d
    return out


def _feed(texts, counted, others=None):
    """The texts as JSONL with their numbers as ids, and others beside them; counted[0] counts them."""
    others = others or itertools.repeat({})
    for s in texts:
        if not isinstance(s, str):
            hint = ": pass a list of paths only, or read it first" if isinstance(s, os.PathLike) else ""
            raise TypeError(f"text {counted[0]} is {type(s).__name__}, not str{hint}")
        yield json.dumps({**next(others), "id": str(counted[0]), "text": s}, default=str).encode("ascii") + b"\n"
        counted[0] += 1


def _of_frame(rows, labels):
    import pandas

    for d in rows:
        for k in ("leader", "variant_of"):
            if d[k] is not None:
                d[k] = labels[d[k]]
    columns = {k: [d[k] for d in rows] for k in FIELDS}
    for k in ("leader", "distance", "variant_of", "kept_by"):
        columns[k] = pandas.Series(columns[k], index=labels, dtype=object)
    return pandas.DataFrame(columns, index=labels)


def _missing(value):
    """A missing text is empty; what is no text is an error."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return "" if value != value else value  # NaN
    except TypeError:
        return ""  # pandas.NA says neither yes nor no
