"""The client of the service, with a real server."""

import http.server
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

import neardup
from neardup.client import Client, Problem


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        data, addr = pathlib.Path(folder.name, "data"), pathlib.Path(folder.name, "addr")
        server = subprocess.Popen([neardup.path(), "serve", "--data", data, "--addr", "127.0.0.1:0", "--addr-file", addr, "--metrics-addr", "off"],
                                  stderr=subprocess.DEVNULL)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.terminate)
        while not addr.exists() or not addr.read_text().strip():
            if server.poll() is not None:
                raise AssertionError("the server ended")
            time.sleep(0.02)
        url = "http://" + addr.read_text().strip()
        cls.client = Client(url + "/")
        cls.admin = Client(url, token=(data / "admin-token").read_text().strip())

    def test_walk(self):
        c, text = self.client, "The quick brown fox jumps over the lazy dog, and no dog minds."
        first = c.submit(text, id="a/1", title="A fox")
        self.assertEqual((first["id"], first["decision"]), ("a/1", "new"))
        self.assertTrue(c.submit(text, id="a/1", title="A fox")["replayed"])
        self.assertEqual(c.check(text + "!")["leader"], "a/1")
        self.assertEqual([n["id"] for n in c.near(text, top=1)], ["a/1"])
        self.assertEqual(c.compare(text, text.upper())["relation"], "duplicate")
        self.assertEqual(c.article("a/1")["docId"], first["docId"])
        self.assertEqual(c.docid(first["docId"], limit=1)["kept"]["text"], text)
        answers = c.submit_batch([{"text": "Rain in the north."}, {"id": "~"}])["answers"]
        self.assertEqual(answers[1]["problem"]["errors"][0]["location"], "body.articles[1].id")
        self.assertTrue(answers[0]["answer"]["id"].startswith("~"))
        self.assertEqual(c.call("GET", "/v1/stats")["articles"], 2)
        self.assertEqual(self.admin.delete("a/1")["change"], "delete")

    def test_problems(self):
        for call, status, code, says in (
            (lambda: self.client.article(".."), 404, "not-found", "not found"),
            (lambda: self.client.submit("x", txt="y"), 422, "invalid", 'body.txt: there is no such field; did you mean "text"?'),
            (lambda: self.client.delete("a"), 403, "forbidden", "role"),
            (lambda: self.client.call("GET", "/none"), 404, "not-found", "no such route"),
        ):
            with self.assertRaises(Problem) as raised:
                call()
            self.assertEqual((raised.exception.status, raised.exception.code), (status, code))
            self.assertIn(says, str(raised.exception))


class Flaky(http.server.BaseHTTPRequestHandler):
    """Answers the statuses of a list, then 200, and notes what it was sent."""

    statuses, keys, tokens = [], [], []

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.keys.append(self.headers["Idempotency-Key"])
        self.tokens.append(self.headers["Authorization"])
        status = self.statuses.pop(0) if self.statuses else 200
        self.send_response(status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(b'{"seq":1}' if status == 200 else b"a proxy")

    def log_message(self, *_):
        """Prints nothing."""


class Again(unittest.TestCase):
    def setUp(self):
        self.server = http.server.HTTPServer(("127.0.0.1", 0), Flaky)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        Flaky.keys.clear()
        Flaky.tokens.clear()
        self.client = Client("http://127.0.0.1:%d" % self.server.server_port, token="t", attempts=3)

    def test_same_key_again(self):
        Flaky.statuses[:] = [503, 429]
        self.assertEqual(self.client.submit("x"), {"seq": 1})
        self.assertEqual((len(Flaky.keys), len(set(Flaky.keys)), set(Flaky.tokens)), (3, 1, {"Bearer t"}))

    def test_gives_up(self):
        for statuses, calls in (([503] * 9, 3), ([500], 1), ([307], 1)):
            Flaky.keys.clear()
            Flaky.statuses[:] = statuses
            with self.assertRaises(Problem) as raised:
                self.client.submit("x")
            self.assertIn("was not answered by neardup serve", raised.exception.detail)
            self.assertEqual(len(Flaky.keys), calls)
