"""The package on Spark against the command on one machine: one digest.

Needs pyspark (pip install './python[spark]'), Java 17 and the shared data.
"""

import contextlib
import importlib.util
import json
import os
import random
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import neardup

DATA = os.environ.get("NEARDUP_TEST_DATA") or os.path.join(os.path.dirname(__file__), "..", "..", "..", "shared", "data")
HAVE = importlib.util.find_spec("pyspark") is not None and os.path.isdir(DATA)
if os.environ.get("CI") == "true" and os.environ.get("NEARDUP_TEST_ENGINES") == "1" and not HAVE:
    raise RuntimeError("pyspark or the shared data are missing")


def lines(name, count=None):
    """The first lines of a file, of the shared data where its name is not a whole path; the last one is empty."""
    path = os.path.join(DATA, name)
    if path.endswith(".zst"):
        import pyarrow

        with pyarrow.input_stream(path, compression="zstd") as f:
            text = f.read().decode()
    else:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    return text.split("\n")[:count]


@unittest.skipUnless(HAVE, "pyspark or the shared data are not there")
class Session(unittest.TestCase):
    """Has a session and a folder."""

    @classmethod
    def setUpClass(cls):
        from pyspark.sql import SparkSession

        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ["PYSPARK_PYTHON"] = sys.executable
        cls.folder = tempfile.TemporaryDirectory()
        options = {
            # A task that fails is tried again, as on a cluster.
            "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "1g",
            "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "3",
            # What starts soon counts here, not what runs fast in the end.
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.local.dir": cls.folder.name, "spark.sql.warehouse.dir": cls.folder.name,
        }
        builder = SparkSession.builder.master("local[2,3]")
        for name, value in options.items():
            builder = builder.config(name, value)
        cls.spark = builder.getOrCreate()
        cls.spark.sparkContext.setLogLevel("OFF")

    @classmethod
    def tearDownClass(cls):
        cls.spark.stop()
        cls.folder.cleanup()

    def write(self, name, rows):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(r + "\n" for r in rows if r)
        return path

    def frame(self, path):
        return self.spark.read.schema("id string, text string").json(path)

    def local(self, path, *flags):
        out = subprocess.run(["neardup", "dedup", "--json", *flags, path], capture_output=True, text=True, check=True).stdout
        return json.loads(out)


class Spark(Session):
    def same(self, path, flags, partitions=3, **options):
        from neardup.spark import dedup, digest

        counts = {}
        got = dedup(self.frame(path), partitions=partitions, counts=counts, **options)
        want = self.local(path, *flags)
        self.assertGreater(want["removed"], 0)
        self.assertEqual(counts["method"], want["method"])
        self.assertEqual(digest(got), want["digest"])
        return counts

    def test_minhash_with_copies_and_hot_buckets(self):
        licences = lines("en_license_texts/docs.jsonl.zst", 300)
        again = [r.replace('"id": "', '"id": "again ', 1) for r in licences[100:150]]
        path = self.write("licences.jsonl", licences + again)
        want = self.same(path, ["--method=minhash"], method="minhash", small=3)
        self.assertGreaterEqual(want["hot_documents"], want["hot_largest"])
        self.assertGreater(want["hot_largest"], 3)
        with self.killed_children("decide", "lead"):
            self.assertEqual(self.same(path, ["--method=minhash"], method="minhash", small=3, on_driver=0), want)

    def test_texts_that_share_keys_and_are_not_near(self):
        """A hot bucket of which few are near, copies of those that are removed, and rulings across it, on the driver and on the cluster."""
        words = json.loads(lines("en_license_texts/docs.jsonl.zst", 1)[0])["text"].split()[:90]
        own = lambda i: [f"own{i}w{j}" for j in range(30)]
        texts = [" ".join(words + own(i)) for i in range(120)]
        for i in range(0, 120, 9):
            texts.append(texts[i].replace(words[40], f"edit{i}", 1))  # near one of them
            texts.append(texts[-1].replace(words[70], f"again{i}", 1))  # and near that
        texts += texts[120::2] + texts[121::4]
        # Apart from these: a text near the one before it, a leader that is nearer, and then a copy of that text.
        other = [f"other{j}" for j in range(100)]
        apart = lambda *edits: " ".join(f"edit{j}" if j in edits else w for j, w in enumerate(other))
        texts += [apart(), apart(10, 30, 50), apart(10, 30, 50, 70), apart(10, 30, 50), apart(10, 50), apart(10, 50), "alone"]
        path = self.write("a shared part.jsonl", [json.dumps({"id": f"d{i}", "text": t}) for i, t in enumerate(texts)])
        n = len(texts)
        rulings = [(122, 1, "must"), (9, 122, "cannot"), (n - 1, 3, "must"), (n - 6, n - 7, "cannot"), (n - 4, 5, "cannot")]
        ruled = self.write("shared rulings.jsonl", [json.dumps({"a": f"d{a}", "b": f"d{b}", "link": link}) for a, b, link in rulings])
        for overrides in (None, ruled):
            flags = ["--overrides", overrides] if overrides else []
            found = [self.same(path, ["--method=minhash", *flags], method="minhash", small=3, overrides=overrides, on_driver=n) for n in (1 << 20, 0)]
            self.assertEqual(*found)
            # One whole component: a ruling brings the text that is like no other.
            self.assertEqual([found[0]["hot_documents"], found[0]["hot_largest"]], [166 + bool(overrides)] * 2)
            self.assertLess(found[0]["edges"], 120)

    def test_no_text(self):
        """Is new, says so and is counted, as on one machine."""
        from neardup.spark import dedup
        from neardup.spark._job import totals

        none = [json.dumps({"id": f"none {i}", "text": t}) for i, t in enumerate(["", " \t\u3000", "", None])]
        path = self.write("no text.jsonl", [*none[:3], *lines("uci_sms/docs.jsonl", 300), none[3]])
        want, got = self.local(path), dedup(self.frame(path))
        sums, digest = totals(got)
        self.assertEqual((sums["blank"], digest), (4, want["digest"]))
        self.assertEqual(want["blank"], 4)
        self.assertEqual({r.id for r in got.where("basis = 'no text' and decision = 'new'").collect()}, {f"none {i}" for i in range(4)})

    def test_components(self):
        """Against a search: of edges in any order, chains and stars among them, in the driver and on the cluster."""
        import numpy as np
        import pyarrow as pa
        from neardup.spark._components import components, labelled
        from neardup.spark._job import Job

        def searched(edges):
            near, label = {}, {}
            for a, b in edges:
                near.setdefault(a, []).append(b)
                near.setdefault(b, []).append(a)
            for place in sorted(near):
                todo = [] if place in label else [place]
                for at in todo:
                    if label.setdefault(at, place) == place:
                        todo += (p for p in near[at] if p not in label)
            return label

        rng = random.Random(3)
        graphs = [[(rng.randrange(n), rng.randrange(n)) for _ in range(m)] for n in (1, 2, 30, 200) for m in (1, n // 2 + 1, n)]
        for edges in graphs:
            places, label = labelled(*(np.array([e[i] for e in edges], np.int64) for i in (0, 1)))
            self.assertEqual(dict(zip(places.tolist(), label.tolist())), searched(edges))
        job = Job(self.spark, {})
        # All of them side by side, and a star, chains in the order of their places and in none.
        edges, at = [], 0
        some = list(range(40))
        rng.shuffle(some)
        for graph in [*graphs, [(i, 7) for i in range(300)], list(zip(range(1, 40), range(39))), list(zip(some[1:], some))]:
            edges += [(a + at, b + at) for a, b in graph if a != b]
            at += 1000
        rng.shuffle(edges)
        frame = self.spark.createDataFrame(pa.table({"later": [e[0] for e in edges], "earlier": [e[1] for e in edges]})).repartition(2)
        for on_driver in (len(edges), 0):
            got = [tuple(r) for r in components(job, frame, on_driver).select("place", "label").collect()]
            self.assertEqual(len(got), len(dict(got)))
            self.assertEqual(dict(got), searched(edges), on_driver)

    def test_components_of_a_long_chain(self):
        """Every other round takes three eighths of it, in the order of its places, which is the worst; others take its end."""
        from pyspark.sql import functions as F

        from neardup.spark import _components
        from neardup.spark._job import Job

        n = 100_000
        chain = self.spark.range(1, n, 1, 2).select(F.col("id").alias("later"), (F.col("id") - 1).alias("earlier"))
        with unittest.mock.patch.object(_components, "_gone", side_effect=_components._gone) as rounds:
            got = _components.components(Job(self.spark, {}), chain, 70_000)
        self.assertEqual([r.label for r in got.select("label").distinct().collect()], [0])
        self.assertEqual(got.count(), n)
        self.assertLess(rounds.call_count, 5)

    def test_forests(self):
        """Of postings and of edges, in batches that part a bucket anywhere and hold few of them at once."""
        import numpy as np
        import pyarrow as pa
        from neardup.spark import _components

        rng = random.Random(4)
        postings = sorted((rng.randrange(40), rng.randrange(500)) for _ in range(700))
        keys, places = (np.array(c, np.int64) for c in zip(*postings))
        edges = [(p, min(q for k2, q in postings if k2 == k)) for k, p in postings]
        want = dict(zip(*(c.tolist() for c in _components.labelled(*(np.array(c, np.int64) for c in zip(*edges))))))
        for held, size in ((1 << 20, 1000), (1 << 20, 3), (50, 7), (1, 1)):
            cut = lambda **columns: pa.table(columns).to_batches(size)
            with unittest.mock.patch.object(_components, "HELD", held):
                for found in (_components.star_forest(cut(key=keys, place=places)), _components.edge_forest(cut(later=[e[0] for e in edges], earlier=[e[1] for e in edges]))):
                    found = [(a, b) for batch in found for a, b in zip(*(c.to_pylist() for c in batch.columns))]
                    self.assertTrue(all(a > b for a, b in found))
                    self.assertLessEqual(len(found), len(postings))
                    self.assertTrue(held < 1000 or len(found) == len(want) - len(set(want.values())))
                    got = dict(zip(*(c.tolist() for c in _components.labelled(*(np.array(c, np.int64) for c in zip(*found))))))
                    self.assertEqual(got, {p: label for p, label in want.items() if p != label or p in want.values() and list(want.values()).count(p) > 1})

    def test_copies_and_nothing_else_on_the_cluster(self):
        """No candidate, no edge, no component."""
        few = lines("uci_sms/docs.jsonl", 9)
        path = self.write("few and a copy.jsonl", [*few, few[4].replace('"id": "', '"id": "again ', 1)])
        counts = self.same(path, ["--method=exact"], 1, method="exact", on_driver=0)
        self.assertEqual([counts[n] for n in ("candidates", "edges", "hot_documents")], [0, 0, 0])

    def test_simhash_in_forty_partitions(self):
        path = self.write("some.jsonl", lines("ota_terms_versions/docs.jsonl.zst", 150))
        self.same(path, ["--method=simhash"], 40, method="simhash")

    def test_auto_with_rulings(self):
        sms = lines("uci_sms/docs.jsonl", 1200)
        ids = [json.loads(r)["id"] for r in sms]
        found = [d for d in neardup.dedup(self.write("sms.jsonl", sms)) if d["decision"] == "duplicate"]
        rulings = [{"a": d["id"], "b": d["leader"], "link": "cannot"} for d in found[::3]]
        rulings.append({"a": ids[7], "b": ids[3], "link": "must"})
        ruled = self.write("rulings.jsonl", [json.dumps(r) for r in rulings])
        path = self.write("sms.jsonl", sms)
        counts = self.same(path, ["--overrides", ruled], overrides=ruled)
        self.assertEqual(counts["overrides"], len(rulings))

    def test_auto_with_a_table_of_its_own(self):
        """Words are weighed by a table that was trained on other texts, as on one machine; executors elsewhere get it sent."""
        from pyspark import SparkFiles

        from neardup.spark import _job

        path = self.write("weighed.jsonl", lines("uci_sms/docs.jsonl", 600))
        table = os.path.join(self.folder.name, "table.idf")
        subprocess.run(["neardup", "idf", "-q", self.write("trained.jsonl", lines("en_license_texts/docs.jsonl.zst", 40)), "--out", table], check=True)
        self.assertNotEqual(self.local(path)["method"], self.same(path, ["--idf", table], idf=table)["method"])
        learned = os.path.join(self.folder.name, "learned.toml")
        sms = [json.loads(r)["text"] for r in lines("uci_sms/docs.jsonl", 40)]
        pairs = [{"id_a": f"a{n}", "id_b": f"b{n}", "label": "same", "text_a": t, "text_b": t + "!"} for n, t in enumerate(sms[:20])]
        pairs += [{"id_a": f"a{n}", "id_b": f"b{n}", "label": "other", "text_a": t, "text_b": sms[n - 20]} for n, t in enumerate(sms[20:], 20)]
        subprocess.run(["neardup", "tune", "--judged", self.write("judged.jsonl", map(json.dumps, pairs)), "--weights", learned], check=True, capture_output=True)
        spec = f"auto weights={learned} threshold=.6"
        self.assertNotEqual(self.local(path)["method"], self.same(path, ["--method", spec], method=spec)["method"])
        with unittest.mock.patch.object(_job, "one_process", return_value=False):
            job = _job.Job(self.spark, {"idf": table, "method": spec})
        self.assertEqual(list(job.worker.files), ["--idf=" + table, "--method=" + spec])
        with open(table, "rb") as f:
            want = f.read()
        os.remove(table)  # an executor on another machine has only what was sent
        os.remove(learned)
        argv = job.worker.argv("contract")
        self.assertEqual(subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip(), argv[-1][len("--expect=") :])
        (sent,) = (f for f in argv if f.startswith("--idf="))
        self.assertTrue(sent.startswith("--idf=" + SparkFiles.getRootDirectory()), sent)
        with open(sent[len("--idf=") :], "rb") as f:
            self.assertEqual(f.read(), want)

    @contextlib.contextmanager
    def killed_children(self, *stages):
        """Within, the first child of each of these stages ends by kill -9; Spark runs its task again."""
        log = tempfile.mkdtemp(dir=self.folder.name)
        script = os.path.join(log, "killing")
        with open(script, "w") as f:
            f.write(f'#!/bin/sh\ncase " {" ".join(stages)} " in *" $2 "*) [ "$1" = worker ] && mkdir "{log}/$2" 2>/dev/null && kill -9 $$;; esac\nexec "{neardup.path()}" "$@"\n')
        os.chmod(script, stat.S_IRWXU)
        with unittest.mock.patch.dict(os.environ, NEARDUP_COMMAND=script):
            yield
        self.assertEqual(set(os.listdir(log)) - {"killing"}, set(stages))

    def test_ngram_and_children_that_are_killed(self):
        path = self.write("headlines.jsonl", lines("uci_sms/docs.jsonl", 500))
        with self.killed_children("records", "distinct", "bucket", "verify"):
            self.same(path, ["--method=ngram"], method="ngram")

    def test_parts_lie_where_spark_sends_them(self):
        from pyspark.sql import functions as F

        from neardup.spark._packs import labels

        for n in (1, 3, 8, 200):
            made = self.spark.createDataFrame([(x,) for x in labels(n)], "part int").select(F.pmod(F.hash("part"), F.lit(n)).alias("at"))
            self.assertEqual([r.at for r in made.collect()], list(range(n)))
        self.assertEqual(len(labels(100_000)), 100_000)

    def test_tasks_find_no_zip_to_read_again(self):
        """Before each task Spark invalidates caches of imports, a finder of a zip would read its directory; after each it collects all garbage."""
        import gc
        import zipimport

        import pyarrow

        path = self.write("few.jsonl", lines("uci_sms/docs.jsonl", 40))
        from neardup.spark import dedup

        self.assertGreater(dedup(self.frame(path), method="exact", partitions=1).count(), 0)

        def left(batches):
            list(batches)
            zips = sum(isinstance(f, zipimport.zipimporter) for f in sys.path_importer_cache.values())
            yield pyarrow.RecordBatch.from_pydict({"n": [zips], "frozen": [gc.get_freeze_count()]})

        rows = self.spark.range(0, 8, 1, 8).mapInArrow(left, "n long, frozen long").collect()
        found = [r.n for r in rows]
        self.assertGreater(max(r.frozen for r in rows), 10_000)  # what was imported is no garbage to look for
        self.assertEqual(gc.get_freeze_count(), 0)  # the driver's is its own
        # A worker that has run a stage may look at Spark's zip again for what a task imports; not once for each package in it.
        self.assertLess(min(found), 8)

    def test_pairs(self):
        from neardup.spark import pairs

        path = self.write("some.jsonl", lines("uci_sms/docs.jsonl", 500))
        out = subprocess.run(["neardup", "pairs", "--exact", "--with-variants", path], capture_output=True, text=True, check=True).stdout
        want = sorted(tuple(r.split("\t")[:5]) for r in out.splitlines()[1:])
        got = sorted(
            (r.id_a, r.id_b, repr(r.similarity) if r.similarity != 1 else "1", "" if r.distance is None else str(r.distance), r.relation)
            for r in pairs(self.frame(path), variants=True).collect()
        )
        self.assertEqual(got, want)

    def test_the_command(self):
        """`neardup spark dedup` over packed files of two folders, and a folder that is there."""
        import gzip

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
        left = self.killed(argv, "verify", out, env)
        self.assertEqual([n[:14] for n in os.listdir(temporary)], ["neardup-spark-"] * 2)  # of the command and of its driver
        done = subprocess.run(argv, capture_output=True, text=True, env=env)
        self.assertEqual(os.listdir(temporary), [])
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        summary = json.loads(done.stdout)
        want = self.local(folder)
        self.assertEqual((summary["digest"], summary["method"], summary["rejected"]), (want["digest"], want["method"], 2))
        self.assertEqual(summary["equal"], want["equal"])
        self.assertIn("_SUCCESS", os.listdir(out))
        self.assertIn(f"note: file:{left} is what a run made that was ended", done.stderr)
        self.assertEqual([s.split()[-1] for s in done.stderr.splitlines() if s[2:3] == s[5:6] == ":" and s[9:].isalpha()], ["read", "records", "bucket", "bucket", "verify", "leaders", "decisions", "kept", "digest"])
        read = lambda name: [r for f in sorted(os.listdir(os.path.join(out, name))) if f.startswith("part-") for r in lines(os.path.join(out, name, f)) if r]
        kept = os.path.join(self.folder.name, "kept.jsonl")
        subprocess.run(["neardup", "dedup", "-q", folder, "--out", kept, "--rejects", kept + ".rejects"], check=True)
        self.assertEqual(read("kept"), lines(kept)[:-1])
        self.assertEqual(len(read("decisions")), want["documents"])
        self.assertEqual(sorted(map(json.loads, read("rejects")), key=lambda r: r["line"]), [json.loads(r) for r in lines(kept + ".rejects")[:-1]])
        again = subprocess.run(argv, capture_output=True, text=True)
        self.assertEqual(again.returncode, 1)
        self.assertIn("is there already", again.stderr)

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

    def test_order_of_a_column(self):
        """order= decides as the command does for the file in that order, ties by id; on the cluster, and the facts of variants come along."""
        from neardup.spark import dedup, digest

        rows = [json.loads(r) for r in lines("uci_sms/docs.jsonl", 300)]
        for i, r in enumerate(rows):
            r["time"] = i * 7 % 50
        df = self.spark.createDataFrame([(r["id"], r["text"], r["time"]) for r in rows], "id string, text string, time int").repartition(3)
        path = self.write("ordered.jsonl", [json.dumps(r) for r in sorted(rows, key=lambda r: (r["time"], r["id"]))])
        found = dedup(df, order="time", partitions=3, on_driver=0).cache()
        self.assertEqual(digest(found), self.local(path)["digest"])
        decided = [d for d in neardup.dedup(path) if "conflicts" in d]
        self.assertGreater(len(decided), 2)
        self.assertEqual({r.id: json.loads(r.conflicts) for r in found.where("conflicts is not null").collect()}, {d["id"]: d["conflicts"] for d in decided})

    def test_files_of_every_kind(self):
        """Parquet by rows, CSV and WARC by files: what `neardup dedup` reads of them."""
        import csv

        import pyarrow
        import pyarrow.parquet

        from neardup.spark import _decide, _files, digest
        from neardup.spark._job import Job

        rows = [json.loads(r) for r in lines("uci_sms/docs.jsonl", 240)]
        for i in (5, 6, 130):
            rows[i]["text"] = ""  # nobody's copy; in Parquet null
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
                self.assertEqual(source.rejects(job).count(), want["rejected"])
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
                self.assertEqual((source.rejects(job).count(), want["removed"] > 15), (0, True))
        source.kept(decided.kept).write.parquet(out)
        self.assertEqual(self.spark.read.parquet(out).columns, table.column_names)
        for flags, why in ((["--text-field=file,text,file"], "each once"), (["--text-field=title"], "not string"), (["--text-field=title.row"], "no column"), (["--time-field=file"], "has no effect")):
            with self.assertRaisesRegex(neardup.Error, why):
                _files.read(job, [folder], "auto", flags)

    def test_what_it_refuses(self):
        from neardup.spark import dedup

        df = self.frame(self.write("few.jsonl", lines("uci_sms/docs.jsonl", 3)))
        with self.assertRaisesRegex(TypeError, "keep= is not for Spark"):
            dedup(df, keep="longest")
        with self.assertRaisesRegex(neardup.Error, "no column 'body'"):
            dedup(df, text="body")
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'colour'"):
            dedup(df, colour="red")


if __name__ == "__main__":
    unittest.main()
