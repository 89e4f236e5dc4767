"""Explains why two texts are, or are not, duplicates."""

from __future__ import annotations

import html
from typing import List, Optional

from . import _child


class _Own(type):
    """A class whose help lists its own names, not those that it inherits from dict."""

    def __dir__(cls):
        return list(vars(cls))


class Comparison(dict, metaclass=_Own):
    """The output of `neardup compare --json`: verdict, relation (of a to b), found (whether a search would compare
    them), evidence in bits, and every scale. A notebook shows the evidence as a waterfall."""

    @property
    def relation(self) -> str:
        """duplicate, unsure, variant, overlap, contained, contains or new."""
        return self["relation"]

    @property
    def probability(self) -> float:
        """The probability that the texts say the same, by the evidence."""
        return 1 / (1 + 2 ** -sum(e.get("bits", 0) for e in self.evidence))

    @property
    def evidence(self) -> List[dict]:
        """The evidence for and against duplicates, in bits, the heaviest first."""
        return self.get("evidence") or []

    def _steps(self):
        """(name, bits, sum before) of each piece of evidence."""
        total = 0.0
        for e in self.evidence:
            words = f": {e.get('a') or '–'} / {e.get('b') or '–'}" if e.get("a") or e.get("b") else ""
            yield e["kind"] + words, e.get("bits", 0.0), total
            total += e.get("bits", 0.0)

    def __str__(self) -> str:
        lines = [f"{self.relation}, probability {self.probability:.4f}"] if self.evidence else [self.relation]
        return "\n".join(lines + [f"{bits:+7.2f} bits  {name}" for name, bits, _ in self._steps()])

    def _repr_html_(self) -> str:
        steps = list(self._steps())
        ends = [0.0] + [before + bits for _, bits, before in steps]
        low, span = min(ends), max(max(ends) - min(ends), 1e-9)
        rows = "".join(
            f'<tr><td style="text-align:left">{html.escape(name)}</td><td>{bits:+.2f}</td><td style="width:20em"><div style="margin-left:{100 * (min(before, before + bits) - low) / span:.1f}%;'
            f'width:{100 * abs(bits) / span:.1f}%;min-width:1px;height:1em;background:{"#2a7d4f" if bits > 0 else "#b3372f"}"></div></td></tr>' for name, bits, before in steps)
        return f"<table><caption>{html.escape(str(self).splitlines()[0])}</caption>{rows}</table>"


def compare(a: str, b: str, *, method: Optional[str] = None, **options: object) -> Comparison:
    """Compares two texts: whether they say the same, with the evidence for and against it.

    >>> import neardup
    >>> neardup.compare("the ferry leaves at nine", "the ferry leaves at ten").relation
    'variant'
    """
    for text in (a, b):
        if not isinstance(text, str):
            raise TypeError(f"a text is {type(text).__name__}, not str")
    return Comparison(_child.call("compare", flags=_child.method(method, options), text=a, known=[b]))
