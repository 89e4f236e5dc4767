"""Calls over one process: compare, check and Index, and what happens to that process."""

import asyncio
import contextlib
import gc
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor

import neardup
from neardup import _child

PAIRS = (
    ("The ferry leaves at nine.", "The ferry leaves at nine!", "duplicate"),
    ("The session expires after 30 minutes of inactivity.", "The session expires after 30 hours of inactivity.", "variant"),
    ("The user is allergic to peanuts.", "The user is not allergic to peanuts.", "contradiction"),
    ("这台服务器允许外网访问。", "这台服务器禁止外网访问。", "contradiction"),
    ("Rent is due on the fifth of each month.", "The parcel is at the post office.", "new"),
    ("a <b> \0 \ud800", "a <b> \0 \ud800", "duplicate"),
)
LONG = "The user lives in Lisbon with her two children and works as a nurse."
MORE = "The user lives in Lisbon with her two children and works as a nurse at the central hospital since 2019."
LINUX = sys.platform == "linux"


def resident(pid):
    return int(next(line.split()[1] for line in open(f"/proc/{pid}/status") if line.startswith("VmRSS"))) * 1024


def wait(child):
    """Until a call waits for its answer."""
    while not child.waiting:
        time.sleep(.001)


@contextlib.contextmanager
def stopped():
    """Within, the process answers nothing."""
    child = _child.running()
    os.kill(child.process.pid, signal.SIGSTOP)
    try:
        yield child
    finally:
        if child.process.poll() is None:
            os.kill(child.process.pid, signal.SIGCONT)


class Check(unittest.TestCase):
    def test_verdicts(self):
        for known, text, verdict in PAIRS:
            with self.subTest(text):
                got = neardup.check(text, ["Something else is said here, of no kin.", known])
                self.assertEqual(got["verdict"], verdict, got)
                self.assertEqual(got["of"], None if verdict == "new" else 1)
                if verdict in ("variant", "contradiction"):
                    self.assertLess(got["evidence"][0]["bits"], 0)
                    self.assertLess(got["similarity"], .5)
        self.assertEqual(neardup.check(MORE, [LONG])["verdict"], "overlap")

    def test_index_says_the_same(self):
        for known, text, verdict in PAIRS:
            index = neardup.Index()
            self.assertEqual(index.add(known, id="it")["verdict"], "new")
            got, pure = index.check(text), neardup.check(text, {"it": known})
            self.assertEqual((got["verdict"], got["of"]), (verdict, pure["of"]), got)

    def test_known(self):
        self.assertEqual(neardup.check("a text", [])["verdict"], "new")
        self.assertEqual(neardup.check("a text", iter(["another one of words", "a text"]))["of"], 1)
        self.assertEqual(neardup.check("a text", {7: "a text"})["of"], 7)

    def test_options(self):
        a, b = "one two three four five six", "one two three four five seven"
        self.assertEqual(neardup.check(a, [b], method="jaccard threshold=.3 shingle=words:1")["verdict"], "duplicate")
        self.assertEqual(neardup.check("A b", ["a b"], normalize="none")["verdict"], neardup.compare("A b", "a b", normalize="none").relation)

    def test_files_of_a_method_are_of_this_folder(self):
        neardup.compare("a", "b")  # the process runs in the earlier folder
        with tempfile.TemporaryDirectory() as folder:
            self.addCleanup(os.chdir, os.getcwd())
            os.chdir(folder)
            with self.assertRaisesRegex(FileNotFoundError, re.escape(os.path.realpath(folder))):
                neardup.compare("a", "b", idf="no-such-file")

    def test_bad_input(self):
        for call, error, says in (
            (lambda: neardup.check(" ", ["a"]), neardup.Error, r"text: no words \(want at least one\)"),
            (lambda: neardup.check("a", "b"), TypeError, "pass a list"),
            (lambda: neardup.check("a", ["b"], colour=1), TypeError, "unexpected keyword argument 'colour'"),
            (lambda: neardup.check("a", ["b"], method="mihash"), neardup.OptionError, "mihash"),
            (lambda: neardup.check("a", ["b", 1]), TypeError, "known text 1 is int, not str"),
            (lambda: neardup.check(b"a", []), TypeError, "the text is bytes, not str"),
            (lambda: neardup.compare("a", None), TypeError, "NoneType"),
            (lambda: neardup.compare("a", "b", idf="no-such-file"), FileNotFoundError, "no-such-file"),
            (lambda: neardup.Index(method="minhash threshold=7"), neardup.OptionError, "7"),
            (lambda: neardup.Index().remove("nothing"), neardup.Error, "not found"),
            (lambda: neardup.Index().near("a", top="3"), TypeError, "str"),
            (lambda: neardup.Index().add(""), neardup.Error, r"text: no words \(want at least one\)"),
            (lambda: neardup.Index().add("a", id="~1"), neardup.Error, "starts with"),
            (lambda: _child.call("dance"), neardup.OptionError, "unknown call"),
        ):
            with self.assertRaisesRegex(error, says):
                call()
        self.assertEqual(neardup.check("a text", ["a text"])["of"], 0)


class Index(unittest.TestCase):
    def test_day(self):
        index = neardup.Index()
        self.assertEqual(index.add("The ferry leaves at nine.", id="a")["id"], "a")
        self.assertEqual(index.add("The ferry leaves at nine!", id="b")["of"], "a")
        self.assertEqual(index.add("The ferry leaves at ten.")["id"], "~3")
        index.remove("b")
        self.assertEqual(index.check("The ferry leaves at nine?")["of"], "a")
        index.remove("a")
        self.assertEqual(index.check("The ferry leaves at nine?")["verdict"], "variant")
        self.assertEqual(neardup.Index().check("The ferry leaves at ten.")["verdict"], "new")
        with self.assertRaisesRegex(neardup.Error, "another"):
            index.add("The parcel is at the post office.", id="c")
            index.add("Rent is due on the fifth of each month.", id="c")

    def test_near(self):
        index = neardup.Index()
        for id, text in {"a": "The ferry leaves at nine.", "b": "The ferry leaves at ten.", "c": "Rent is due on the fifth."}.items():
            index.add(text, id=id)
        self.assertEqual(index.add("The ferry leaves at nine!", id="d")["verdict"], "duplicate")
        found = index.near("The ferry leaves at nine!!")
        self.assertEqual([(n["id"], n["relation"]) for n in found], [("a", "duplicate"), ("b", "variant")])
        self.assertGreater(found[0]["similarity"], .5)
        self.assertEqual(found[1]["evidence"][0]["kind"], "number")
        self.assertEqual(index.near("The ferry leaves at nine!!", top=1), found[:1])
        self.assertEqual((neardup.Index().near("a text"), index.near(" "), index.near("The ferry", top=-1)), ([], [], []))

    def test_what_nothing_refers_to_is_closed(self):
        index = neardup.Index()
        child, number = index._child, index._number
        del index
        gc.collect()
        neardup.compare("a", "b")
        with self.assertRaisesRegex(neardup.Error, "not open"):
            child.call("add", index=number, text="a text")


class Process(unittest.TestCase):
    def test_killed(self):
        index, child = neardup.Index(), _child.running()
        child.process.kill()
        child.process.wait()
        self.assertEqual(neardup.compare("a", "a").relation, "duplicate")
        self.assertIsNot(_child.running(), child)
        with self.assertRaisesRegex(neardup.Error, "texts of this Index are lost: the process of neardup"):
            index.check("a text")

    @unittest.skipUnless(hasattr(signal, "SIGSTOP"), "no signals")
    def test_killed_in_a_call(self):
        with ThreadPoolExecutor() as pool, stopped() as child:
            answer = pool.submit(neardup.compare, "a", "a")
            wait(child)
            child.process.kill()
            self.assertEqual(answer.result().relation, "duplicate")

    @unittest.skipUnless(LINUX, "needs a shell")
    def test_another_command(self):
        with tempfile.TemporaryDirectory() as folder:
            for script, says in (("echo hello there; exec sleep 60", "ended with -9"), ("echo 'neardup: unknown command' >&2; exit 2", "ended with 2.*: unknown command")):
                name = os.path.join(folder, "neardup")
                with open(name, "w") as f:
                    f.write("#!/bin/sh\n" + script)
                os.chmod(name, stat.S_IRWXU)
                _child._end()
                with unittest.mock.patch.dict(os.environ, NEARDUP_COMMAND=name), self.assertRaisesRegex(neardup.Error, says):
                    neardup.compare("a", "b")
                    neardup.compare("a", "b")
        self.assertEqual(neardup.compare("a", "a").relation, "duplicate")

    @unittest.skipUnless(hasattr(signal, "SIGSTOP"), "no signals")
    def test_interrupted(self):
        with stopped() as child:
            def interrupt():
                wait(child)
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

            thread = threading.Thread(target=interrupt)
            before = signal.signal(signal.SIGINT, signal.default_int_handler)
            self.addCleanup(signal.signal, signal.SIGINT, before)
            thread.start()
            with self.assertRaises(KeyboardInterrupt):
                neardup.compare("a", "b")
            thread.join()
        self.assertEqual(neardup.compare("a", "a").relation, "duplicate")
        self.assertIs(_child.running(), child)
        self.assertFalse(child.waiting)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_forked(self):
        index, child = neardup.Index(), _child.running()
        index.add("a text", id="a")
        says, tell = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                own = neardup.compare("a", "a").relation == "duplicate" and _child.running().process.pid != child.process.pid
                try:
                    index.check("a text")
                except neardup.Error as e:
                    os.write(tell, f"{own} {e}".encode())
                _child._end()
            finally:
                os._exit(0)
        os.close(tell)
        self.assertRegex(os.read(says, 1000).decode(), "True .*after a fork")
        os.close(says)
        os.waitpid(pid, 0)
        self.assertEqual(index.check("a text")["of"], "a")

    def test_threads(self):
        index = neardup.Index()
        words = [f"{chr(97 + i % 26)}{i}" * 3 for i in range(50)]

        def work(word):
            index.add(f"the parcel of {word} lies in {word} hall", id=word)
            return [neardup.compare(word, f"{word} {i}")["runes"] for i in range(20)], neardup.check(word, [*words])["of"]

        with ThreadPoolExecutor(50) as pool:
            for word, (runes, of) in zip(words, pool.map(work, words)):
                self.assertEqual(runes, [[len(word), len(f"{word} {i}")] for i in range(20)])
                self.assertEqual(words[of], word)
        self.assertEqual([index.check(f"the parcel of {w} lies in {w} hall")["of"] for w in words], words)

    def test_dedup(self):
        texts = [f"The parcel of {chr(97 + i % 26) * 3}{i // 2} lies in hall {i // 2}{'!' * (i % 2)}" for i in range(60)] + ["", "a <b> \0 \ud800"]
        for options in ({}, {"method": "minhash", "threshold": .6}, {"method": "minhash containment=.9", "normalize": "none"}):
            got, wanted = neardup.dedup(texts, **options), None
            with unittest.mock.patch("neardup._inputs.FEW", 0):
                wanted = neardup.dedup(texts, **options)
            self.assertEqual(got, wanted, options)
        with unittest.mock.patch("neardup._command.subprocess.Popen", side_effect=AssertionError("a process for few texts")):
            neardup.dedup(iter(texts))
        with unittest.mock.patch("neardup._inputs.FEW", 1000):
            self.assertEqual(len(neardup.dedup(iter(texts))), len(texts))
        with ThreadPoolExecutor(50) as pool:
            for i, kept in enumerate(pool.map(neardup.kept, [[t, t + "!", t] for t in texts[:50]])):
                self.assertEqual(kept, texts[i:i + 1])
        with self.assertRaisesRegex(TypeError, "text 1 is int"):
            neardup.dedup(["a", 1])
        with self.assertRaisesRegex(neardup.OptionError, "keep.*newest"):
            neardup.dedup(["a"], keep="newest")

    def test_asyncio(self):
        async def main():
            return await asyncio.gather(*(asyncio.to_thread(neardup.compare, "a", "a" * (i + 1)) for i in range(20)))

        self.assertEqual([c.relation for c in asyncio.run(main())], ["duplicate"] + ["new"] * 19)

    def test_large(self):
        texts = [f"{i} " + LONG * 3000 for i in range(8)]
        with ThreadPoolExecutor(8) as pool:
            self.assertEqual([v["of"] for v in pool.map(lambda t: neardup.check(t, texts), texts)], list(range(8)))

    @unittest.skipUnless(LINUX, "reads /proc")
    def test_memory(self):
        count = 20_000 if os.environ.get("NEARDUP_TEST_ENGINES") else 100_000  # once, not also beside other packages
        child = _child.running()
        known = [b for _, b, _ in PAIRS[:2]]
        for i in range(count):
            if i == 10_000:
                before = resident(child.process.pid), resident(os.getpid())
            neardup.check("The ferry leaves at %d." % (i % 7), known)
        self.assertIs(_child.running(), child)
        self.assertLess(resident(child.process.pid) - before[0], 64 << 20)  # its collector lets the heap grow to five times what is used
        self.assertLess(resident(os.getpid()) - before[1], 8 << 20)

    def test_ends_with_its_program(self):
        code = "import neardup; neardup.compare('a', 'b'); from neardup import _child; print(_child.running().process.pid)"
        pid = int(subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True).stdout)
        if LINUX:
            self.assertFalse(pathlib.Path(f"/proc/{pid}").exists())


if __name__ == "__main__":
    unittest.main()
