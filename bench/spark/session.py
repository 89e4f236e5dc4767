"""Runs rows of bench/spark/cluster in one session of Spark, as `neardup spark dedup` does: a line of JSON each. For that script alone."""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import servers
import trouble

RUNS = {
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false", "spark.ui.liveUpdate.period": "0",
    "spark.driver.memory": "1g", "spark.executor.memory": "700m", "spark.executor.cores": "1", "spark.ui.showConsoleProgress": "false", "spark.locality.wait": "0",
    "spark.driver.extraJavaOptions": servers.LIGHT, "spark.executor.extraJavaOptions": servers.LIGHT,
}
SLOW = {"spark.speculation": "true", "spark.speculation.multiplier": "1.1", "spark.speculation.quantile": "0.3", "spark.speculation.interval": "50ms", "spark.speculation.minTaskRuntime": "50ms"}


def conf(kind, setup):
    where, hurt = kind
    out = {**RUNS, "spark.master": {"local": "local[2]", "shipped": "local-cluster[2,1,1024]", "alone": "local[2]"}.get(where, f"spark://127.0.0.1:{servers.MASTER}")}
    out.update({"spark.eventLog.enabled": "true", "spark.eventLog.compress": "false", "spark.eventLog.rolling.enabled": "false", "spark.eventLog.dir": "file://" + setup["dir"] + "/events"})
    if where == "shipped":  # what this session has is not what executors find
        out.update({"spark.executorEnv.NEARDUP_COMMAND": "", "spark.executorEnv.PYTHONPATH": ""})
    if hurt == "slow":
        out.update(SLOW)
    program = os.environ["NEARDUP_COMMAND"]
    scripts = {"unlike": f'exec {program} "$@" --threshold .5\n', "child": trouble.victim(setup["dir"], program)}
    if hurt in scripts:
        script = f"{setup['dir']}/{hurt}"
        with open(script, "w") as f:
            f.write("#!/bin/sh\n" + scripts[hurt])
        os.chmod(script, 0o755)
        out["spark.executorEnv.NEARDUP_COMMAND"] = script
    return out


def spec_of(job):
    partitions = job["row"].split(":")[4]
    return {"verb": "dedup", "inputs": [job["input"]], "out": job["out"], "format": "auto", "input": [], "method": job["method"], "partitions": int(partitions)}


def in_session(setup):
    from pyspark.sql import SparkSession

    from neardup.spark import _run

    os.makedirs(setup["dir"] + "/events", exist_ok=True)
    builder = SparkSession.builder.appName("bench/spark/cluster")
    for name, value in conf(setup["kind"], setup).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    for job in setup["jobs"]:
        hurt = trouble.of(job["row"].split(":")[-1], spark, setup)
        out, begun = {"row": job["row"]}, time.time()
        print(job["row"], file=sys.stderr, flush=True)
        try:
            with hurt:
                out["summary"] = _run.run(spark, spec_of(job), steps(begun, hurt))
        except Exception as e:
            out["failed"] = reason(e)
            out["left"] = left(job, setup)
        out["seconds"], out["happened"] = round(time.time() - begun), hurt.told()
        print(json.dumps(out), flush=True)
    spark.stop()


def steps(begun, hurt):
    def tell(step):
        print(f"{time.time() - begun:7.1f} {step}", file=sys.stderr, flush=True)
        hurt.step(step)

    return tell


def reason(e):
    """The last line of a failure that says why, as the command has it."""
    lines = [s for s in map(str.strip, str(e).splitlines()) if not s.startswith("at ")]
    said = [s for s in lines if "neardup worker " in s or "SafeMode" in s or "Error: " in s or "Exception: " in s]
    return (said or lines or [repr(e)])[-1][:300]


def left(job, setup):
    """What a run that failed left under --out; nothing, if all is well."""
    folder, name = os.path.split(job["out"])
    names = trouble.admin(setup, "-ls", "-C", folder + "/", of="fs.FsShell").split() if folder.startswith("hdfs:") else os.listdir(folder)
    return ", LEFT: " + name if any(os.path.basename(n) == name for n in names) else ""


def by_command(setup):
    os.makedirs(setup["dir"] + "/events", exist_ok=True)
    for job in setup["jobs"]:
        hurt, _, at = job["row"].split(":")[-1].partition("=")
        out, begun = {"row": job["row"], "happened": ""}, time.time()
        print(job["row"], file=sys.stderr, flush=True)
        with trouble.small_disk(setup["dir"], hurt == "full") as small:
            if hurt == "full":
                out["happened"] = "8 MB"
                job["out"] = job["out"] if at == "local" else small + "/out"
            argv = argv_of(job, setup)
            if hurt == "full" and at == "local":
                argv[argv.index("--"):0] = ["--conf", "spark.local.dir=" + small]
            env = {k: v for k, v in os.environ.items() if k not in ("NEARDUP_COMMAND", "PYTHONPATH", "SPARK_LOCAL_DIRS" if hurt == "full" else "")}
            if hurt == "readonly":
                env["HADOOP_USER_NAME"] = "reader"
            if hurt == "driver":
                out["happened"] = trouble.kill_driver(argv, env, at)
            ended = together(argv, env, 2 if hurt == "twice" else 1)
            fails = [f"exit {code}: {last(said)}" for code, _, said in ended if code]
            if hurt == "twice" and len(fails) == 1 and re.search("was created by another program meanwhile|already exists", fails[0]):
                out["happened"], fails = "the other: " + fails[0], []
            notes = [s for s in ended[0][2].splitlines() if s.startswith("note: ")] if hurt == "driver" else ()
            out["happened"] = "; ".join(filter(None, [out["happened"], *notes]))
            if fails:
                out["failed"], out["left"] = " / ".join(fails), left(job, setup)
            else:
                out["summary"] = next(json.loads(said) for code, said, _ in ended if not code)
        out["seconds"] = round(time.time() - begun)
        print(json.dumps(out), flush=True)


def argv_of(job, setup):
    """The command, with the options of spark-submit after --."""
    spec = spec_of(job)
    argv = [os.environ["NEARDUP_COMMAND"], "spark", "dedup", job["input"], "--out", job["out"], "--json", "--python", servers.PYTHON, f"--partitions={spec['partitions']}", *spec["method"]]
    where = job["row"].split(":")[0]
    for name, value in conf([where if where == "alone" else "cluster", ""], setup).items():
        if name != "spark.driver.memory":
            argv += ["--conf", f"{name}={value}"]
    return [*argv, "--", "--driver-memory", "1g"]


def together(argv, env, n):
    """(exit code, output, errors) of n runs at the same time."""
    runs = [subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) for _ in range(n)]
    with concurrent.futures.ThreadPoolExecutor(n) as pool:  # each is read while the other runs
        said = list(pool.map(lambda run: run.communicate(), runs))
    return [(run.returncode, *outputs) for run, outputs in zip(runs, said)]


def last(said):
    """The last line, which says why."""
    return (said.strip().splitlines() or [""])[-1][:300]


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    (by_command if given["kind"][0] in ("command", "alone") else in_session)(given)
