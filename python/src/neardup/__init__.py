"""Near-duplicate texts: which ones, of which, and how similar they are.

>>> import neardup
>>> [d["leader"] for d in neardup.dedup(["one text", "another one", "one text"], method="exact")]
[None, None, 0]
"""

import itertools
import json
import os
import re
import tempfile

from ._command import Error, flags, path, run

__all__ = ["dedup", "pairs", "Error", "path"]
__version__ = "0.1.0"

FIELDS = ("decision", "leader", "similarity", "distance", "method", "basis", "variant_of")


def dedup(data, *, text="text", method="auto", threshold=None, **options):
    """Decides for each text whether it is new or a near-duplicate of one kept.

    data is an iterable of strings, a pandas or polars DataFrame or a pyarrow Table with a
    column `text`, or the path of a file that the command reads. Other options are flags of
    `neardup dedup`: keep="longest", memory="4GiB", overrides="rulings.jsonl".

    Of strings it returns a list with a dict for each, in their order; "leader"
    and "variant_of" are indices. Of a DataFrame it returns a DataFrame with the
    same index; they are labels of that index. Of a polars DataFrame or a Table it returns
    one with a row for each; they are numbers of rows. Of a file it returns the
    decisions as the command writes them, in the order of keep, with ids.
    """
    options = {"method": method, "threshold": threshold, **options}
    name = _file(data)
    if name:
        return _decide([name], options)
    kind = _kind(data)
    if kind == "pandas":
        return _of_frame(data, text, options)
    rows = _of_strings(_texts(data, text, kind), options)
    if kind == "strings":
        return rows
    columns = {k: [d[k] for d in rows] for k in FIELDS}
    return _table(columns, kind, {"leader": "int64", "variant_of": "int64", "distance": "int64", "similarity": "double"})


def pairs(data, *, text="text", method="auto", threshold=None, variants=False, **options):
    """Every verified pair of near texts: a before b, similarity, distance, relation, basis.

    data and options are those of dedup; a and b are indices, labels, numbers of rows or ids as
    there. Of strings and files it returns a list of dicts, else a table of the kind of data.
    variants=True lists variants too. n equal texts are n*(n-1)/2 pairs.
    """
    options = {"method": method, "threshold": threshold, "with_variants": variants or None, **options}
    name = _file(data)
    if name:
        return _pairs([name], options)
    kind = _kind(data)
    texts = iter((_missing(s) for s in data[text]) if kind == "pandas" else _texts(data, text, kind))
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


PAIR = ("a", "b", "similarity", "distance", "relation", "basis")


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


def _file(data):
    """The name of a file, None if data is none."""
    if isinstance(data, os.PathLike) or hasattr(data, "__fspath__"):
        return os.fspath(data)
    if isinstance(data, str):
        if os.path.exists(data):
            return data
        raise FileNotFoundError(f"{data!r} is no file; for one text, pass a list")
    return None


def _kind(data):
    """What data is, known by what it can do: no library is imported for it."""
    if hasattr(data, "columns") and hasattr(data, "index"):
        return "pandas"
    if hasattr(data, "column_names") and hasattr(data, "to_batches"):
        return "pyarrow"
    if hasattr(data, "iter_slices"):
        return "polars"
    return "strings"


def _texts(data, text, kind):
    if kind == "strings":
        return data
    if kind == "polars":
        return (_missing(s) for s in data[text])
    return (_missing(s) for chunk in data.column(text).chunks for s in chunk.to_pylist())


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
    decision["variant_of"] = decision.pop("variantOf", None)
    return {"id": decision.pop("id"), **{k: decision.pop(k, None) for k in FIELDS}, **decision}


def _of_strings(texts, options):
    texts = iter(texts)
    first = next(texts, None)
    if first is None:
        return []  # the command refuses to read nothing
    counted = [0]
    found = _decide(["--format=jsonl", "-"], options, _feed(itertools.chain([first], texts), counted))
    count = counted[0]
    out = [None] * count
    for d in found:
        at = d.pop("id")
        for k in ("leader", "variant_of"):
            if d[k] is not None:
                d[k] = int(d[k])
        out[int(at)] = d
    return out


def _feed(texts, counted):
    """The texts as JSONL with their numbers as ids; counted[0] counts them."""
    for s in texts:
        if not isinstance(s, str):
            raise TypeError(f"text {counted[0]} is {type(s).__name__}, not str")
        yield json.dumps({"id": str(counted[0]), "text": s}).encode("ascii") + b"\n"
        counted[0] += 1


def _of_frame(frame, text, options):
    import pandas

    rows = _of_strings((_missing(s) for s in frame[text]), options)
    labels = frame.index
    for d in rows:
        for k in ("leader", "variant_of"):
            if d[k] is not None:
                d[k] = labels[d[k]]
    columns = {k: [d[k] for d in rows] for k in FIELDS}
    for k in ("leader", "distance", "variant_of"):
        columns[k] = pandas.Series(columns[k], index=labels, dtype=object)
    return pandas.DataFrame(columns, index=labels)


def _missing(value):
    """A missing text is empty; what is no text is an error."""
    if isinstance(value, str):
        return value
    return "" if value is None or value != value else value
