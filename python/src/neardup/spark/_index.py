"""An index that documents are decided against: how executors reach its folder, and its documents.

A document of it has a place below zero: its number minus 2^32. In each task the command reads what it needs
of the folder: from a folder that every machine has, or from HDFS over HTTP.
"""

import json
import os
from urllib.parse import quote

from .._command import Error
from . import _stage


class Index:
    """flags: those with which stages read it. method: the flags of its method."""

    def __init__(self, spark, name, flags):
        if not isinstance(name, (str, os.PathLike)):
            raise TypeError("against= is the folder of an index: neardup index add INDEX FILES makes one")
        for where in located(spark, os.fspath(name)):
            try:
                held = json.loads(_stage.once(["index", *flags, where]))
                break
            except Error as e:
                failed = e
        else:
            raise failed
        self.folder, self.remote = where, "://" in where
        self.flags, self.method, self.documents = [f"--against={where}", f"--as-of={held['asOf']}"], held["method"], held["documents"]


def located(spark, name) -> list:
    """The folder as the command reads it, or where it may be if there are several NameNodes."""
    from py4j.protocol import Py4JJavaError

    jvm, conf = spark._jvm, spark._jsc.hadoopConfiguration()
    try:
        path = jvm.org.apache.hadoop.fs.Path(name)
        fs = path.getFileSystem(conf)
    except Py4JJavaError as e:
        raise Error(f"{name}: {str(e.java_exception.getMessage()).splitlines()[0]}") from e
    full = fs.makeQualified(path).toUri()
    kind, host = full.getScheme(), full.getHost()
    if kind == "file":
        return [full.getPath()]
    if kind in ("webhdfs", "swebhdfs"):
        return [f"{kind}://{quote(full.getUserInfo() or spark.sparkContext.sparkUser())}@{full.getAuthority().split('@')[-1]}{quote(full.getPath())}"]
    if kind != "hdfs":
        raise Error(f"{name}: an index is read from a folder that every machine has, or from HDFS, not from {kind}:")
    secure = conf.get("dfs.http.policy", "HTTP_ONLY") == "HTTPS_ONLY"
    setting = f"dfs.namenode.http{'s' if secure else ''}-address"
    named = [n for n in (conf.get(f"dfs.ha.namenodes.{host}") or "").split(",") if n]
    addresses = [conf.get(f"{setting}.{host}.{n.strip()}") for n in named] or [conf.get(setting, "0.0.0.0:9871" if secure else "0.0.0.0:9870")]
    user, scheme = quote(spark.sparkContext.sparkUser()), "swebhdfs" if secure else "webhdfs"
    return [f"{scheme}://{user}@{a.replace('0.0.0.0', host or '127.0.0.1')}{quote(full.getPath())}" for a in addresses if a]
