"""Stages of `neardup worker` over frames: what goes to a child of each, and what comes back. The jar runs them."""

import hashlib
import json
import struct
from dataclasses import dataclass
from typing import Optional

import numpy as np

from .. import _command
from .._command import Error

@dataclass
class Stage:
    """argv: the stage and its flags. reads: names of columns. makes: a schema. first: numbers that come before the rows of a partition."""

    argv: tuple
    reads: str
    makes: str
    first: Optional[bytes] = None


def names(schema):
    return [c.split()[0] for c in schema.split(", ")]


def numbers(values) -> bytes:
    return np.array(values, "<i8").tobytes()


# (place, text), or texts with their ids.
def documents(raw):
    return "place text" if raw else "place text id"


def tally(raw=()):
    """Counts of the texts of a partition."""
    return Stage(("tally", *raw), documents(raw), "made binary")


def add():
    return Stage(("add",), "made", "made binary")


# A document, or a pack: hashes, sketches and keys of documents, as the command packs them.
# blank is not null where a document has no text. check is of its text, by which it is known when it is read again.
RECORDS = "place long, method string, id string, reason string, check long, blank string, part long, pack binary"


def records(parts, raw=(), counts=None, stage=("records",)):
    """raw are the flags that read records; counts is a flag, a file of `worker add`."""
    return Stage((*stage, f"--parts={parts}", *raw, *([counts] if counts else [])), documents(raw), RECORDS)


COPY = "c"

# Postings of distinct texts in packs, by part; or, of the role COPY, a document (later) and the first (earlier) of
# its text; or, without role, a candidate: two texts that are equal and kept apart.
DISTINCT = "part long, pack binary, later long, earlier long, role string"


def distinct(parts, named, ranges):
    """named are the places of documents that keep a text of their own."""
    return Stage(("distinct", f"--parts={parts}", *(["--ranges"] if ranges else [])), "pack", DISTINCT, numbers(named))


PAIR = "later long, earlier long"
# A copy, as above; a candidate; or, of the role h, a text of a hot bucket and the first one of it.
MET = PAIR + ", role string"


def bucket(reads, hot):
    return Stage(("bucket", f"--hot={hot}", *reads), "pack later earlier role", MET)


EDGES = PAIR + ", similarity double, distance int, relation string, basis string"
EDGE_COLUMNS = names(EDGES)
NEAR = "relation = 'duplicate' or basis = 'contained share of passages'"  # others remove nothing


def verify(raw=()):
    """Texts (later, null, check, text), and then candidates (later, earlier)."""
    return Stage(("verify", *raw), "later earlier check text", EDGES)


# Of each duplicate and each variant.
CHOSEN = "place long, decision string, leader string, similarity double, distance int, method string, basis string, variant_of string, conflicts string"


def decide(reads, raw, overrides, conflicts):
    """Documents in order to decisions."""
    flags = [*(["--conflicts"] if conflicts else []), *([f"--overrides={overrides}"] if overrides else [])]
    return Stage(("decide", *raw, *reads, *flags), "place check named text", CHOSEN)


def digest():
    """Decisions, or digests of parts (id), which have no decision."""
    return Stage(("digest",), "id decision leader similarity variant_of", "id string")


def row(*values) -> bytes:
    """A row of texts and numbers as a stage reads it."""
    nulls, words, texts = 0, [], b""
    for i, v in enumerate(values):
        nulls |= (v is None) << i
        text = v.encode() if isinstance(v, str) else b""
        words.append(bytes(8) if v is None else struct.pack("<d", v) if isinstance(v, float) else struct.pack("<II", len(text), 8 + 8 * len(values) + len(texts)))
        texts += text + bytes(-len(text) % 8)
    made = struct.pack("<Q", nulls) + b"".join(words) + texts
    return struct.pack("<Q", len(made)) + made


def once(args):
    """What a stage prints on the driver."""
    return _command.run(["worker", *args])


def rulings(path):
    """The overrides of a file as {(a, b): link}, and their digest as the command names it."""
    out = {}
    with open(path, encoding="utf-8") as f:
        for n, line in enumerate(f, 1):
            if not line.strip():
                continue
            try:
                r = json.loads(line)
                a, b, link = r["a"], r["b"], r["link"]
            except (ValueError, KeyError, TypeError) as e:
                raise Error(f"overrides {path}, line {n}: {e!r}") from None
            if a == b or link not in ("must", "cannot"):
                raise Error(f"overrides {path}, line {n}: a pair of two ids, and a link that is must or cannot")
            out[tuple(sorted((a, b), key=str.encode))] = link
    h = hashlib.sha256()
    for pair in sorted(out, key=lambda p: (p[0].encode(), p[1].encode())):
        for field in (*pair, out[pair]):
            h.update(struct.pack("<I", len(field.encode())) + field.encode())
    return out, h.hexdigest()[:16]
