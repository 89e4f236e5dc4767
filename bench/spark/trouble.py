"""What bench/spark/cluster does to a job while it runs. Spark's own status says what step runs where, and its log of events what became of tasks."""

import collections
import contextlib
import glob
import json
import os
import signal
import subprocess
import threading
import time

import servers


def of(text, spark, setup):
    what, _, step = text.partition("=")
    return Trouble(what, step, spark, setup)


class Trouble:
    """Watches a job from a thread of its own, as a context; told says what happened."""

    def __init__(self, what, step, spark, setup):
        self.what, self.at, self.setup, self.spark = what, step, setup, spark
        self.done, self.did, self.over = [], False, threading.Event()
        self.waiting = []  # processes that are stopped
        self.log = setup["dir"] + "/events/" + spark.sparkContext.applicationId
        self.from_byte = self.size()

    def size(self):
        return sum(os.path.getsize(f) for f in glob.glob(self.log + "*"))

    def __enter__(self):
        if self.what == "child":
            os.makedirs(self.setup["dir"] + "/victims", exist_ok=True)
            open(self.victim(), "w").close()
        act = {"executor": self.kill_executor, "slow": self.slow}.get(self.what)
        if act:
            self.thread = threading.Thread(target=self.watch, args=(act,))
            self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        if hasattr(self, "thread"):
            self.thread.join()
        self.go_on()
        if self.what == "safemode" and self.did:
            admin(self.setup, "-safemode", "leave")
        if self.what == "full" and self.did:
            admin(self.setup, "-clrSpaceQuota", "/")
        if self.what == "child" and not os.path.exists(self.victim()):
            self.happened(f"a child, {self.at}, ended")

    def step(self, name):
        """Called with each step before its first job."""
        self.go_on()  # a step without tasks must not keep the next one waiting
        if name != self.at or self.did:
            return
        if self.what == "executor":  # its tasks may be too short to be met: executors get them, and wait
            self.waiting = [p for p in map(self.executor, self.executors(lambda e: True)) if p]
            signal_all(self.waiting, signal.SIGSTOP)
        elif self.what == "datanode":
            os.kill(self.datanode(), signal.SIGKILL)
            self.happened("one of two DataNodes ended")
        elif self.what == "safemode":
            admin(self.setup, "-safemode", "enter")
            self.happened("the NameNode is in safe mode")
        elif self.what == "full":
            admin(self.setup, "-setSpaceQuota", "1", "/")
            self.happened("HDFS is full")

    def datanode(self):
        """The second DataNode. After a row that ended it another is started, which may take until now."""
        for _ in range(600):
            for pid, (_, line) in servers.processes().items():
                if f"-Dhd.data={self.setup['dir']}/hdfs " in line and "-Dhd.node=1 " in line and line.rstrip().endswith(".DataNode"):
                    return pid
            time.sleep(0.1)
        raise RuntimeError("there is no second DataNode")

    def victim(self):
        """A file; the child that removes it ends."""
        return f"{self.setup['dir']}/victims/{self.at}"

    def happened(self, what):
        self.did = True
        self.done.append(what)

    def watch(self, act):
        while not self.over.is_set() and not self.did:
            act()
            time.sleep(0.01)

    def go_on(self):
        signal_all(self.waiting, signal.SIGCONT)
        self.waiting = []

    def busy(self):
        """The ids of executors that run tasks while the step runs."""
        store = self.spark.sparkContext._jsc.sc().statusStore()
        stages = store.activeStages()
        names = (stages.apply(i) for i in range(stages.size()))
        if not any(s.numActiveTasks() > 0 and s.description().isDefined() and s.description().get() == "neardup: " + self.at for s in names):
            return []
        return self.executors(lambda e: e.activeTasks() > 0)

    def executors(self, wanted):
        """The ids of those that live and are wanted."""
        found = self.spark.sparkContext._jsc.sc().statusStore().executorList(True)
        all_of = (found.apply(i) for i in range(found.size()))
        return [e.id() for e in all_of if e.id() != "driver" and wanted(e)]

    def kill_executor(self):
        for executor in self.busy()[:1]:
            pid = self.executor(executor)
            if pid:
                os.kill(pid, signal.SIGKILL)
                self.happened(f"executor {executor} ended")
                self.go_on()

    def executor(self, id):
        app = self.spark.sparkContext.applicationId
        for pid, (_, line) in servers.processes().items():
            if f"--executor-id {id} " in line and app in line:
                return pid
        return None

    def slow(self):
        """One worker's executor and all below are stopped nine tenths of the time."""
        table = servers.processes()
        mine = servers.below(table, self.setup["pids"]["worker1"])
        for sig, rest in ((signal.SIGSTOP, 0.45), (signal.SIGCONT, 0.05)):
            signal_all(mine, sig)
            time.sleep(rest)

    def told(self):
        """What was done, and what became of tasks by Spark's log of events."""
        if not self.what or self.what in ("none", "unlike", "badline"):
            return ""
        time.sleep(1)  # the last events
        ends, speculated = self.events()
        out = [*self.done, *(f"{n} tasks of {step}: {why}" for (step, why), n in sorted(ends.items()))]
        if speculated or self.what == "slow":
            out.append(f"{speculated[0]} speculative tasks, {speculated[1]} of them were first" if speculated[0] else "")
        return "; ".join(filter(None, out))

    def events(self):
        """({(step, why): tasks that did not end well}, [speculative tasks, those that ended well])."""
        steps, ends, speculated = {}, collections.Counter(), [0, 0]
        at = 0
        for name in glob.glob(self.log + "*"):
            with open(name, "rb") as f:
                for line in f:
                    at += len(line)
                    try:
                        e = json.loads(line)
                    except ValueError:
                        continue  # the end of a log that is being written
                    if e["Event"] == "SparkListenerJobStart":
                        for stage in e["Stage IDs"]:
                            steps[stage] = e["Properties"].get("spark.job.description", "").removeprefix("neardup: ")
                    if e["Event"] == "SparkListenerTaskEnd" and at > self.from_byte:
                        why = e["Task End Reason"]["Reason"]
                        if e["Task Info"]["Speculative"]:
                            speculated[0] += 1
                            speculated[1] += why == "Success"
                        if why not in ("Success", "TaskKilled"):
                            ends[steps.get(e["Stage ID"], "?"), why] += 1
        return ends, speculated


def signal_all(pids, sig):
    for p in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(p, sig)


def admin(setup, *args, of="hdfs.tools.DFSAdmin"):
    up = servers.Servers.__new__(servers.Servers)
    up.dir = setup["dir"]
    return up.admin(*args, of=of)


def victim(folder, program):
    """A script of the command: of a stage that a file names the first child takes a part of its input, and ends when it has given what came of it."""
    return f'if rm "{folder}/victims/$2" 2>/dev/null; then head -c 20000 | {program} "$@" 2>/dev/null; kill -9 $$; fi\nexec {program} "$@"\n'


@contextlib.contextmanager
def small_disk(folder, wanted):
    """A file system of 8 MB."""
    small = folder + "/small"
    os.makedirs(small, exist_ok=True)
    if wanted:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", small], check=True)
    try:
        yield small
    finally:
        if wanted:
            subprocess.run(["umount", small], check=True)


def kill_driver(argv, env, step):
    """Starts the command, and kills its driver (the JVM and the Python below it) with -9 once the command reports the step."""
    child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env)
    said = ""
    for line in child.stderr:
        if line.split()[1:] == step.split() and not said:
            time.sleep(0.5)
            for p in servers.below(servers.processes(), child.pid):
                os.kill(p, signal.SIGKILL)
            said = f"the driver was ended in {step}"
    return f"{said}, exit {child.wait()}"
