"""Finds items of an evaluation in documents."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, List, TypedDict, Union

from . import _inputs
from ._command import batch

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ContaminatedOptions

COLUMNS = ("id", "item", "part", "verdict", "start", "end", "held", "probability", "answered", "passage", "of", "why")


class Finding(TypedDict, total=False):
    """A part of an item in a document, between runes start and end."""

    id: Union[int, str]
    item: str
    part: str
    verdict: str
    start: int
    end: int
    held: float
    probability: float
    answered: bool
    differs: List[dict]
    passage: str
    of: str
    why: str


def contaminated(evals: Any, data: Any, *, text: str = "text", **options: "Unpack[ContaminatedOptions]") -> Any:
    """Finds which items of an evaluation occur in texts, and where.

    evals is a file or a folder, or an iterable of items. An item is a dict with "question" and
    optionally "answer", "passage" and "id"; or a dict with "text"; or a string, its text. data is as
    for dedup. Other options are flags of `neardup contaminated`: least=.9, out="clean.jsonl",
    mask="[...]".

    For strings and files it returns a list with a dict for each finding, else a table of
    the kind of data with a row for each. "id" is the index, the label, the number of the row,
    or the id of a text. For the other fields see docs/contaminated.md.
    """
    with tempfile.TemporaryDirectory(prefix="neardup-") as folder:
        items = _evals(evals, folder)
        names = _inputs.files(data)
        if names:
            return _find(folder, items, names, {**options, **_inputs.field(text)})
        data, kind = _inputs.table_of(data, text)
        rows = _find(folder, items, ["--format=jsonl", "-"], {**options, **_inputs.fed(data, text, kind)}, _inputs.feed(_inputs.texts(data, text, kind), [0]))
    for d in rows:
        d["id"] = int(d["id"])
    if kind in ("strings", "dicts"):
        return rows
    columns = {k: [d.get(k, False if k == "answered" else None) for d in rows] for k in COLUMNS}
    return _inputs.table(columns, kind, {"id": "row", "start": "int64", "end": "int64", "held": "double", "probability": "double", "answered": "bool"}, data)


def _evals(evals, folder):
    if isinstance(evals, (str, os.PathLike)):
        return _inputs.files(evals)[0]
    name = os.path.join(folder, "evals.jsonl")
    with open(name, "w", encoding="ascii") as f:
        for i, item in enumerate(evals):
            if isinstance(item, str):
                item = {"text": item}
            if not isinstance(item, dict):
                raise TypeError(f"item {i} is {type(item).__name__}, neither dict nor str")
            f.write(json.dumps({"id": str(i), **item}) + "\n")
    return name


def _find(folder, items, inputs, options, feed=None):
    name = os.path.join(folder, "findings.jsonl")
    batch(["contaminated", f"--findings={name}"], [items, *inputs], options, feed)
    with open(name, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    stubs = [d["item"] for d in lines if d["verdict"] == "not searched"]
    if stubs:
        warnings.warn(f"{len(stubs)} items are too short to be searched for: {', '.join(stubs[:20])}", stacklevel=3)
    return [d for d in lines if d["verdict"] != "not searched"]
