"""Near-duplicate texts: which ones, of which, and how similar they are.

>>> import neardup
>>> [d["leader"] for d in neardup.dedup(["one text", "another one", "one text"], method="exact")]
[None, None, 0]
"""

import itertools
import json
import os
import tempfile

from ._command import Error, flags, path, run

__all__ = ["dedup", "Error", "path"]
__version__ = "0.1.0"

FIELDS = ("decision", "leader", "similarity", "distance", "method", "basis", "variant_of")


def dedup(data, *, text="text", method="auto", threshold=None, **options):
    """Decides for each text whether it is new or a near-duplicate of one kept.

    data is an iterable of strings, a pandas DataFrame with a column `text`, or
    the path of a file that the command reads. Other options are flags of
    `neardup dedup`: keep="longest", memory="4GiB", overrides="rulings.jsonl".

    Of strings it returns a list with a dict for each, in their order; "leader"
    and "variant_of" are indices. Of a DataFrame it returns a DataFrame with the
    same index; they are labels of that index. Of a file it returns the
    decisions as the command writes them, in the order of keep, with ids.
    """
    options = {"method": method, "threshold": threshold, **options}
    if isinstance(data, os.PathLike) or hasattr(data, "__fspath__"):
        return _decide([os.fspath(data)], options)
    if isinstance(data, str):
        if os.path.exists(data):
            return _decide([data], options)
        raise FileNotFoundError(f"{data!r} is no file; for one text, pass a list")
    if hasattr(data, "columns") and hasattr(data, "index"):
        return _of_frame(data, text, options)
    return _of_strings(data, options)


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
    texts = itertools.chain([first], texts)
    count = 0

    def feed():
        nonlocal count
        for s in texts:
            if not isinstance(s, str):
                raise TypeError(f"text {count} is {type(s).__name__}, not str")
            yield json.dumps({"id": str(count), "text": s}).encode("ascii") + b"\n"
            count += 1

    found = _decide(["--format=jsonl", "-"], options, feed())
    out = [None] * count
    for d in found:
        at = d.pop("id")
        for k in ("leader", "variant_of"):
            if d[k] is not None:
                d[k] = int(d[k])
        out[int(at)] = d
    return out


def _of_frame(frame, text, options):
    import pandas

    rows = _of_strings((s if isinstance(s, str) else _missing(s) for s in frame[text]), options)
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
    if value is None or value != value:
        return ""
    return value
