"""Decides whether a text says something new, by the known texts."""

from __future__ import annotations

import operator
import os
import weakref
from collections.abc import Mapping
from typing import Any, Iterable, List, Optional, TypedDict, Union

from . import _child
from ._command import Error


class Verdict(TypedDict):
    """The relation of a text to the known texts.

    verdict is new, duplicate (the text `of` says the same), overlap (one says more), variant (another number,
    name or fact), contradiction (a negation or an opposite), or unsure: docs/memories.md. By the default method similarity is
    the probability that the two say the same. evidence lists the differences and their weights in bits.
    """

    verdict: str
    of: Union[int, str, None]
    id: Optional[str]
    similarity: float
    basis: Optional[str]
    evidence: List[dict]


class Neighbor(TypedDict, total=False):
    """A stored text, and the relation of a text to it: relation and evidence are those of compare."""

    id: str
    relation: str
    similarity: float
    evidence: List[dict]


def _verdict(out: dict) -> Verdict:
    return {
        "verdict": out["verdict"], "of": out.get("sameAs") or out.get("like"), "id": out.get("id"),
        "similarity": float(out.get("probability") or out.get("similarity", 0)), "basis": out.get("basis") or None, "evidence": out.get("evidence") or [],
    }


def _text(text: object, name: str = "the text") -> str:
    if not isinstance(text, str):
        raise TypeError(f"{name} is {type(text).__name__}, not str")
    return text


def check(text: str, known: "Union[Iterable[str], Mapping[Any, str]]", *, method: Optional[str] = None, **options: object) -> Verdict:
    """Compares a text with every known one and returns its relation to the closest.

    known is an iterable of texts or a dict of texts; "of" is the position of one, or its key.
    Nothing is stored. Options are those of compare.

    >>> import neardup
    >>> v = neardup.check("The key is not under the mat.", ["Rent is due on the 5th.", "The key is under the mat."])
    >>> v["verdict"], v["of"]
    ('contradiction', 1)
    """
    if isinstance(known, str):
        raise TypeError("known is one text: pass a list of them")
    names = list(known) if isinstance(known, Mapping) else None
    texts = [_text(s, f"known text {i}") for i, s in enumerate(known.values() if isinstance(known, Mapping) else known)]
    out = _child.call("check", flags=_child.method(method, options), text=_text(text), known=texts)
    of = None if out["at"] < 0 else out["at"] if names is None else names[out["at"]]
    return {**_verdict(out), "of": of}


class Index:
    """Texts that each say something else, in memory.

    Any thread may use it. Its texts are in the process that answers calls: a forked process cannot use them, and
    if that process is killed, each later call is an Error. neardup serve and neardup mcp keep an index on disk.

    >>> import neardup
    >>> index = neardup.Index()
    >>> index.add("The ferry leaves at nine.", id="ferry")["verdict"]
    'new'
    >>> index.check("The ferry leaves at nine!")["of"]
    'ferry'
    """

    def __init__(self, *, method: Optional[str] = None, **options: object) -> None:
        self._child = _child.running()
        self._number = self._child.call("open", flags=_child.method(method, options))
        weakref.finalize(self, self._child.dropped.append, self._number)

    def _call(self, do: str, **fields: object) -> Any:
        if self._child.pid != os.getpid():
            raise Error("this Index belongs to the process that made it: make another one after a fork")
        try:
            return self._child.call(do, index=self._number, **fields)
        except _child.Ended as e:
            raise Error(f"the texts of this Index are lost: {e}") from None

    def add(self, text: str, id: Optional[str] = None) -> Verdict:
        """Stores a text, unless a stored text says the same.

        The id of a duplicate becomes a name of the stored text. A text without an id gets one, such as ~1.
        """
        return _verdict(self._call("add", text=_text(text), name=_text(id, "the id") if id is not None else ""))

    def check(self, text: str) -> Verdict:
        """Returns what add would return, without an id, and stores nothing."""
        return _verdict(self._call("look up", text=_text(text)))

    def near(self, text: str, top: int = 10) -> List[Neighbor]:
        """Returns at most top stored texts, the most similar to a text first.

        Of stored texts that say the same, it returns only their leader.
        """
        return [{k: v for k, v in n.items() if k != "docId"} for n in self._call("near", text=_text(text), top=operator.index(top))]

    def remove(self, id: str) -> None:
        """Removes a text and, if it is a stored one, its duplicates."""
        self._call("remove", name=_text(id, "the id"))
