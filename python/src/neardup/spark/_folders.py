"""Temporary folders of the driver; they are removed when their process has ended, however it ends."""

import atexit
import glob
import os
import shutil
import tempfile

try:
    import fcntl
except ImportError:  # not on Windows: what a killed process leaves stays there
    fcntl = None

# As in cmd/neardup/held.go: the owner of a folder holds its lock, and the system releases it when the owner ends.
PREFIX, LOCK = "neardup-spark-", ".lock"

_locks = []  # open while Python runs


def held() -> str:
    """Returns a new folder, which is removed when Python ends. It first removes those that killed processes left."""
    _remove_left()
    while True:
        folder = tempfile.mkdtemp(prefix=PREFIX)
        if fcntl:
            name = os.path.join(folder, LOCK)
            lock = open(name, "w")
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.path.exists(name):  # another process has just removed it
                lock.close()
                continue
            _locks.append(lock)
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return folder


def _remove_left():
    """Removes what it can; a folder of another user, for example, stays."""
    for name in glob.glob(os.path.join(glob.escape(tempfile.gettempdir()), PREFIX + "*", LOCK)) if fcntl else ():
        folder = os.path.dirname(name)
        try:
            if os.path.islink(folder) or os.stat(folder).st_uid != os.geteuid():
                continue
            with open(name, "r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue
