"""`neardup spark dedup`, and files of every kind, against the command on one machine."""

import json
import os
import signal
import subprocess
import sys

import neardup
from session import Session, lines


class Files(Session):
    def test_the_command(self):
        """`neardup spark dedup` over packed files of two folders, and a folder that is there."""
        import gzip

        from neardup.spark import _files

        rows = lines("uci_sms/docs.jsonl", 600)
        rows[17] = '{"id": 17, "text": '
        rows[405:405], rows[580] = ["", ""], '{"id": "no text"}'  # in the last piece of a file, after lines without anything
        folder = os.path.join(self.folder.name, "in")
        for name, part in {"a/x.jsonl.gz": rows[:200], "a/y.jsonl": rows[200:400], "b/z.jsonl": rows[400:]}.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with (gzip.open if name.endswith("gz") else open)(path, "wt", encoding="utf-8") as f:
                f.writelines(r + "\n" for r in part)
        out = os.path.join(self.folder.name, "out")
        argv = ["neardup", "spark", "dedup", folder, "--out", out, "--json", "--master", "local[2]", "--partitions", "3", "--python", sys.executable]
        for c in ("spark.driver.host=127.0.0.1", "spark.driver.bindAddress=127.0.0.1", "spark.ui.enabled=false", "spark.sql.codegen.wholeStage=false",
                  "spark.sql.codegen.factoryMode=NO_CODEGEN", "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"):
            argv += ["--conf", c]
        temporary = os.path.join(self.folder.name, "temporary")
        os.mkdir(temporary)
        env = {**os.environ, "TMPDIR": temporary}
        left = self.killed(argv, "decide", out, env)
        self.assertEqual([n[:14] for n in os.listdir(temporary)], ["neardup-spark-"])  # of the command
        done = subprocess.run(argv, capture_output=True, text=True, env=env)
        self.assertEqual(os.listdir(temporary), [])
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        summary = json.loads(done.stdout)
        want = self.local(folder)
        self.assertEqual((summary["digest"], summary["method"], summary["rejected"]), (want["digest"], want["method"], 2))
        self.assertEqual(summary["equal"], want["equal"])
        self.assertIn("_SUCCESS", os.listdir(out))
        self.assertIn(f"note: file:{left} is what a run made that was ended", done.stderr)
        self.assertEqual([s.split()[-1] for s in done.stderr.splitlines() if s[2:3] == s[5:6] == ":" and s[9:].isalpha()], ["read", "records", "bucket", "components", "decide", "decisions", "kept", "digest"])
        read = lambda name: [r for f in sorted(os.listdir(os.path.join(out, name))) if f.startswith("part-") for r in lines(os.path.join(out, name, f)) if r]
        kept = os.path.join(self.folder.name, "kept.jsonl")
        subprocess.run(["neardup", "dedup", "-q", folder, "--out", kept, "--rejects", kept + ".rejects"], check=True)
        self.assertEqual(read("kept"), lines(kept)[:-1])
        self.assertEqual(len(read("decisions")), want["documents"])
        self.assertEqual(sorted(map(json.loads, read("rejects")), key=lambda r: r["line"]), [json.loads(r) for r in lines(kept + ".rejects")[:-1]])
        with self.assertRaisesRegex(neardup.Error, "already exists"):
            _files.Output(self.spark, out)

    def killed(self, argv, step, out, env):
        """Ends a run, all its processes, in a step: what it leaves, which is hidden."""
        run = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env, start_new_session=True)
        said = ""
        for line in run.stderr:
            said += line
            if line.endswith(f" {step}\n"):
                os.killpg(run.pid, signal.SIGKILL)
        run.stderr.close()
        self.assertEqual(run.wait(), -signal.SIGKILL, said[-3000:])
        self.assertFalse(os.path.exists(out))
        (left,) = (n for n in os.listdir(os.path.dirname(out)) if n.startswith("_out."))
        return os.path.join(os.path.dirname(out), left)

    def test_many_partitions_of_few_rows(self):
        """What is asked for is the most: a task for each of 300 pieces of a few rows would be all that a run takes."""
        from neardup.spark import _run

        path = self.write("split.jsonl", lines("uci_sms/docs.jsonl", 600))
        spec = {"verb": "dedup", "inputs": [path], "out": os.path.join(self.folder.name, "many"), "format": "auto", "input": [], "method": ["--method=minhash"], "partitions": 300}
        store = self.spark.sparkContext._jsc.sc().statusStore()
        before = len(list(self.jobs(store)))
        try:
            got = _run.run(self.spark, spec)
        finally:
            self.spark.conf.set("spark.sql.shuffle.partitions", "3")
        self.assertEqual(got["digest"], self.local(path, "--method=minhash")["digest"])
        tasks = [job.numTasks() for job in self.jobs(store)][: -before or None]
        self.assertGreater(len(tasks), 10)
        self.assertLess(max(tasks), 300, tasks)
        self.assertLess(sum(tasks), 600, tasks)

    def jobs(self, store):
        """The newest first."""
        found = store.jobsList(None)
        return (found.apply(i) for i in range(found.size()))

    def test_files_of_every_kind(self):
        """Parquet by rows, CSV and WARC by files: what `neardup dedup` reads of them."""
        import csv

        import pyarrow
        import pyarrow.parquet

        from neardup.spark import _decide, _files, digest
        from neardup.spark._job import Job

        rows = [json.loads(r) for r in lines("uci_sms/docs.jsonl", 240)]
        for i in (5, 6, 130):
            rows[i]["text"] = ""  # a copy of no other text; in Parquet null
        folders = {kind: os.path.join(self.folder.name, kind + " files") for kind in ("parquet", "csv", "warc")}
        for folder in folders.values():
            os.makedirs(folder)
        for n in range(2):
            part = rows[n * 120 : n * 120 + 120]
            pyarrow.parquet.write_table(
                pyarrow.table({"place": [r["label"] for r in part], "id": [r["id"] for r in part], "text": [r["text"] or None for r in part]}),
                os.path.join(folders["parquet"], f"{n}, [{n}] {{x}}?*\\.parquet"))
            with open(os.path.join(folders["csv"], f"{n}, [{n}] {{x}}?*\\.csv"), "w", newline="", encoding="utf-8") as f:
                csv.writer(f).writerows([("id", "text"), *((r["id"], r["text"]) for r in part)])
            with open(os.path.join(folders["warc"], f"{n}.warc"), "wb") as f:
                for r in part[:40]:
                    body = ("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + r["text"]).encode()
                    f.write(f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/{r['id']}\r\nContent-Type: application/http\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body + b"\r\n\r\n")
        batch = self.spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
        for kind, folder in folders.items():
            with self.subTest(kind):
                want = self.local(folder, "--method=ngram")
                job = Job(self.spark, {}, 2, flags=["--method=ngram"])
                source = _files.read(job, [folder], "auto", [])
                self.assertEqual(self.spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch"), batch)  # of the stages that come
                decided = _decide.decide(job, source.documents)
                self.assertGreater(want["removed"], 0)
                self.assertEqual(digest(decided.decisions), want["digest"])
                rejects = source.rejects(job)
                self.assertEqual(0 if rejects is None else rejects.count(), want["rejected"])
                out = os.path.join(self.folder.name, "kept-" + kind)
                source.kept(lambda rows: decided.kept(rows).orderBy("place")).write.format(source.format).save(out)
                kept = self.spark.read.parquet(out) if kind == "parquet" else self.spark.read.json(out)
                self.assertEqual(kept.count(), want["kept"])
                if kind == "parquet":
                    self.assertEqual(kept.columns, ["place", "id", "text"])

    def test_text_of_several_columns_of_parquet(self):
        """Joined as the local command joins them; rows without an id are named by file and row."""
        import pyarrow
        import pyarrow.parquet

        from neardup.spark import _decide, _files, digest
        from neardup.spark._job import Job

        texts = [json.loads(r)["text"] for r in lines("uci_sms/docs.jsonl", 40)]
        folder = os.path.join(self.folder.name, "columns of parquet")
        os.makedirs(folder)
        head = ["", None, *texts[:18], *texts[:18], None, ""]
        body = [None, "only a body", *texts[20:38], *texts[20:38], None, ""]
        ids = [None, "", *(f"d{i}" for i in range(38))]
        struct = [{"line": t} for t in ["a", "b", *texts[2:20], *texts[2:20], "c", None]]
        table = pyarrow.table({"number": ids, "file": head, "text": body, "title": struct})
        pyarrow.parquet.write_table(table, os.path.join(folder, "one, two.parquet"))
        out = os.path.join(self.folder.name, "kept columns")
        for flags in (["--text-field=file,text", "--id-field=number"], ["--text-field=text,file", "--compare=title,text", "--title-field=title.line"]):
            with self.subTest(flags[0]):
                want = self.local(folder, "--method=ngram", *flags)
                job = Job(self.spark, {}, 2, flags=["--method=ngram"])
                source = _files.read(job, [folder], "auto", flags)
                decided = _decide.decide(job, source.documents)
                self.assertEqual(digest(decided.decisions), want["digest"])
                self.assertEqual((source.rejects(job), want["removed"] > 15), (None, True))
        source.kept(decided.kept).write.parquet(out)
        self.assertEqual(self.spark.read.parquet(out).columns, table.column_names)
        for flags, why in ((["--text-field=file,text,file"], "each once"), (["--text-field=title"], "not string"), (["--text-field=title.row"], "no column"), (["--time-field=file"], "has no effect")):
            with self.assertRaisesRegex(neardup.Error, why):
                _files.read(job, [folder], "auto", flags)
