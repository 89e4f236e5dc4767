"""Stages of `neardup worker` over frames: what goes to a child of each, and what comes back. The jar runs them."""

import hashlib
import json
import struct
from dataclasses import dataclass

from .. import _command
from .._command import Error

# A column is its name and its kind, as Columns.java has them; so are the columns of the frame that a stage makes.
TYPES = {"n": "long", "x": "long", "N": "long", "d": "double", "i": "int", "p": "int", "s": "string", "t": "string", "r": "string", "b": "binary"}


@dataclass
class Stage:
    """argv: the stage and its flags. reads, makes: columns. first: lines before those of a partition."""

    argv: tuple
    reads: str
    makes: str
    first: bytes = b""
    parts: int = 0  # of packs
    starts: bytes = b""  # numbers of documents: see Stages.java


def names(columns):
    return [c.split()[0] for c in columns.split(", ")]


def kinds(columns):
    return "".join(c.split()[1] for c in columns.split(", "))


def schema(columns):
    return ", ".join(f"{name} {TYPES[kind[0]]}" for name, kind in map(str.split, columns.split(", ")))


class Worker:
    """The flags that all stages get: driver and executors agree on the method, or a stage fails."""

    def __init__(self, flags=(), program=None, files={}, index=()):
        self.flags = list(flags)
        self.program = program  # None: the one that was sent to executors
        self.index = list(index)  # the flags of stages that read the index which others are decided against
        self.files = files  # flags that name files which were sent: {flag: (what is before, the name of the file, what is after)}

    def words(self, *argv):
        """A command line as Command.java has it."""
        program = [self.program] if self.program else ["", "neardup", ""]
        return [program, ["worker"], *([a] if isinstance(a, str) else list(a) for a in argv)]

    def argv(self, *argv):
        """That of a stage."""
        return self.words(*argv, *(self.files.get(f, f) for f in self.flags))


def text(raw):
    """How a text, or a record, is written."""
    return "text r" if raw else "text s"


# (place, text), or texts with their ids.
def documents(raw):
    return "place n, text r" if raw else "place n, text s, id s"


def tally(raw=()):
    """Counts of the texts of a partition, as bytes without lines."""
    return Stage(("tally", *raw), documents(raw), "")


# A document, or a pack: hashes, sketches and keys of documents, as the command packs them.
# blank is not null where a document has no text. check is of its text, by which it is known when it is read again.
RECORDS = "place n, method s, id s, reason s, check x, blank s, part p, pack b"


def records(parts, raw=(), counts=None, stage=("records",)):
    """raw are the flags that read records; counts is a word, a file of `worker tally`."""
    return Stage((*stage, f"--parts={parts}", *raw, *([counts] if counts else [])), documents(raw), RECORDS, parts=parts)


COPY = "c"

# Postings of distinct texts in packs, by part; or, of the role COPY, a document (later) and the first (earlier) of
# its text; or, without role, a candidate: two texts that are equal and kept apart.
DISTINCT = "part p, pack b, later n, earlier n, role s"


def distinct(worker, parts, named):
    """named are the places of documents that keep a text of their own."""
    return Stage(("distinct", f"--parts={parts}", *(["--ranges"] if worker.index else [])), "kind r, pack b", DISTINCT,
                 "".join(f"a\t{p}\n" for p in named).encode(), parts)


MET = "later n, earlier n, key x, place n, role s, sketch x"


def bucket_packed(worker, hot):
    """Candidates, the postings of hot buckets, one bucket after the other, and copies."""
    return Stage(("bucket", "--packed", f"--hot={hot}", *worker.index), "pack b, later n, earlier n, role r", MET)


PAIR = "later n, earlier n"  # a candidate, or an edge without its evidence


def bucket():
    """Postings, those of a key together, to candidates."""
    return Stage(("bucket",), "key x, place n, role r, sketch x", PAIR)


EDGES = "later n, earlier n, similarity d, closeness d, distance i, relation s, method s, basis s, conflicts s"
EDGE_COLUMNS = names(EDGES)
VARIANTS = ("variant", "unsure")  # relations of edges that remove nothing
NEAR = f"relation not in {VARIANTS}"


def verify(worker, raw=(), conflicts=False):
    """Texts ("t", place, check, text), and then candidates ("c", place, other)."""
    return Stage(("verify", *raw, *worker.index, *_more(conflicts)), f"kind r, a n, b n?, check x?, {text(raw)}?", EDGES)


def decide(worker, raw, rulings, conflicts):
    """(place, check, text) in order to the edges that decide; rulings are (place, place, link)."""
    first = "".join(f"r\t{a}\t{b}\t{link}\n" for a, b, link in rulings).encode()
    return Stage(("decide", *raw, *worker.index, *_more(conflicts)), f"place n, check x, {text(raw)}", EDGES, first)


def _more(conflicts):
    return ["--conflicts"] if conflicts else []


def lead():
    """Edges of whole components, by later and then earlier, to those that decide; of conflicts nothing comes back."""
    return Stage(("lead",), EDGES.removesuffix(", conflicts s"), EDGES)


def digest():
    return Stage(("digest",), "id s, decision r, leader s, similarity d, variant_of s", "digest s")


def once(args, lines=b""):
    """Runs a stage on the driver and returns what it prints."""
    return _command.run(["worker", *args], stdin=lines)


def once_bytes(args) -> bytes:
    return _command.run_bytes(["worker", *args])


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
