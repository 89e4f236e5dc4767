"""One process of the command for each interpreter, which answers calls over pipes.

A frame is its length in 4 bytes, big endian, and JSON. Any thread may call: a thread of this module reads
the answers and wakes the caller. A forked process starts a process of its own.
"""

from __future__ import annotations

import atexit
import itertools
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
from typing import Any, Dict, List, Mapping, Optional

from ._command import Error, failure, flags, path

MOST = 1 << 30  # bytes of a call


class Ended(Error):
    """The process ended before it answered."""


class Child:
    """A running process."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.log = tempfile.TemporaryFile(buffering=0)  # what it writes to standard error
        stdin, self.to = os.pipe()
        self.of, stdout = os.pipe()
        # A session of its own, so that Ctrl-C in a terminal does not end the process and lose its indexes.
        own = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if sys.platform == "win32" else {"start_new_session": True}
        try:
            self.process = subprocess.Popen([path(), "worker", "calls"], stdin=stdin, stdout=stdout, stderr=self.log, **own)
        except BaseException:
            os.close(self.to)
            os.close(self.of)
            raise
        finally:
            os.close(stdin)
            os.close(stdout)
        self.ended = False
        self.sending = threading.Lock()
        self.numbers = itertools.count(1)
        self.waiting: Dict[int, "tuple[threading.Lock, List[Any]]"] = {}
        self.dropped: List[int] = []  # indexes that nothing refers to any more
        threading.Thread(target=self._read, name="neardup", daemon=True).start()

    def call(self, do: str, **fields: object) -> Any:
        """Sends a call and returns its answer."""
        number, done, answer = next(self.numbers), threading.Lock(), []
        drop = [self.dropped.pop() for _ in range(len(self.dropped))]
        data = json.dumps({"id": number, "do": do, "drop": drop, **fields}).encode("ascii")
        if len(data) > MOST:
            raise ValueError(f"the texts of a call take {len(data)} bytes (want at most {MOST})")
        done.acquire()
        self.waiting[number] = done, answer
        try:
            self._send(struct.pack(">I", len(data)) + data)
            done.acquire()
        finally:
            self.waiting.pop(number, None)
        if not answer:
            raise Ended(f"the process of neardup ended with {self.process.wait()} before it answered{self._said()}")
        if "error" in answer[0]:
            raise failure(answer[0]["code"], answer[0]["error"])
        return answer[0].get("out")

    def _send(self, frame: bytes) -> None:
        with self.sending:
            if self.ended:
                raise Ended(f"the process of neardup has ended with {self.process.wait()}{self._said()}")
            try:
                rest = memoryview(frame)
                while rest:
                    rest = rest[os.write(self.to, rest):]
            except BrokenPipeError:
                pass  # the reader sees the end, too, and wakes the caller
            except BaseException:
                self.process.kill()  # a frame may be incomplete
                raise

    def _read(self) -> None:
        buffer = bytearray()
        while True:
            try:
                part = os.read(self.of, 1 << 16)
            except OSError:
                part = b""
            buffer += part
            if not part or int.from_bytes(buffer[:4], "big") > MOST:
                break  # the end of input, or not a frame of the command
            while len(buffer) >= 4 and len(buffer) >= 4 + (size := int.from_bytes(buffer[:4], "big")):
                answer = json.loads(bytes(buffer[4:4 + size]))
                del buffer[:4 + size]
                done, answers = self.waiting.get(answer["id"], (None, None))
                if done:
                    answers.append(answer)
                    done.release()
        self.end()
        with self.sending:
            self.ended = True
            os.close(self.to)
            os.close(self.of)
        for done, answers in list(self.waiting.values()):
            if not answers:
                done.release()

    def _said(self) -> str:
        """The first lines of what it wrote to standard error."""
        self.log.seek(0)
        said = self.log.read(2000).decode("utf-8", "replace").strip()
        return ": " + said.replace("neardup: ", "", 1) if said else ""

    def end(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait()


_starting = threading.Lock()
_running: Optional[Child] = None
_inherited: List[Child] = []  # of the process that was forked


def running() -> Child:
    """Returns the process, and starts one if none runs."""
    global _running
    child = _running
    if child is None or child.ended or child.pid != os.getpid():
        with _starting:
            if _running is None or _running.ended or _running.pid != os.getpid():
                _running = Child()
            child = _running
    return child


def method(method: Optional[str], options: Mapping[str, object]) -> List[str]:
    """The flags of a method. Files are named for the process, which may be in another folder."""
    files = {k: os.path.abspath(v) for k, v in options.items() if k in ("idf", "dictionary", "stopwords") and isinstance(v, (str, os.PathLike))}
    return flags({"method": method, **options, **files})


def call(do: str, **fields: object) -> Any:
    """Calls a function without state, and again if its process ends meanwhile."""
    try:
        return running().call(do, **fields)
    except Ended:
        return running().call(do, **fields)


def _forked() -> None:
    global _running, _starting
    _starting = threading.Lock()
    child, _running = _running, None
    if child and not child.ended:
        _inherited.append(child)
        child.process.returncode = 0  # it is not a child of this process
        os.close(child.to)
        os.close(child.of)


def _end() -> None:
    if _running and _running.pid == os.getpid():
        _running.end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
atexit.register(_end)
