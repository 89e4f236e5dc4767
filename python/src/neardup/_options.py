"""The flags of the command as keywords, for editors and type checkers; imported by nothing that runs."""

from __future__ import annotations

import os
from typing import TypedDict, Union

Path = Union[str, "os.PathLike[str]"]
Size = Union[int, str]  # 1048576 or "1MiB"


class Reading(TypedDict, total=False):
    """How documents are read, and what the run may take."""

    charset: str
    compare: str
    config: Path
    delimiter: str
    format: str
    html_field: str
    id_field: str
    skip_damaged: bool
    time_field: str
    title_field: str
    url_field: str
    rejects: Path
    strict: bool
    max_decompressed: Size
    max_document: Size
    memory: Size
    tmp: Path
    workers: int


class Comparing(Reading, total=False):
    """What is near, and which of the near stays."""

    containment: float
    dictionary: Path
    idf: Path
    keep: str
    lossless: float
    normalize: str
    overrides: Path
    per: str
    stopwords: Path
    audit: Union[int, str]
    max_pixels: int


class Pictures(TypedDict, total=False):
    distance: int
    quality: int
    turned: bool


class Outputs(Comparing, total=False):
    """What dedup writes besides."""

    add: bool
    link: str
    cluster_fields: str
    clusters: Path
    csv: str
    datatrove: Path
    dolma: Path
    evidence_floor: float
    groups: Path
    labels: Path
    out: Path
    removed: Path
    report: Path
    resume: Path


class DedupOptions(Outputs, Pictures, total=False):
    """Flags of neardup dedup."""


class PairsOptions(Comparing, Pictures, total=False):
    """Flags of neardup pairs."""

    against: Path


class ContaminatedOptions(Reading, total=False):
    """Flags of neardup contaminated."""

    least: float
    datatrove: Path
    dolma: Path
    mask: str
    out: Path
    partial: bool
    removed: Path
