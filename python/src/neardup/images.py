"""Finds pictures that show the same, by the distance of their PDQ hashes.

>>> import neardup.images
>>> neardup.images.dedup(["a.jpg", "a-small.jpg"])[1]["leader"]  # doctest: +SKIP
0
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
from typing import TYPE_CHECKING, Iterable, List, Optional, TypedDict, Union

from . import FIELDS, Decision, _decide, _plain
from ._command import batch

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import Outputs

__all__ = ["dedup", "Picture"]


class Picture(Decision, total=False):
    """The decision on a picture, or error: why it could not be read."""

    error: Optional[str]


def dedup(pictures: "Union[str, os.PathLike[str], Iterable[Union[str, os.PathLike[str], bytes]]]", *, turned: Optional[bool] = None,
          distance: Optional[int] = None, quality: Optional[int] = None, **options: "Unpack[Outputs]") -> "List[Picture]":
    """Decides for each picture whether it is new or shows the same as one kept.

    pictures are paths, or the bytes of files: for these it returns a list with a dict for
    each, in their order, in which "leader" is an index. For one path of a folder, a
    pattern or a list that the command reads, it returns the decisions of all pictures
    in it, with ids. turned finds rotated and mirrored pictures, too; distance is the
    largest distance of duplicates (default 31); pictures of quality below 50 are duplicates only if equal. Other
    options are flags of `neardup dedup`.
    """
    settings = (("turned", turned), ("distance", distance), ("quality", quality))
    method = " ".join(["images", *(f"{name}={str(value).lower()}" for name, value in settings if value is not None)])
    given = {"format": "images", "method": method, **options}
    if isinstance(pictures, (str, os.PathLike)):
        return _decide([os.fspath(pictures)], given)
    with tempfile.TemporaryDirectory(prefix="neardup-") as folder:
        counted = [0]
        decisions, rejects, feed = os.path.join(folder, "decisions.jsonl"), os.path.join(folder, "rejects.jsonl"), _feed(pictures, counted)
        batch(["dedup", f"--decisions={decisions}", f"--rejects={rejects}"], ["-"], given, feed)
        out: "List[Picture]" = [{} for _ in range(counted[0])]
        with open(rejects, encoding="utf-8") as f:
            for line in map(json.loads, f):
                out[line["line"] - 1] = {**dict.fromkeys(FIELDS), "error": line["reason"]}
        with open(decisions, encoding="utf-8") as f:
            for d in map(_plain, map(json.loads, f)):
                at = int(d.pop("id"))
                out[at] = {**d, "leader": None if d["leader"] is None else int(d["leader"]), "group": int(d["group"]), "error": None}
        return out


def _feed(pictures, counted):
    """The pictures as JSONL with their numbers as ids."""
    for p in pictures:
        if isinstance(p, (bytes, bytearray, memoryview)):
            # The prefix marks base64, because the bytes may not begin as a picture does.
            image = "data:;base64," + base64.b64encode(p).decode("ascii")
        elif isinstance(p, (str, os.PathLike)):
            image = os.path.abspath(os.fspath(p))
        else:
            raise TypeError(f"picture {counted[0]} is {type(p).__name__}, neither a path nor bytes")
        yield json.dumps({"id": str(counted[0]), "image": image}).encode("ascii") + b"\n"
        counted[0] += 1

