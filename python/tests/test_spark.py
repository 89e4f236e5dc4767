"""Frames on Spark against the command on one machine: one digest."""

import contextlib
import json
import os
import subprocess
import unittest.mock

import neardup
from session import Session, lines


class Spark(Session):
    def same(self, path, flags, partitions=3, **options):
        from neardup.spark import dedup, digest

        counts = {}
        got = dedup(self.frame(path), partitions=partitions, one_task=0, counts=counts, **options)
        want = self.local(path, *flags)
        self.assertGreater(want["removed"], 0)
        self.assertEqual(counts["method"], want["method"])
        self.assertEqual(digest(got), want["digest"])
        return counts

    def test_minhash_with_copies_and_hot_buckets(self):
        """A run keeps few frames on the way: for components two each time, and on the cluster one more and two a round."""
        from neardup.spark import _components, _job, _places, _records, _small

        licences = lines("en_license_texts/docs.jsonl.zst", 300)
        again = [r.replace('"id": "', '"id": "again ', 1) for r in licences[100:150]]
        path = self.write("licences.jsonl", licences + again)
        kept = unittest.mock.Mock(side_effect=_small.pinned)
        with contextlib.ExitStack() as patched:
            for module in (_components, _job, _places, _records):
                patched.enter_context(unittest.mock.patch.object(module, "pinned", kept))
            want = self.same(path, ["--method=minhash"], method="minhash", small=3)
            self.assertEqual(kept.call_count, 5)
            kept.reset_mock()
            self.assertGreaterEqual(want["in_components"], want["largest_component"])
            self.assertGreater(want["largest_component"], 3)
            with self.killed_children("decide", "verify"), self.compared() as rounds:
                self.assertLess(self.same(path, ["--method=minhash"], method="minhash", small=3)["in_components"], want["in_components"])
            self.assertGreater(rounds.call_count, 3)
            self.assertEqual(kept.call_count, 13 + 2 * rounds.call_count)

    @contextlib.contextmanager
    def compared(self):
        """Within, candidates are compared before they link, and components are found on the cluster."""
        from neardup.spark import _components

        with unittest.mock.patch.multiple(_components, LARGE=0, ONE_TASK=0), unittest.mock.patch.object(_components, "_gone", side_effect=_components._gone) as rounds:
            yield rounds

    def both(self, *args, **options):
        """The counts of same, by candidates and where these are compared first."""
        found = self.same(*args, **options)
        with self.compared():
            return found, self.same(*args, **options)

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
            for found in self.both(path, ["--method=minhash", *flags], method="minhash", small=3, overrides=overrides):
                # A ruling brings the text that is like no other.
                self.assertEqual(found["in_components"], 172 + bool(overrides))

    def test_copies_and_leaders_that_came_between(self):
        """A copy goes to the best leader before it, also one that came after its text; by auto it matters which of two long texts says more."""
        from neardup.spark import _decide

        docs = lines("ota_terms_versions/docs.jsonl.zst")
        path = self.write("between.jsonl", [docs[i] for i in (471, 474, 478, 527, 529, 530, 1169, 3074)])
        with unittest.mock.patch.object(_decide, "NOTED", 2), self.assertWarnsRegex(UserWarning, "^[3-8] documents may be near each other in one chain: one task decides them"):
            self.both(path, ["--method=auto"], method="auto")

    def test_no_text(self):
        """Is new, says so and is counted, as on one machine."""
        from neardup.spark import dedup, digest

        none = [json.dumps({"id": f"none {i}", "text": t}) for i, t in enumerate(["", " \t\u3000", "", None])]
        path = self.write("no text.jsonl", [*none[:3], *lines("uci_sms/docs.jsonl", 300), none[3]])
        want, got = self.local(path), dedup(self.frame(path))
        self.assertEqual((got.where("basis = 'no text'").count(), digest(got)), (4, want["digest"]))
        self.assertEqual(want["blank"], 4)
        self.assertEqual({r.id for r in got.where("basis = 'no text' and decision = 'new'").collect()}, {f"none {i}" for i in range(4)})

    def test_copies_and_nothing_else_on_the_cluster(self):
        """No candidate, no edge, no component."""
        few = lines("uci_sms/docs.jsonl", 9)
        path = self.write("few and a copy.jsonl", [*few, few[4].replace('"id": "', '"id": "again ', 1)])
        for counts in self.both(path, ["--method=exact"], 1, method="exact"):
            self.assertEqual([counts[n] for n in ("candidates", "in_components", "largest_component")], [0, 0, 0])

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

        from neardup.spark import _jar, _job, _small

        path = self.write("weighed.jsonl", lines("uci_sms/docs.jsonl", 600))
        table = os.path.join(self.folder.name, "table.idf")
        subprocess.run(["neardup", "idf", "-q", self.write("trained.jsonl", lines("en_license_texts/docs.jsonl.zst", 40)), "--out", table], check=True)
        self.assertNotEqual(self.local(path)["method"], self.same(path, ["--idf", table], idf=table)["method"])
        stop = self.write("stop.txt", ["the", "and"])
        spec = f"simhash features=keywords stopwords={stop}"
        self.assertNotEqual(self.local(path)["method"], self.same(path, ["--method", spec], method=spec)["method"])
        job = _job.Job(self.spark, {"method": spec})
        with unittest.mock.patch.object(_small, "one_process", return_value=False):
            program, *words = _jar.words(self.spark, "worker", "contract", *job.flags)  # as Command.java reads them
        with open(stop, "rb") as f:
            want = f.read()
        os.remove(stop)  # an executor on another machine has only what was sent
        argv = [neardup.path(), *("".join((w[0], SparkFiles.get(w[1]), w[2])) if len(w) == 3 else w[0] for w in words)]
        self.assertRegex(program[1], "neardup-[0-9a-f]{32}")
        self.assertEqual(subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip(), argv[-1][len("--expect=") :])
        (sent,) = (f for f in argv if f.startswith("--method="))
        sent = sent.split("stopwords=")[1].split()[0]
        self.assertTrue(sent.startswith(SparkFiles.getRootDirectory()), sent)
        with open(sent, "rb") as f:
            self.assertEqual(f.read(), want)

    def test_ngram_and_children_that_are_killed(self):
        path = self.write("headlines.jsonl", lines("uci_sms/docs.jsonl", 500))
        with self.killed_children("records", "distinct", "bucket", "decide"):
            self.same(path, ["--method=ngram"], method="ngram")

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

    def test_order_of_a_column(self):
        """order= decides as the command does for the file in that order, ties by id; on the cluster, and the facts of variants come along."""
        from neardup.spark import dedup, digest

        rows = [json.loads(r) for r in lines("uci_sms/docs.jsonl", 300)]
        for i, r in enumerate(rows):
            r["time"] = i * 7 % 50
        df = self.spark.createDataFrame([(r["id"], r["text"], r["time"]) for r in rows], "id string, text string, time int").repartition(3)
        path = self.write("ordered.jsonl", [json.dumps(r) for r in sorted(rows, key=lambda r: (r["time"], r["id"]))])
        found = dedup(df, order="time", partitions=3, one_task=0).cache()
        self.assertEqual(digest(found), self.local(path)["digest"])
        decided = [d for d in neardup.dedup(path) if "conflicts" in d]
        self.assertGreater(len(decided), 2)
        self.assertEqual({r.id: json.loads(r.conflicts) for r in found.where("conflicts is not null").collect()}, {d["id"]: d["conflicts"] for d in decided})

    def test_what_it_refuses(self):
        from neardup.spark import dedup

        df = self.frame(self.write("few.jsonl", lines("uci_sms/docs.jsonl", 3)))
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'keep'"):
            dedup(df, keep="longest")
        with self.assertRaisesRegex(neardup.Error, "no column 'body'"):
            dedup(df, text="body")
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'colour'"):
            dedup(df, colour="red")
