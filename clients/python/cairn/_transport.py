"""Calls over HTTP: tokens, certificates, errors, retries, and the pages of a list."""

from __future__ import annotations

import http.client
import io
import json
import re
import ssl
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Type, Union
from urllib.parse import quote, urlencode, urljoin, urlsplit

from ._errors import ApiError, ConnectionFailed
from .errors import BY_CODE

Token = Union[str, Callable[[], str]]
Values = Mapping[str, Any]

# What an answer that reports a failure may hold; more than the server ever sends.
ERROR_BYTES_MAX = 1 << 20
# Seconds that a retry waits at most, whatever `Retry-After` says.
WAIT_SECONDS_MAX = 60.0


@dataclass(frozen=True)
class Answer:
    """A JSON answer with its head: `headers` (names in lower case) holds `etag` and `link`. `data` is None for 304."""

    status: int
    headers: Dict[str, str]
    data: Any


class Body:
    """An answer that is read as it comes. Close it, or use it in a ``with`` statement."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self._connection = connection
        self._response = response
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}

    def read(self, size: Optional[int] = None) -> bytes:
        """Up to `size` bytes, or all that is left."""
        return self._guarded(lambda: self._response.read(size) if size is not None else self._response.read())

    def text(self) -> str:
        """All that is left, as text."""
        return self.read().decode("utf-8", "replace")

    def __iter__(self) -> Iterator[bytes]:
        """The lines, each with its end."""
        while True:
            line = self._guarded(self._response.readline)
            if not line:
                return
            yield line

    def close(self) -> None:
        self._response.close()
        self._connection.close()

    def __enter__(self) -> "Body":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def _guarded(self, read: Callable[[], bytes]) -> bytes:
        try:
            return read()
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionFailed(f"the answer broke off: {error!r}") from error


class Transport:
    """One server, one caller. An instance holds no connection and may be used by several threads.

    :param server: its address, such as ``https://cairn.example.com``
    :param token: an access token, a service token or a node's token, or a function that returns the one to use now
    :param ca_file: certificates to trust (PEM) in place of the system's
    :param context: a TLS context of your own, for a client certificate; overrides `ca_file`
    :param timeout: seconds without a byte after which a call fails
    :param retries: how many times a call is repeated that the server turned away (429, 503) before it did anything, and
        a page of a list whose connection broke
    """

    def __init__(
        self,
        server: str,
        token: Optional[Token] = None,
        *,
        ca_file: Optional[str] = None,
        context: Optional[ssl.SSLContext] = None,
        timeout: float = 60.0,
        retries: int = 4,
    ) -> None:
        parts = urlsplit(server)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{server!r} is not the address of a server: give http:// or https:// and a host")
        self.server = f"{parts.scheme}://{parts.netloc}"
        self._token = token
        self._host = parts.hostname
        self._port = parts.port
        self._context = None
        if parts.scheme == "https":
            self._context = context or ssl.create_default_context(cafile=ca_file)
        self._timeout = timeout
        self._retries = retries

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Values] = None,
        headers: Optional[Values] = None,
        body: Any = None,
    ) -> Answer:
        """Any call that is answered with JSON. `body` is sent as it is if it is bytes, as JSON otherwise."""
        with self.open(method, path, query=query, headers=headers, body=body) as answer:
            data = answer.read()
            if answer.status == 304 or not data:
                return Answer(answer.status, answer.headers, None)
            try:
                return Answer(answer.status, answer.headers, json.loads(data))
            except ValueError as error:
                raise ConnectionFailed(f"{method} {path} was not answered with JSON: is {self.server} Cairn?") from error

    def open(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Values] = None,
        headers: Optional[Values] = None,
        body: Any = None,
    ) -> Body:
        """Any call; the answer is read as it comes."""
        target = path + (f"?{text}" if (text := query_text(query or {})) else "")
        attempt = 0
        while True:
            try:
                return self._once(method, target, headers or {}, body)
            except ApiError as error:
                if error.status not in (429, 503) or attempt >= self._retries:
                    raise
                wait = error.retry_after if error.retry_after is not None else 2.0**attempt
                time.sleep(min(wait, WAIT_SECONDS_MAX))
                attempt += 1

    def items(self, path: str, *, query: Optional[Values] = None) -> Iterator[Any]:
        """The items of a list, page by page: each answer's ``Link`` names the next page."""
        target: Optional[str] = path
        while target is not None:
            page = self._page(target, query)
            yield from page.data
            query = None
            target = self._next_page(target, page.headers.get("link", ""))

    def _page(self, target: str, query: Optional[Values]) -> Answer:
        """A page may be asked for again: a connection that breaks must not end a list of a million items."""
        attempt = 0
        while True:
            try:
                return self.request("GET", target, query=query)
            except ConnectionFailed:
                if attempt >= self._retries:
                    raise
                time.sleep(min(2.0**attempt, WAIT_SECONDS_MAX))
                attempt += 1

    def _next_page(self, target: str, link: str) -> Optional[str]:
        found = re.search(r'<([^>]*)>\s*;\s*rel="?next"?', link)
        if found is None:
            return None
        # Only path and query: the token goes to no other server.
        parts = urlsplit(urljoin(self.server + target, str(found.group(1))))
        return str(parts.path) + (f"?{parts.query}" if parts.query else "")

    def _once(self, method: str, target: str, headers: Values, body: Any) -> Body:
        sent = {name: str(value) for name, value in headers.items() if value is not None}
        token = self._token() if callable(self._token) else self._token
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        data: Optional[bytes] = None
        if isinstance(body, (bytes, bytearray, memoryview)):
            data = bytes(body)
            sent.setdefault("Content-Type", "application/octet-stream")
        elif body is not None:
            data = json.dumps(body, separators=(",", ":"), allow_nan=False).encode()
            sent.setdefault("Content-Type", "application/json")
        connection = self._connect()
        try:
            connection.request(method, target, body=data, headers={"Connection": "close", **sent})
            answer = Body(connection, connection.getresponse())
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ConnectionFailed(f"cannot {method} {target} at {self.server}: {error!r}") from error
        if answer.status < 300 or answer.status == 304:
            return answer
        with answer:
            raise api_error(answer)

    def _connect(self) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._context)


def api_error(answer: Body) -> ApiError:
    """The exception that an answer stands for."""
    text = answer.read(ERROR_BYTES_MAX)
    try:
        told = json.loads(text)
        code, message, fields = int(told["errorCode"]), str(told["message"]), told.get("fields")
    except (ValueError, KeyError, TypeError):
        code, message, fields = 0, text[:200].decode("utf-8", "replace"), None
    wait = answer.headers.get("retry-after", "")
    seconds = float(wait) if wait.isdigit() else None
    return BY_CODE.get(code, ApiError)(answer.status, code, message, fields, seconds)


def path_of(template: str, **values: str) -> str:
    """The path with its values, percent-encoded. A value named `path` is a path of its own: its slashes stay."""

    def written(found: "re.Match[str]") -> str:
        name = found.group(1)
        return quote(str(values[name]).lstrip("/"), safe="/") if name == "path" else quote(str(values[name]), safe="")

    return re.sub(r"\{(\w+)\}", written, template)


def query_text(query: Values) -> str:
    """Absent values are left out, lists repeat their name, and booleans are written as in JSON."""
    pairs = []
    for name, value in query.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                pairs.append((name, json.dumps(one) if isinstance(one, bool) else str(one)))
    return urlencode(pairs)


def as_file(source: Any) -> Any:
    """`source` itself if it is a file, or a file of the bytes that it is."""
    return io.BytesIO(source) if isinstance(source, (bytes, bytearray, memoryview)) else source
