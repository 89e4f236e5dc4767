"""Runs rows of bench/spark/cluster in one session of Spark, as `neardup spark dedup` does: a line of JSON each. For that script alone."""

import json
import os
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
    out = {**RUNS, "spark.master": {"local": "local[2]", "shipped": "local-cluster[2,1,1024]"}.get(where, f"spark://127.0.0.1:{servers.MASTER}")}
    out.update({"spark.eventLog.enabled": "true", "spark.eventLog.compress": "false", "spark.eventLog.rolling.enabled": "false", "spark.eventLog.dir": "file://" + setup["dir"] + "/events"})
    if where == "shipped":  # what this session has is not what executors find
        out.update({"spark.executorEnv.NEARDUP_COMMAND": "", "spark.executorEnv.PYTHONPATH": ""})
    if hurt == "slow":
        out.update(SLOW)
    if hurt == "unlike":
        script = setup["dir"] + "/unlike"
        with open(script, "w") as f:
            f.write(f'#!/bin/sh\nexec {os.environ["NEARDUP_COMMAND"]} "$@" --method simhash\n')
        os.chmod(script, 0o755)
        out["spark.executorEnv.NEARDUP_COMMAND"] = script
    return out


def spec_of(job):
    where, _, _, _, partitions, _ = job["row"].split(":")
    spec = {"verb": "dedup", "inputs": [job["input"]], "out": job["out"], "format": "auto", "input": [], "method": job["method"], "partitions": int(partitions)}
    return {**spec, "onDriver": 0} if where == "spread" else spec


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
        out["seconds"], out["happened"] = round(time.time() - begun), hurt.told()
        print(json.dumps(out), flush=True)
    spark.stop()


def steps(begun, hurt):
    def tell(step):
        print(f"{time.time() - begun:7.1f} {step}", file=sys.stderr, flush=True)
        hurt.step(step)

    return tell


def reason(e):
    """The line of a failure that says why."""
    lines = [s.strip() for s in str(e).splitlines()]
    said = [s for s in lines if "neardup worker " in s or "SafeMode" in s or "Error: " in s or "Exception: " in s]
    return (said or lines or [repr(e)])[0][:300]


def by_command(setup):
    for job in setup["jobs"]:
        step = trouble.driver_step(job["row"].split(":")[-1])
        spec = spec_of(job)
        argv = [os.environ["NEARDUP_COMMAND"], "spark", "dedup", job["input"], "--out", job["out"], "--json", "--python", servers.PYTHON, f"--partitions={spec['partitions']}", *spec["method"]]
        for name, value in conf(["cluster", ""], setup).items():
            if name != "spark.driver.memory":
                argv += ["--conf", f"{name}={value}"]
        argv += ["--", "--driver-memory", "1g"]
        os.makedirs(setup["dir"] + "/events", exist_ok=True)
        out, begun = {"row": job["row"], "happened": ""}, time.time()
        env = {k: v for k, v in os.environ.items() if k not in ("NEARDUP_COMMAND", "PYTHONPATH")}
        if step:
            out["happened"] = trouble.kill_driver(argv, env, step)
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        notes = [s for s in done.stderr.splitlines() if s.startswith("note: ")]
        out["happened"] = "; ".join([out["happened"], *notes]) if step else ""
        if done.returncode:
            out["failed"] = f"exit {done.returncode}: " + done.stderr[-300:]
        else:
            out["summary"] = json.loads(done.stdout)
        out["seconds"] = round(time.time() - begun)
        print(json.dumps(out), flush=True)


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    (by_command if given["kind"][0] == "command" else in_session)(given)
