"""Passes the documents of against= to the command."""

from __future__ import annotations

import contextlib
import os
import tempfile

from . import _inputs


@contextlib.contextmanager
def reference(against, text, add, files):
    """Yields the flags for documents that come before others; it writes texts to a temporary file."""
    if add and not files:
        raise TypeError("add=True adds files to an index (want data of files, whose documents have ids)")
    if against is None:
        yield []
        return
    if add:
        yield [f"--against={os.fspath(against)}"]
        return
    names = _inputs.files(against)
    if names:
        yield [f"--against={name}" for name in names]
        return
    if files:
        raise TypeError("data is files: against must be files or an index")
    data, kind = _inputs.table_of(against, text)
    with tempfile.TemporaryDirectory(prefix="neardup-") as folder:
        name = os.path.join(folder, "against.jsonl")
        with open(name, "w", encoding="ascii") as f:
            f.writelines(line.decode("ascii") for line in _inputs.feed(_inputs.texts(data, text, kind), [0], "against:"))
        yield [f"--against={name}"]
