"""Finds near-duplicate texts, and how similar they are.

dedup decides which texts of a list, a table or files are duplicates, and kept leaves them out; pairs finds every
pair, and rethreshold decides again from pairs; compare explains two texts; check and Index decide on one text at a
time; contaminated finds items of an evaluation; images, spark and client are modules. For details see
help(neardup.dedup) and so on.

>>> import neardup
>>> [d["leader"] for d in neardup.dedup(["one text", "another one", "one text"], method="exact")]
[None, None, 0]
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence, TypedDict, Union, overload

from . import _child, _inputs
from ._against import reference
from ._command import Error, OptionError, batch, path
from ._compare import Comparison, compare
from ._contaminated import Finding as Finding, contaminated
from ._index import Index, Neighbor as Neighbor, Verdict as Verdict, check

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from typing_extensions import Unpack

    from ._options import DedupOptions, PairsOptions

# Types of answers (Conflict, Decision, Finding, Neighbor, Pair, Verdict) are public for annotations. They are not here,
# because help would list the methods of dict for each.
__all__ = ["dedup", "kept", "pairs", "rethreshold", "compare", "check", "Index", "contaminated", "Comparison", "Error", "OptionError", "path"]


def __getattr__(name):
    """The version of the wheel, as __version__."""
    if name != "__version__":
        raise AttributeError(f"module 'neardup' has no attribute {name!r}")
    from importlib import metadata

    return metadata.version("neardup")


def __dir__():
    """The public names, for completion."""
    return [*__all__, "client", "images", "spark", "__version__"]


FIELDS = ("decision", "leader", "similarity", "distance", "method", "basis", "variant_of", "kept_by", "group")
ROWS = ("leader", "variant_of", "group")  # columns that name rows
TYPES = {**dict.fromkeys((*ROWS, "a", "b"), "row"), "distance": "int64", "similarity": "double"}
CALLED = {"method", "threshold", "normalize", "idf", "dictionary", "stopwords"}  # options of a call without a process of its own
PAIR = ("a", "b", "similarity", "distance", "relation", "basis")

Path = Union["os.PathLike[str]", "Sequence[os.PathLike[str]]"]


class Conflict(TypedDict, total=False):
    """A difference between a text and its variant, and its weight in bits."""

    kind: str
    a: str
    b: str
    bits: float


class Decision(TypedDict, total=False):
    """The decision on a text. Only files have id, and their leaders are ids, too; only variants have conflicts.

    group is the leader of a duplicate, and the text itself if it is kept."""

    id: str
    decision: str
    leader: Union[int, str, None]
    similarity: Optional[float]
    distance: Optional[int]
    method: str
    basis: Optional[str]
    variant_of: Union[int, str, None]
    kept_by: Optional[str]
    group: Union[int, str]
    conflicts: List[Conflict]


class Pair(TypedDict):
    """Two near texts."""

    a: Union[int, str]
    b: Union[int, str]
    similarity: float
    distance: Optional[int]
    relation: str
    basis: str


@overload
def dedup(data: "Path | Sequence[Optional[str]]", *, text: str = ..., method: Optional[str] = ..., threshold: Optional[float] = ..., against: Any = ..., summary: Optional[dict] = ..., **options: "Unpack[DedupOptions]") -> "List[Decision]": ...
@overload
def dedup(data: "pandas.DataFrame | pandas.Series", *, text: str = ..., method: Optional[str] = ..., threshold: Optional[float] = ..., against: Any = ..., summary: Optional[dict] = ..., **options: "Unpack[DedupOptions]") -> "pandas.DataFrame": ...
@overload
def dedup(data: "polars.DataFrame | polars.LazyFrame | polars.Series", *, text: str = ..., method: Optional[str] = ..., threshold: Optional[float] = ..., against: Any = ..., summary: Optional[dict] = ..., **options: "Unpack[DedupOptions]") -> "polars.DataFrame": ...
@overload
def dedup(data: "pyarrow.Table", *, text: str = ..., method: Optional[str] = ..., threshold: Optional[float] = ..., against: Any = ..., summary: Optional[dict] = ..., **options: "Unpack[DedupOptions]") -> "pyarrow.Table": ...
@overload
def dedup(data: "Iterable[Optional[str]]", *, text: str = ..., method: Optional[str] = ..., threshold: Optional[float] = ..., against: Any = ..., summary: Optional[dict] = ..., **options: "Unpack[DedupOptions]") -> "List[Decision]": ...


def dedup(data: Any, *, text: str = "text", method: Optional[str] = None, threshold: Optional[float] = None, against: Any = None, summary: Optional[dict] = None, **options: object) -> Any:
    """Decides for each text whether it is new or a near-duplicate of a kept text.

    data is an iterable of strings, or of dicts with `text`; a pandas or polars DataFrame, a polars LazyFrame, a pyarrow
    Table or a Dataset of Hugging Face with a column `text`; a Series; or what the command reads: a path, a pattern,
    or a list of pathlib.Paths, with `text` the field. `text` may be a path, or several: "messages[].content,title". A missing text is an empty one; records
    of files that cannot be read are left out, with a warning. Other options are flags of `neardup dedup`: method="lossless=.98 containment=.9", memory="4GiB",
    overrides="rulings.jsonl", for files resume="left". keep="source:wiki,*; latest" and
    per="language,site" read columns of a table, too, and "kept_by" is the key that decided.

    For strings it returns a list with a dict for each, in their order; "leader"
    and "variant_of" are indices. For pandas it returns a DataFrame with the same
    index; they are labels of that index. For polars, a Table or a Dataset it returns
    one with a row for each text; they are numbers of rows. For files it returns the
    decisions as the command writes them, in the order of keep, with ids.

    against are documents that come before data and are always kept: an index of `neardup index`, files, or
    texts like data. A leader among them is given by its id, "against:3" for the fourth text; in a Table or in
    polars a leader is then always a string. The method is that of an index unless one is given. add=True
    adds files to an index, and makes the index if there is none.

    summary is a dict that receives the summary of the run, such as its digest, recall and seconds. progress=True
    prints to sys.stderr how far the run is; progress=f calls f with each such line instead.
    """
    names, options = _inputs.files(data), {"method": method, "threshold": threshold, **options}
    rows, data, kind, before = _decided(names, data, text, against, options, summary)
    if kind in ("files", "strings", "dicts"):
        return rows
    columns, types = {k: [d[k] for d in rows] for k in FIELDS}, TYPES
    if before and kind != "pandas":
        columns.update((k, [None if v is None else str(v) for v in columns[k]]) for k in ROWS)
        types = {"distance": "int64", "similarity": "double"}
    return _inputs.table(columns, kind, types, data, each=True)


def kept(data: Any, *, text: str = "text", against: Any = None, summary: Optional[dict] = None, **options: object) -> Any:
    """Returns the texts or rows of data that are not duplicates, in order, as data of the same kind.

    Parameters are those of dedup. For files, use dedup(files, out="kept.jsonl").
    """
    if _inputs.files(data):
        raise TypeError('data is a list of files: use dedup(files, out="kept.jsonl")')
    if not hasattr(data, "__getitem__") and not hasattr(data, "collect_schema"):
        data = list(data)
    rows = _decided(None, data, text, against, options, summary)[0]
    return _inputs.rows(data, text, [i for i, d in enumerate(rows) if d["leader"] is None])


def _decided(names, data, text, against, options, summary):
    """Returns the decisions as dicts, their table, its kind, and the documents before it."""
    with reference(against, text, bool(options.get("add")), bool(names)) as before:
        if names:
            return _decide([*before, *names], {**options, **_inputs.field(text)}, summary=summary), data, "files", before
        data, kind = _inputs.table_of(data, text)
        others = _inputs.others(data, text, kind, options)
        options = {**options, **_inputs.fed(data, text, kind)}
        return _of_strings(_inputs.texts(data, text, kind), options, before, others, summary), data, kind, before


@overload
def pairs(data: "Path | Sequence[Optional[str]]", *, text: str = ..., method: Optional[str] = ..., threshold: Optional[float] = ..., variants: bool = ..., **options: "Unpack[PairsOptions]") -> "List[Pair]": ...
@overload
def pairs(data: "pandas.DataFrame | pandas.Series", *, text: str = ..., method: Optional[str] = ..., threshold: Optional[float] = ..., variants: bool = ..., **options: "Unpack[PairsOptions]") -> "pandas.DataFrame": ...
@overload
def pairs(data: "polars.DataFrame | polars.LazyFrame | polars.Series", *, text: str = ..., method: Optional[str] = ..., threshold: Optional[float] = ..., variants: bool = ..., **options: "Unpack[PairsOptions]") -> "polars.DataFrame": ...
@overload
def pairs(data: "pyarrow.Table", *, text: str = ..., method: Optional[str] = ..., threshold: Optional[float] = ..., variants: bool = ..., **options: "Unpack[PairsOptions]") -> "pyarrow.Table": ...
@overload
def pairs(data: "Iterable[Optional[str]]", *, text: str = ..., method: Optional[str] = ..., threshold: Optional[float] = ..., variants: bool = ..., **options: "Unpack[PairsOptions]") -> "List[Pair]": ...


def pairs(data: Any, *, text: str = "text", method: Optional[str] = None, threshold: Optional[float] = None, variants: bool = False, **options: object) -> Any:
    """Finds every verified pair of near texts: a (the earlier), b, similarity, distance, relation, basis.

    data and options are those of dedup; a and b are indices, labels, numbers of rows or ids, as leaders
    are there. For strings and files it returns a list of dicts, else a table of the kind of data.
    variants=True lists variants too. n equal texts give n*(n-1)/2 pairs.
    """
    options = {"method": method, "threshold": threshold, "with_variants": variants or None, **options}
    names = _inputs.files(data)
    if names:
        return _pairs(names, {**options, **_inputs.field(text)})
    data, kind = _inputs.table_of(data, text)
    rows = _pairs(["--format=jsonl", "-"], {**options, **_inputs.fed(data, text, kind)}, _inputs.feed(_inputs.texts(data, text, kind), [0]))
    for d in rows:
        d["a"], d["b"] = int(d["a"]), int(d["b"])
    if kind in ("strings", "dicts"):
        return rows
    return _inputs.table({k: [d[k] for d in rows] for k in PAIR}, kind, TYPES, data)


def rethreshold(pairs: Any, threshold: float) -> Any:
    """Decides again from pairs, at a threshold not below that of the run that found them.

    pairs are those of neardup.pairs, in their order. It returns the pairs by which dedup at this threshold removes a
    text, as data of the same kind: b is removed, and a is its leader.

    >>> import neardup
    >>> found = neardup.pairs(["one two three four", "one two three", "one two"], method="jaccard shingle=words:1", threshold=.5)
    >>> [(p["a"], p["b"]) for p in neardup.rethreshold(found, .7)]
    [(0, 1)]
    """
    kind, best = _inputs.table_of(pairs, "a")[1], {}
    for at, (a, b, similarity, relation, basis) in enumerate(zip(*(_inputs.column(pairs, k, kind) for k in ("a", "b", "similarity", "relation", "basis")))):
        rank = (basis == "override", basis == "equal text", similarity)
        near = relation not in ("unsure", "variant", "overlap") and (similarity >= threshold or rank[0])
        if near and a not in best and (b not in best or rank > best[b][0]):
            best[b] = rank, at
    return _inputs.rows(pairs, "a", sorted(at for _, at in best.values()))


def _pairs(inputs, options, feed=None):
    with tempfile.TemporaryDirectory(prefix="neardup-") as folder:
        name = os.path.join(folder, "pairs.tsv")
        with _rejects(folder, options) as rejects:
            batch(["pairs", "--exact", f"--out={name}", *rejects], inputs, options, feed)
        out = []
        with open(name, encoding="utf-8", newline="\n") as f:
            next(f)
            for line in f:
                a, b, similarity, distance, relation, basis, *_ = line.rstrip("\n").split("\t")
                out.append(dict(zip(PAIR, (
                    _unescaped(a), _unescaped(b), float(similarity), int(distance) if distance else None, relation, _unescaped(basis)))))
        return out


@contextlib.contextmanager
def _rejects(folder, options, depth=5):
    """Yields the flag of a file of rejected records and warns of them, unless the caller names such a file."""
    name = os.path.join(folder, "rejects.jsonl")
    if options.get("rejects"):
        yield []
        return
    yield [f"--rejects={name}"]
    with open(name, encoding="utf-8") as f:
        lines = list(f)
    if lines:
        first = json.loads(lines[0])
        place = ":".join(str(first[k]) for k in ("file", "line") if k in first)
        warnings.warn(f"{len(lines)} records were rejected, the first: {place}: {first['reason']}", stacklevel=depth)


def _unescaped(field):
    """Undoes the escapes of a table: \\\\, \\t, \\n, \\r."""
    if "\\" not in field:
        return field
    return re.sub(r"\\(.)", lambda m: {"t": "\t", "n": "\n", "r": "\r"}.get(m[1], m[1]), field)


def _decide(inputs, options, feed=None, summary=None):
    """Runs the command and returns its decisions."""
    with tempfile.TemporaryDirectory(prefix="neardup-") as folder:
        name = os.path.join(folder, "decisions.jsonl")
        with _rejects(folder, options, 6) as rejects:
            told = [] if summary is None else ["--json"]
            said = batch(["dedup", *told, f"--decisions={name}", *rejects], inputs, options, feed)
        if summary is not None:
            summary.update(json.loads(said))
        with open(name, encoding="utf-8") as f:
            return [_plain(json.loads(line)) for line in f]


def _plain(decision):
    decision["variant_of"], decision["kept_by"] = decision.pop("variantOf", None), decision.pop("keptBy", None)
    decision["group"] = decision.get("leader") or decision["id"]
    return {"id": decision.pop("id"), **{k: decision.pop(k, None) for k in FIELDS}, **decision}


def _of_strings(texts, options, before=(), others=None, summary=None):
    own = f"{secrets.token_hex(8)}:" if before else ""  # the prefix of ids of these texts, not of earlier ones
    few, counted = None, [0]
    if not before and others is None and summary is None and options.keys() <= CALLED:
        few, texts = _inputs.few(texts)
    if few is None:
        found = _decide(["--format=jsonl", *before, "-"], options, _inputs.feed(texts, counted, own, others), summary)
    else:
        counted = [len(few)]
        found = [_plain(d) for d in _child.call("dedup", flags=_child.method(None, options), known=few)]
    out = [None] * counted[0]
    for d in found:
        at = d.pop("id")
        for k in ("leader", "variant_of", "group"):
            if d[k] is not None and d[k].startswith(own):
                d[k] = int(d[k][len(own):])
        out[int(at[len(own):])] = d
    return out
