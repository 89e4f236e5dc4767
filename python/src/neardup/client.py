"""A client of ``neardup serve``, in the standard library alone.

>>> from neardup.client import Client
>>> client = Client("http://127.0.0.1:8080")  # doctest: +SKIP
>>> client.submit("The ferry leaves at nine.", id="1")["decision"]  # doctest: +SKIP
'new'
"""

from __future__ import annotations

import json
import random
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, List, Optional

__all__ = ["Client", "Problem"]


class Problem(Exception):
    """An answer of the service that is an error: status, code ("not-found", ...), detail and errors."""

    def __init__(self, status: int, answer: Dict[str, Any]):
        self.status = status
        self.code = answer.get("type", "").replace("urn:neardup:", "")
        self.detail = answer.get("detail", "")
        self.errors = answer.get("errors") or []
        places = "; ".join(f"{e.get('location')}: {e.get('message')}" for e in self.errors)
        super().__init__(f"{status} {self.detail}" + (f" ({places})" if places else ""))


class _Straight(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follows no redirect, because the next server would get the token."""


class Client:
    """Requests to one service. Answers are the JSON of docs/http-api.md as dicts.

    A request that gets no answer, or 429, 502, 503 or 504, is sent again up to ``attempts`` times. A submission
    carries its id or an idempotency key, so it counts once.
    """

    def __init__(self, server: str, token: str = "", timeout: float = 30, attempts: int = 13):
        self.server, self.token, self.timeout, self.attempts = server.rstrip("/"), token, timeout, attempts
        self._opener = urllib.request.build_opener(_Straight)

    def submit(self, text: str = "", *, key: str = "", **article: Any) -> Dict[str, Any]:
        """Decides on an article and stores it: id, url, title, heat, publishTime, images, ..."""
        if not key and not article.get("id"):
            key = secrets.token_hex(16)
        return self.call("POST", "/v1/articles", {"text": text, **article}, key=key)

    def submit_batch(self, articles: List[Dict[str, Any]]) -> Dict[str, Any]:
        """Decides on up to 100 articles in order."""
        keyed = [a if a.get("id") or a.get("idempotencyKey") else {**a, "idempotencyKey": secrets.token_hex(16)} for a in articles]
        return self.call("POST", "/v1/batch", {"articles": keyed})

    def check(self, text: str = "", **article: Any) -> Dict[str, Any]:
        """Decides on an article without storing it."""
        return self.call("POST", "/v1/check", {"text": text, **article})

    def near(self, text: str, *, top: int = 10, **article: Any) -> List[Dict[str, Any]]:
        """Lists the docIds that are most like a text."""
        return self.call("POST", "/v1/near", {"text": text, "top": top, **article})["neighbors"]

    def compare(self, a: str, b: str) -> Dict[str, Any]:
        """Compares two texts."""
        return self.call("POST", "/v1/compare", {"a": {"text": a}, "b": {"text": b}})

    def article(self, id: str) -> Dict[str, Any]:
        """Finds an article and its docId."""
        return self.call("GET", "/v1/articles/" + _segment(id))

    def docid(self, doc_id: str, **page: Any) -> Dict[str, Any]:
        """Returns a docId with a page of its members."""
        return self.call("GET", "/v1/docids/" + _segment(doc_id), query=page)

    def delete(self, id: str) -> Dict[str, Any]:
        """Deletes an article and its texts."""
        return self.call("DELETE", "/v1/articles/" + _segment(id))

    def call(self, method: str, path: str, body: Any = None, *, key: str = "", query: Optional[Dict[str, Any]] = None) -> Any:
        """Sends any request of the API and returns its answer."""
        url = self.server + path + ("?" + urllib.parse.urlencode(query) if query else "")
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        if key:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(1, self.attempts + 1):
            wait = min(5.0, 0.1 * 2 ** (attempt - 1)) * random.uniform(0.5, 1)
            try:
                with self._opener.open(urllib.request.Request(url, data, headers, method=method), timeout=self.timeout) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as err:
                if attempt == self.attempts or err.code not in (429, 502, 503, 504):
                    raise _problem(err) from None
                wait = max(wait, min(60.0, float(err.headers.get("Retry-After") or 0)))
            except (urllib.error.URLError, OSError):
                if attempt == self.attempts:
                    raise
            time.sleep(wait)


def _segment(id: str) -> str:
    return id.replace(".", "%2E") if id in (".", "..") else urllib.parse.quote(id, safe="")


def _problem(err: urllib.error.HTTPError) -> Problem:
    try:
        answer = json.load(err)
    except ValueError:
        answer = {"detail": f"{err.url} was not answered by neardup serve"}
    return Problem(err.code, answer if isinstance(answer, dict) else {})
