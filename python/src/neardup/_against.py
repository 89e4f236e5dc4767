"""What documents are decided against."""

from __future__ import annotations

import contextlib
import os
import tempfile

from . import _inputs


@contextlib.contextmanager
def reference(against, text, add, files):
    """The flags for documents that come before others; texts lie in a file meanwhile."""
    if add and not files:
        raise TypeError("add adds files, whose documents have ids, to an index")
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
        raise TypeError("against files come files or an index")
    data, kind = _inputs.table_of(against, text)
    with tempfile.TemporaryDirectory(prefix="neardup-") as folder:
        name = os.path.join(folder, "against.jsonl")
        with open(name, "w", encoding="ascii") as f:
            f.writelines(line.decode("ascii") for line in _inputs.feed(_inputs.texts(data, text, kind), [0], "against:"))
        yield [f"--against={name}"]
