"""Stages of `neardup worker` as functions of Arrow batches, for mapInArrow."""

import gc
import hashlib
import json
import os
import struct
import subprocess
import sys
import threading
import zipimport

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext

from .. import _command
from .._command import Error
from . import _lines

CHUNK = 4 << 20  # bytes of lines that become a batch


def command():
    """The command on this machine: that of the package, or one that was shipped."""
    try:
        return _command.path()
    except Error:
        from pyspark import SparkFiles

        found = SparkFiles.get("neardup")
        if not os.path.exists(found):
            raise
        return found


class Worker:
    """The command and the flags that all stages get: driver and executors agree on the method, or a stage fails."""

    def __init__(self, flags=(), program=None, files={}, index=()):
        self.flags = list(flags)
        self.program = program  # None: the executor finds it
        self.index = list(index)  # the flags of stages that read the index which others are decided against
        self.files = files  # flags that name files which were sent: {flag: (what is before, the name of the file, what is after)}

    def argv(self, stage, *more):
        return [self.program or command(), "worker", stage, *more, *map(self._here, self.flags)]

    def _here(self, flag):
        if flag not in self.files:
            return flag
        from pyspark import SparkFiles

        before, file, after = self.files[flag]
        return before + SparkFiles.get(file) + after

    def run(self, feed, parse, stage, *more):
        return child(self.argv(stage, *more), feed, parse)


def cheapen():
    """Makes the next task of this process cheap, if it is one of Spark's: after each it collects all garbage, and before each invalidates all caches of imports.

    What is there when the first stage runs, all that was imported, is kept out of collecting: it took some 40 ms of CPU a task. Of the
    imports each package in a zip would have the zip's directory read anew, and Spark's own Python lies in one: a
    tenth of a second of CPU and more for a task. What is not in the cache is put there when it is needed.
    """
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimport.zipimporter):
            sys.path_importer_cache.pop(path, None)
    if TaskContext.get() and not gc.get_freeze_count():
        gc.freeze()


def child(argv, feed, parse):
    """Runs a stage: feed yields lines for it, parse makes a batch of lines.

    The child's exit code is seen; whoever stops reading ends it.
    """
    cheapen()
    feed = iter(feed)
    first = next(feed, None)
    if first is None:
        return  # an empty partition needs no child
    process = subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    failed, said = [], []

    def write():
        try:
            process.stdin.write(first)
            for part in feed:
                process.stdin.write(part)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it ended; its exit code says why
        except BaseException as e:  # the reader raises it
            failed.append(e)
            process.kill()

    def listen():
        for line in process.stderr:
            said[20:] = [line]  # its first words, and the last

    threads = [threading.Thread(target=f, daemon=True) for f in (write, listen)]
    for t in threads:
        t.start()
    try:
        yield from map(parse, _chunks(process.stdout))
        code = process.wait()
        for t in threads:
            t.join()
        if failed:
            raise failed[0]
        if code != 0:
            message = b"".join(said).decode("utf-8", "replace").strip()
            raise Error(f"neardup worker {argv[2]} ends with {code}: {message}")
    finally:
        process.kill()
        process.wait()
        threads[1].join()
        process.stdout.close()
        process.stderr.close()


def _chunks(stream):
    """Whole lines of a stream, some at a time."""
    rest = b""
    while part := stream.read(CHUNK):
        end = part.rfind(b"\n") + 1
        if end == 0:
            rest += part
            continue
        yield rest + part[:end]
        rest = part[end:]
    if rest:
        raise Error("the output of neardup worker ends inside a line")


def columns(batch, *names):
    return [batch.column(batch.schema.get_field_index(n)) for n in names]


def filled(parts):
    return (b for b in parts if b.num_rows)


# Each stage: the columns it gives, and a function of batches for mapInArrow.

def documents(raw, parts):
    """The lines of documents: of texts with ids, or of records as they are."""
    for b in filled(parts):
        place, text = columns(b, "place", "text")
        yield _lines.join(place, text) if raw else _lines.join(place, _lines.escape(text), _lines.escape(*columns(b, "id")))


def tally(worker, raw=()):
    """Counts of the texts of a partition, as bytes: they are no lines."""

    def run(parts):
        feed = documents(raw, parts)
        first = next(feed, None)
        if first is None:
            return
        process = subprocess.Popen(worker.argv("tally", *raw), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.stdin.write(first)
            for part in feed:
                process.stdin.write(part)
        except BrokenPipeError:
            pass
        counts, said = process.communicate()
        if process.returncode:
            raise Error(f"neardup worker tally ends with {process.returncode}: {said.decode('utf-8', 'replace').strip()}")
        yield pa.RecordBatch.from_arrays([_lines.binaries([counts])], ["counts"])

    return run


MET = "later long, earlier long, key long, place long, role string, sketch long"
MET_COLUMNS = [c.split()[0] for c in MET.split(", ")]


COPY = "c"


def bucket(worker):
    """Postings, those of a key together, to candidates."""
    return lambda parts: worker.run((_postings(b) for b in filled(parts)), _candidates, "bucket")


def _postings(b):
    key, place, role, sketch = columns(b, "key", "place", "role", "sketch")
    return _lines.join(_lines.hexed(key), place, role, _lines.hexed(sketch))


def _met(lines):
    s = pa.string()
    t = _lines.parse(lines, a=s, b=pa.int64(), role=s, sketch=s)
    a, b, role, sketch = (t.column(i).chunk(0) for i in range(4))
    candidate = pc.equal(role, _lines.EMPTY)
    pairs, whole = t.filter(candidate), t.filter(pc.invert(candidate))
    n, m = pairs.num_rows, whole.num_rows
    none = pa.nulls(m, pa.int64()), pa.nulls(n, pa.int64())
    both = lambda x, y: pa.concat_arrays([x, y])
    get = lambda part, name: pa.concat_arrays(part.column(name).chunks) if part.num_rows else pa.nulls(0, part.schema.field(name).type)
    return pa.RecordBatch.from_arrays(
        [
            both(get(pairs, "a").cast(pa.int64()), none[0]), both(get(pairs, "b"), none[0]),
            both(none[1], _lines.column(_lines.numbers(get(whole, "a")))), both(none[1], get(whole, "b")),
            both(pa.nulls(n, s), get(whole, "role")), both(none[1], _lines.column(_lines.numbers(get(whole, "sketch")))),
        ],
        MET_COLUMNS,
    )


PAIR = "later long, earlier long"  # a candidate, or an edge without its evidence


def _candidates(lines):
    t = _lines.parse(lines, later=pa.int64(), earlier=pa.int64())
    return t.to_batches()[0]


EDGES = "later long, earlier long, similarity double, distance int, relation string, method string, basis string, conflicts string"
EDGE_COLUMNS = [c.split()[0] for c in EDGES.split(", ")]


EDGE_SCHEMA = pa.schema([
    ("later", pa.int64()), ("earlier", pa.int64()), ("similarity", pa.float64()), ("distance", pa.int32()), ("relation", pa.string()),
    ("method", pa.string()), ("basis", pa.string()), ("conflicts", pa.string()),
])


def verify(worker, raw=(), conflicts=False):
    """Rows (block, kind, a, b, text): texts ("t", place a, check b), then candidates ("c", a, b)."""

    def run(parts):
        def feed():
            for b in filled(parts):
                kind, x, y, text = columns(b, "kind", "a", "b", "text")
                is_text = pc.equal(kind, _lines.one("t"))
                y = pc.if_else(is_text, _lines.hexed(y), y.cast(pa.large_string()))
                end = pc.if_else(is_text, _lines.TAB, _lines.NOTHING)  # between the last two fields, if there are two
                yield _lines.join(kind, x, y, text if raw else _lines.escape(text), last=end)

        return worker.run(feed(), lambda lines: _edges(lines, conflicts), "verify", *raw, *worker.index, *(["--conflicts"] if conflicts else []))

    return run


def decide(worker, raw, rulings, conflicts):
    """Rows (place, check, text) in order to the edges that decide; rulings are (place, place, link)."""

    def run(parts):
        def feed():
            first = "".join(f"r\t{a}\t{b}\t{link}\n" for a, b, link in rulings).encode()
            for b in filled(parts):
                place, check, text = columns(b, "place", "check", "text")
                yield first + _lines.join(place, _lines.hexed(check), text if raw else _lines.escape(text))
                first = b""

        return worker.run(feed(), lambda lines: _edges(lines, conflicts), "decide", *raw, *worker.index, *(["--conflicts"] if conflicts else []))

    return run


def _edges(lines, conflicts):
    s = pa.string()
    types = dict(later=pa.int64(), earlier=pa.int64(), similarity=pa.float64(), distance=pa.int32(), relation=s, method=s, basis=s)
    if conflicts:
        types["conflicts"] = s
    b = _lines.parse(lines, **types).to_batches()[0]
    cols = [b.column(i) for i in range(7)]
    for i in (5, 6):
        cols[i] = _lines.unescape(cols[i])
    found = _lines.unescape(b.column(7)) if conflicts else pa.nulls(b.num_rows, s)
    if conflicts:
        found = pc.if_else(pc.equal(found, _lines.EMPTY), _lines.NULL, found)
    return pa.RecordBatch.from_arrays([*cols, found], [*list(types)[:7], "conflicts"])


TOTALS = ("documents", "kept", "variants", "equal", "blank")


def digest(worker):
    """Decisions to the digest of a partition and the columns of TOTALS: documents, kept ones and so on, and the checks of these."""

    def run(parts):
        counts, checks = np.zeros(5, np.int64), np.zeros(1, np.int64)

        def feed():
            for b in filled(parts):
                ids, decision, leader, similarity, variant, basis, check = columns(b, "id", "decision", "leader", "similarity", "variant_of", "basis", "check")
                rows = lambda column, value: pc.sum(pc.equal(column, _lines.one(value))).as_py() or 0
                counts[:] += (len(ids), rows(decision, "new"), len(variant) - variant.null_count, rows(basis, "equal text"), rows(basis, "no text"))
                checks[:] ^= np.bitwise_xor.reduce(_lines.values(check.filter(pc.equal(decision, _lines.one("new")))))
                yield _lines.join(_lines.escape(ids), decision, _lines.escape(leader), similarity, _lines.escape(variant))

        for b in worker.run(feed(), lambda lines: _lines.parse(lines, digest=pa.string()).to_batches()[0], "digest"):
            yield pa.RecordBatch.from_arrays([b.column(0), *(_lines.column(n.reshape(1)) for n in (*counts, *checks))], ["digest", *TOTALS, "checks"])

    return run


def lead(worker):
    """Rows of EDGES, of whole components, by later and then earlier, to those that decide; of conflicts nothing comes back."""

    def run(parts):
        def feed():
            for b in filled(parts):
                later, earlier, similarity, distance, relation, method, basis = columns(b, *EDGE_COLUMNS[:7])
                yield _lines.join(later, earlier, similarity, distance, relation, _lines.escape(method), _lines.escape(basis))

        return worker.run(feed(), lambda lines: _edges(lines, False), "lead")

    return run


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
