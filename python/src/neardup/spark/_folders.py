"""Folders of the driver for what a run needs while it lasts; they go with their process, however it ends."""

import atexit
import glob
import os
import shutil
import tempfile

try:
    import fcntl
except ImportError:  # not on Windows: what a killed process leaves stays there
    fcntl = None

# As cmd/neardup/held.go has them: the owner of a folder holds its lock, and the system lets go of it when that ends.
PREFIX, LOCK = "neardup-spark-", ".lock"

_locks = []  # open for as long as Python runs


def held() -> str:
    """A new folder, gone when Python ends. Those that killed processes left are removed first."""
    _remove_left()
    while True:
        folder = tempfile.mkdtemp(prefix=PREFIX)
        if fcntl:
            name = os.path.join(folder, LOCK)
            lock = open(name, "w")
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.path.exists(name):  # another process found it free in the moment before
                lock.close()
                continue
            _locks.append(lock)
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return folder


def _remove_left():
    """What cannot be removed, such as a folder of another user, stays."""
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
