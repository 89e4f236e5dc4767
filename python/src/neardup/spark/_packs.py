"""Stages whose rows travel in packs: a row of Spark's for hundreds, which the command sorts itself."""

import base64
import os

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import _lines, _stage
from ._stage import COPY, MET_COLUMNS, columns, filled


def labels(n: int) -> list:
    """For each of n partitions the least int whose hash, which is Spark's (Murmur3 with the seed 42), sends it there."""
    k = np.arange(64 * n, dtype=np.uint32) * np.uint32(0xCC9E2D51)
    turned = lambda x, bits: (x << np.uint32(bits)) | (x >> np.uint32(32 - bits))
    h = turned(np.uint32(42) ^ (turned(k, 15) * np.uint32(0x1B873593)), 13) * np.uint32(5) + np.uint32(0xE6546B64)
    h ^= np.uint32(4)  # the length of an int
    for bits, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        h = (h ^ (h >> np.uint32(bits))) * np.uint32(factor)
    at, first = np.unique(h.view(np.int32).astype(np.int64) % n, return_index=True)
    assert len(at) == n  # that one of 64 n misses a partition has the chance n / e^64
    return first.tolist()


# A document, or, where part is not null, a pack: hashes, sketches and keys of documents, as the command packs them.
# The pack of a document without text is empty, of others null. check is of its text, by which it is known when it is read again.
RECORDS = "place long, method string, id string, reason string, check long, part int, pack binary"


def records(worker, labels, raw=(), counts=None, stage=("records",)):
    """labels name the parts of packs; counts is the name of a file of `worker tally`, on the driver or shipped; raw are the flags that read records."""

    def run(parts):
        more = [*stage[1:], f"--parts={len(labels)}", *raw]
        if counts:
            from pyspark import SparkFiles

            more.append("--tally=" + (counts if os.path.exists(counts) else SparkFiles.get(os.path.basename(counts))))
        return worker.run(_stage.documents(raw, parts), lambda lines: _records(lines, labels), stage[0], *more)

    return run


def _records(lines, labels):
    s = pa.string()
    t = _lines.parse(lines, place=pa.int64(), method=s, id=s, reason=s, check=s, pack=s).to_batches()[0]
    place, method, id, reason, check, pack = t.columns
    check = _lines.column(_lines.numbers(pc.if_else(pc.equal(check, _lines.EMPTY), _lines.one("0" * 16), check)))
    blank = pc.equal(pack, _lines.one("blank"))
    is_pack = pc.and_not(pc.not_equal(pack, _lines.EMPTY), blank)
    reason = pc.if_else(pc.equal(reason, _lines.EMPTY), _lines.NULL, _lines.unescape(reason))
    part, pack = unpacked(is_pack, place, pack, labels)
    pack = pc.if_else(blank, _lines.one("", pa.binary()), pack)
    return pa.RecordBatch.from_arrays([place, method, _lines.unescape(id), reason, check, part, pack], ["place", "method", "id", "reason", "check", "part", "pack"])


def unpacked(is_pack, part, pack, labels):
    """The columns part, by its label, and pack, as bytes; null in other rows."""
    known = _lines.mask(is_pack)
    at = np.flatnonzero(known)
    rows = _lines.column(np.cumsum(known) - 1, known)
    found = _lines.binaries([base64.b64decode(p.as_buffer()) for p in pack.filter(is_pack)])
    named = _lines.column(np.asarray(labels, np.int32)[_lines.values(part)[at]])
    return named.take(rows), found.take(rows)


def packed(kind, packs):
    """The lines of a column of packs."""
    return b"".join(kind + base64.b64encode(p.as_buffer()) + b"\n" for p in packs)


# Postings of distinct texts in packs, by part; or, of the role COPY, a document (later) and the first (earlier) of
# its text; or, without role and part, a candidate: two texts that are equal and kept apart.
DISTINCT = "part int, pack binary, later long, earlier long, role string"
DISTINCT_COLUMNS = [c.split()[0] for c in DISTINCT.split(", ")]


def distinct(worker, labels, named):
    """Packs of records to rows of DISTINCT; named are the places of documents that keep a text of their own."""

    def run(parts):
        def feed():
            first = "".join(f"a\t{p}\n" for p in named).encode()
            for b in filled(parts):
                yield first + packed(b"r\t", *columns(b, "pack"))
                first = b""

        return worker.run(feed(), lambda lines: _distinct(lines, labels), "distinct", f"--parts={len(labels)}", *(["--ranges"] if worker.index else []))

    return run


def _distinct(lines, labels):
    s = pa.string()
    kind, a, b = _lines.parse(lines, kind=s, a=pa.int64(), b=s).to_batches()[0].columns
    is_pack = pc.equal(kind, _lines.one("p"))
    part, pack = unpacked(is_pack, a, b, labels)
    # Pairs have a part too: any will do.
    part = pc.coalesce(part, _lines.column(np.asarray(labels, np.int32)[_lines.values(a) % len(labels)]))
    none, copy = _lines.one(None, pa.int64()), _lines.one(COPY)
    role = pc.if_else(pc.equal(kind, copy), copy, _lines.NULL)
    earlier = pc.if_else(is_pack, _lines.NULL, b).cast(pa.int64())
    return pa.RecordBatch.from_arrays([part, pack, pc.if_else(is_pack, none, a), earlier, role], DISTINCT_COLUMNS)


def bucket_packed(worker, hot):
    """Rows of DISTINCT to rows of MET: candidates, and the postings of hot buckets, one bucket after the other; what is no pack passes."""

    def run(parts):
        others = []

        def feed():
            for b in filled(parts):
                pack, later = columns(b, "pack", "later")
                if later.null_count < len(later):
                    others.append(b.filter(pc.is_valid(later)).select(DISTINCT_COLUMNS[2:]))
                if pack.null_count < len(pack):
                    yield packed(b"", pack.drop_null())

        yield from worker.run(feed(), _stage._met, "bucket", "--packed", f"--hot={hot}", *worker.index)
        for b in others:
            later, earlier, role = b.columns
            no = pa.nulls(len(later), pa.int64())
            yield pa.RecordBatch.from_arrays([later, earlier, no, no, role, no], MET_COLUMNS)

    return run
