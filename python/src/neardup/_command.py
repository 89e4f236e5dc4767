"""Runs the command in the wheel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from typing import Callable, Iterable, Mapping, Optional, Sequence


class Error(RuntimeError):
    """The command failed; the message is the command's."""


class OptionError(Error, ValueError):
    """An option has a value that it cannot have."""


def failure(code: int, said: str) -> Exception:
    """Returns the Python exception for the message of a command that failed."""
    said = re.sub(r"\nSee '[^']*'\.\s*$", "", said.strip())
    last = said.rsplit("neardup: ", 1)[-1]
    last = last[len("usage: "):] if last.startswith("usage: ") else last
    for words, kind in (
        (("no such file or directory", "cannot find the file specified.", "cannot find the path specified."), FileNotFoundError),
        (("permission denied", "Access is denied."), PermissionError),  # the second is Windows'
    ):
        if last.endswith(words):
            return kind(last)
    told = last if code == 2 else said.replace("neardup: ", "") or f"neardup ends with {code}"
    told = re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda m: "text" if m[1] == "text-field" else m[1].replace("-", "_"), told)
    unknown = re.match(r"unknown flag: -*([\w-]+)", told)
    if code == 2 and unknown:
        return TypeError(f"unexpected keyword argument {unknown[1].replace('-', '_')!r}{told[unknown.end():]}")
    return (OptionError if code == 2 else Error)(told)


def path() -> str:
    """The command: $NEARDUP_COMMAND, the one in the wheel, or one on PATH."""
    name = "neardup.exe" if sys.platform == "win32" else "neardup"
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    found = os.environ.get("NEARDUP_COMMAND") or (own if os.path.exists(own) else shutil.which("neardup"))
    if not found:
        raise Error("command neardup not found: install the wheel of this platform, or set NEARDUP_COMMAND")
    return found


def flags(options: Mapping[str, object]) -> list[str]:
    """Returns options as flags: max_document="1MiB" is --max-document=1MiB; None gives no flag, and a list repeats its flag."""
    out = []
    for name, value in options.items():
        if value is None:
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            out.append(f"--{name.replace('_', '-')}={str(one).lower() if isinstance(one, bool) else one}")
    return out


def run(args: Sequence[str], stdin: Optional[bytes] = None, feed: Optional[Iterable[bytes]] = None) -> str:
    """Runs the command and returns what it prints, as run_bytes does."""
    return run_bytes(args, stdin, feed).decode("utf-8")


def batch(args: Sequence[str], inputs: Iterable[str], options: Mapping[str, object], feed: Optional[Iterable[bytes]] = None) -> str:
    """Runs a command over inputs and returns what it prints. options are its flags, and progress."""
    progress = options.get("progress")
    told = (lambda line: print(f"\r{line:<79}", end="", file=sys.stderr, flush=True)) if progress is True else progress
    set_ = flags({k: v for k, v in options.items() if k != "progress"})
    out = run_bytes([*args, "--json" if told else "--quiet", *set_, *inputs], feed=feed, progress=told)
    if progress is True:
        print(file=sys.stderr)
    return out.decode("utf-8")


def run_bytes(args: Sequence[str], stdin: Optional[bytes] = None, feed: Optional[Iterable[bytes]] = None, progress: Optional[Callable[[str], object]] = None) -> bytes:
    """Runs the command and returns what it prints.

    feed yields bytes for its standard input; stdin is bytes. progress is called, in a thread, with each progress line
    of the command.
    """
    env = {**os.environ, "NEARDUP_PROGRESS": "true"} if progress else None
    child = subprocess.Popen([path(), *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    said, stderr, child.stderr = [], child.stderr, None
    reader = threading.Thread(target=_hear, args=(stderr, said, progress), daemon=True)
    reader.start()
    if feed is not None:
        # Its output is short here, so writing all input first cannot block.
        try:
            for part in feed:
                child.stdin.write(part)
        except BrokenPipeError:
            pass  # it failed; its message says why
        except BaseException:
            child.kill()
            child.wait()
            raise
    out = child.communicate(stdin)[0]
    reader.join()
    if child.returncode != 0:
        raise failure(child.returncode, _LINE.sub("", b"".join(said).decode("utf-8", "replace")))
    return out


_LINE = re.compile("[^\n]*\r\x1b\\[K")  # a line of progress, and the escape that erases it


def _hear(stderr, said, progress):
    """Keeps what the command writes to standard error, and passes on its progress."""
    with stderr:
        for part in iter(lambda: stderr.read1(1 << 16), b""):
            said.append(part)
            line = part.decode("utf-8", "replace").rsplit("\r\x1b[K", 1)[-1]
            if progress and line and "\n" not in line:
                progress(line)


def main() -> None:
    """Replaces this process with the command."""
    args = [path(), *sys.argv[1:]]
    if args[1:2] == ["spark"]:  # the Spark that was installed with it
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if sys.platform == "win32":
        sys.exit(subprocess.call(args))
    os.execv(args[0], args)
