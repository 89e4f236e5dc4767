"""The flags of the command as keywords, for editors and type checkers; imported by nothing that runs."""

from __future__ import annotations

import os
from typing import Callable, Sequence, TypedDict, Union

Path = Union[str, "os.PathLike[str]"]
Write = Union[str, Sequence[str]]  # "groups:groups.csv", or several
Size = Union[int, str]  # 1048576 or "1MiB"


class Reading(TypedDict, total=False):
    """How documents are read, and what the run may take."""

    compare: str
    config: Path
    format: str
    html_field: str
    id_field: str
    skip_damaged: bool
    text_command: str
    time_field: str
    title_field: str
    url_field: str
    rejects: Path
    strict: bool
    limit: int
    max_decompressed: Size
    max_document: Size
    memory: Size
    overwrite: bool
    progress: "Union[bool, Callable[[str], object]]"
    sample: Union[float, str]
    tmp: Path
    workers: int


class Comparing(Reading, total=False):
    """What is near, and which of the near stays."""

    idf: Path
    keep: str
    normalize: str
    overrides: Path
    per: str
    audit: Union[int, str]


class Outputs(Comparing, total=False):
    """What dedup writes besides."""

    add: bool
    link: str
    out: Path
    resume: Path
    size_field: str
    write: Write


class DedupOptions(Outputs, total=False):
    """Flags of neardup dedup."""


class PairsOptions(Comparing, total=False):
    """Flags of neardup pairs."""

    against: Path


class ContaminatedOptions(Reading, total=False):
    """Flags of neardup contaminated."""

    least: float
    mask: str
    out: Path
    partial: bool
    write: Write
