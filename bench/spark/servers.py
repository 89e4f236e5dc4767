"""HDFS of a NameNode and two DataNodes, and a standalone Spark of two workers of one core: on loopback, ended with their owner."""

import contextlib
import glob
import os
import shutil
import signal
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.environ.get("NEARDUP_SERVICES") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "neardup-services")
PYTHON = os.path.join(HOME, "python", "bin", "python")
NAMENODE, MASTER = 9820, 7077
HDFS = f"hdfs://127.0.0.1:{NAMENODE}"
LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # the sets are small: what starts soon counts


class Servers:
    """Use as a context. dir is a folder for whatever the run needs."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="neardup-cluster-")
        self.running = {}

    def __enter__(self):
        try:
            self.hdfs()
            self.spark()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        table = processes()
        for p in reversed(self.running.values()):
            for child in below(table, p.pid):  # an executor may be stopped, and would stay
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            p.kill()
            p.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    def start(self, name, argv, says, env=None):
        log = os.path.join(self.dir, name + ".log")
        with open(log, "w") as f:
            self.running[name] = subprocess.Popen(argv, stdout=f, stderr=f, env=env)
        for _ in range(900):
            with open(log, errors="replace") as f:
                if says in f.read():
                    return
            if self.running[name].poll() is not None:
                break
            time.sleep(0.2)
        with open(log, errors="replace") as f:
            raise SystemExit(f"{name} did not start: {f.read()[-2000:]}")

    def java(self, node=0):
        """Of the programs of HDFS; all want to know where a DataNode listens."""
        ports = (f"-Dhd.{name}={base + 10 * node}" for name, base in (("address", 19866), ("ipc", 19867), ("http", 19864)))
        return ["java", *LIGHT.split(), "-Xmx384m", f"-Dhd.data={self.dir}/hdfs", f"-Dhd.port={NAMENODE}", f"-Dhd.node={node}", *ports, "-cp", f"{HERE}/hdfs/conf:{HOME}/hdfs/lib/*"]

    def hdfs(self):
        if not os.path.isdir(HOME + "/hdfs/lib"):
            os.makedirs(HOME + "/hdfs", exist_ok=True)
            shutil.copy(HERE + "/hdfs/pom.xml", HOME + "/hdfs/")
            subprocess.run(["mvn", "-B", "-q", "dependency:copy-dependencies", "-DoutputDirectory=lib.new"], cwd=HOME + "/hdfs", check=True)
            os.rename(HOME + "/hdfs/lib.new", HOME + "/hdfs/lib")
        os.makedirs(self.dir + "/hdfs")
        server = "org.apache.hadoop.hdfs.server."
        subprocess.run([*self.java(), server + "namenode.NameNode", "-format", "-force", "-nonInteractive"], check=True, capture_output=True)
        self.start("namenode", [*self.java(), server + "namenode.NameNode"], "IPC Server listener on")
        for i in range(2):
            self.datanode(i)

    def datanode(self, i):
        self.start(f"datanode{i}", [*self.java(i), "org.apache.hadoop.hdfs.server.datanode.DataNode"], "successfully registered with NN")

    def admin(self, *args, of="fs.FsShell"):
        return subprocess.run([*self.java(), "org.apache.hadoop." + of, *args], check=True, capture_output=True, text=True).stdout

    def spark(self):
        home = glob.glob(HOME + "/python/lib/python3*/site-packages/pyspark")[0]
        env = {**os.environ, "SPARK_HOME": home, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": self.dir + "/local", "SPARK_WORKER_DIR": self.dir + "/work", "SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": LIGHT, "PYSPARK_PYTHON": PYTHON}
        run = lambda *args, host="127.0.0.1": [home + "/bin/spark-class", "org.apache.spark.deploy." + args[0], "--host", host, *args[1:]]
        self.start("master", run("master.Master", "--port", str(MASTER), "--webui-port", "18080"), "New state: ALIVE", env)
        for i in (1, 2):  # of two hosts: Spark never tries a task again on the host where it runs
            host = f"127.0.0.{i}"
            argv = run("worker.Worker", "-c", "1", "-m", "1024m", "--webui-port", str(18080 + i), f"spark://127.0.0.1:{MASTER}", host=host)
            self.start(f"worker{i}", argv, "Successfully registered with master", {**env, "SPARK_LOCAL_IP": host})


def flags(method):
    """Of a method as a row names it: ngram,similarity=jaccard."""
    return [f"--{part}" for part in ("method=" + method).split(",")]


def processes():
    """{pid: (parent, command line)} of this machine."""
    out = {}
    for name in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(name) as f:
                parent = int(f.read().rsplit(")", 1)[1].split()[1])
            with open(name[:-4] + "cmdline", "rb") as f:
                out[int(name.split("/")[2])] = parent, f.read().replace(b"\0", b" ").decode(errors="replace")
        except (OSError, IndexError):
            continue
    return out


def below(table, top):
    """The processes of a table that descend from one."""
    found, front = set(), {top}
    while front:
        front = {p for p, (parent, _) in table.items() if parent in front} - found
        found |= front
    return found
