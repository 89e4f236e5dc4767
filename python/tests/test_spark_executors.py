"""Executors that end by kill -9 while the stages of a cluster run."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap

from session import Session, lines


class Executors(Session):
    """Two executors of their own processes, one of which ends by kill -9 when a step begins."""

    STEPS = ("records", "bucket", "components", "decide", "decisions", "kept", "digest")
    PROGRAM = textwrap.dedent("""
        import json, os, signal, sys
        from pyspark.sql import SparkSession
        from neardup.spark import _run

        source, out, steps = sys.argv[1], sys.argv[2], sys.argv[3:]
        light = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        builder = SparkSession.builder.master("local-cluster[2,1,1024]")
        for name, value in {
            "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.extraJavaOptions": light, "spark.executor.extraJavaOptions": light,
            "spark.executor.memory": "700m", "spark.local.dir": os.getcwd(), "spark.locality.wait": "0", "spark.deploy.maxExecutorRetries": "-1", "spark.sql.codegen.wholeStage": "false",
        }.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        app, killed = spark.sparkContext.applicationId, []

        def executors():
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/cmdline") as f:
                        line = f.read()
                except OSError:
                    continue
                if "CoarseGrainedExecutorBackend" in line and app in line:
                    yield int(pid)

        def tell(step):
            if step in steps:
                os.kill(min(executors()), signal.SIGKILL)
                killed.append(step)

        spec = {"verb": "dedup", "inputs": [source], "out": out, "format": "auto", "input": [], "method": ["--method=minhash"], "partitions": 3}
        print(json.dumps([_run.run(spark, spec, tell)["digest"], killed]))
    """)

    def test_executors_that_are_killed(self):
        path = self.write("killed.jsonl", lines("uci_sms/docs.jsonl", 400))
        want = self.local(path, "--method=minhash")
        self.assertGreater(want["removed"], 0)
        with tempfile.TemporaryDirectory() as cwd:
            argv = [sys.executable, "-c", self.PROGRAM, path, os.path.join(cwd, "out"), *self.STEPS]
            done = subprocess.run(argv, cwd=cwd, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.assertEqual(json.loads(done.stdout.splitlines()[-1]), [want["digest"], list(self.STEPS)])
