"""One measured process that writes pairs."""
import shlex
import os
import subprocess
import sys
import typing


class Run(typing.NamedTuple):
    cpu: float  # seconds, user + system, of the whole process
    pairs: set  # of places, the smaller first


def run(options, *command):
    """The command with a path for its pairs after it, on one core; ends the program where it fails."""
    out = os.path.join(options.dir, "pairs.tsv")
    child = subprocess.Popen(["taskset", "-c", str(options.core), *command, out], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: ended with {child.returncode}")
    with open(out, encoding="utf-8") as f:
        pairs = {tuple(sorted(map(int, line.split("\t")[:2]))) for line in list(f)[1:]}
    return Run(used.ru_utime + used.ru_stime, pairs)


def neardup(options, flags, corpus):
    """neardup pairs with one worker, on texts that are clean."""
    return run(options, os.path.join(options.dir, "neardup"), "pairs", "--quiet", "--workers", "1", "--normalize", "none",
               *shlex.split(flags), corpus, "--out")
