"""Stages of `neardup worker` over frames: the input and output of a child of each. The jar runs them."""

import array
import json
import struct
from dataclasses import dataclass
from typing import Optional

from .. import _command


@dataclass
class Stage:
    """argv: the stage and its flags. reads: names of columns. makes: a schema. first: numbers sent before the rows of a partition."""

    argv: tuple
    reads: str
    makes: str
    first: Optional[bytes] = None


def names(schema):
    return [c.split()[0] for c in schema.split(", ")]


def numbers(values) -> bytes:
    return array.array("q", values).tobytes()


# (place, text), or texts with their ids.
def documents(raw):
    return "place text" if raw else "place text id"


def tally(raw=()):
    """Counts of texts."""
    return Stage(("tally", *raw), documents(raw), "made binary")


# A document, or a pack: hashes, sketches and keys of documents, as the command packs them.
# blank is not null if a document has no text. check is a checksum of its text, which is compared when it is read again.
RECORDS = "place long, method string, id string, reason string, check long, blank string, part long, pack binary"


def records(parts, raw=(), more=(), stage=("records",)):
    """raw are the flags that read records."""
    return Stage((*stage, f"--parts={parts}", *raw, *more), documents(raw), RECORDS)


COPY = "c"

# Postings of distinct texts in packs, by part; or, of the role COPY, a document (later) and the first (earlier) of its text.
DISTINCT = "part long, pack binary, later long, earlier long, role string"


def distinct(parts, ranges):
    return Stage(("distinct", f"--parts={parts}", *(["--ranges"] if ranges else [])), "pack", DISTINCT)


PAIR = "later long, earlier long"
# A copy, as above; a candidate; or, of the role h, a text of a hot bucket and the first one of it.
MET = PAIR + ", role string"


def bucket(reads, hot):
    return Stage(("bucket", f"--hot={hot}", *reads), "pack later earlier role", MET)


EDGES = PAIR + ", similarity double, distance int, relation string, basis string"
NEAR = "relation = 'duplicate' or basis = 'contained share of passages'"  # others remove nothing


def verify(raw=()):
    """Reads texts (later, null, check, text), and then candidates (later, earlier)."""
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
    """A row of texts and numbers in the form that a stage reads."""
    nulls, words, texts = 0, [], b""
    for i, v in enumerate(values):
        nulls |= (v is None) << i
        text = v.encode() if isinstance(v, str) else b""
        words.append(bytes(8) if v is None else struct.pack("<d", v) if isinstance(v, float) else struct.pack("<II", len(text), 8 + 8 * len(values) + len(texts)))
        texts += text + bytes(-len(text) % 8)
    made = struct.pack("<Q", nulls) + b"".join(words) + texts
    return struct.pack("<Q", len(made)) + made


def once(args):
    """Runs a stage on the driver and returns what it prints."""
    return _command.run(["worker", *args])


def rulings(path):
    """The overrides of a file as {(a, b): link}, and their digest."""
    found = json.loads(once(["rulings", f"--overrides={path}"]))
    return {(a, b): link for a, b, link in found["rulings"]}, found["digest"]
