"""Requests to a Combray server: repeated where that is safe, with the server's reasons as Combray's errors."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import msgspec

from combray import errors
from combray.errors import CombrayError, InvalidInputError, NotFoundError, StoreError
from combray.values import is_loopback

if TYPE_CHECKING:
    import httpx2

SCHEMES = ("http://", "https://")
PATIENCE = 30.0
"""Seconds for a server that is away or busy, if no setting `busy_timeout` says otherwise."""
_CALL = 600.0
"""Seconds for the answer: a consolidation takes minutes. The server has limits of its own."""
_CONNECT = 5.0
_SILENT = 1.0
"""Seconds after which a call logs that it waits for a server."""
_PAUSE, _LONGEST = 0.1, 2.0
"""Seconds before the first repetition, doubled up to the second."""
_AGAIN = (409, 429, 502, 503, 504)
"""Statuses that pass. Each write has an idempotency key, so it is stored once however often it is sent."""
_ERROR = "urn:combray:error:"


Pairs = list[tuple[str, str | int | float | bool | None]]


class Connection:
    """A server and the key for it. Safe for threads.

    A request that finds no server, or whose answer is lost, is sent again for `patience` seconds. So is one that
    the server refuses for a moment.
    """

    def __init__(self, url: str, key: str = "", *, patience: float = PATIENCE, plain: bool = False) -> None:
        self.url = checked_url(url)
        parts = urlsplit(self.url)
        if key and parts.scheme == "http" and not plain and not is_loopback(parts.hostname or ""):
            problem = f"{self.url} would get the key in clear text."
            raise InvalidInputError("location", problem, "Use https://, or set COMBRAY_PLAIN_HTTP=1.")
        self._key = key
        self._patience = patience
        self._client = self._made()

    def _made(self) -> httpx2.Client:
        import httpx2

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # Reading the certificates takes 37 ms, which http:// has no use for.
        secure = urlsplit(self.url).scheme != "http"
        # Redirects are not followed: they would send texts and key to another host.
        return httpx2.Client(headers=headers, timeout=httpx2.Timeout(_CALL, connect=_CONNECT), verify=secure)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(
        self,
        method: str,
        path: str,
        namespace: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
    ) -> bytes:
        """Return the body of the answer. `names`: the name of an argument on HTTP -> the engine's.

        Raises CombrayError with the server's reason, or with the cause of a missing answer.
        """
        sent = {**_named(namespace), **(headers or {})}
        if method != "GET":
            sent |= {"Idempotency-Key": uuid.uuid4().hex, "Content-Type": "application/json"}
        content = None if body is None else msgspec.json.encode(body)
        answer = self._answer(method, path, _flat(query or {}), sent, content)
        if answer.status_code >= 400:
            raise self._error(answer, names or {})
        found: bytes = answer.content
        return found

    def lines(self, path: str, namespace: str, query: Mapping[str, Any]) -> Iterator[str]:
        """Return the lines of an answer as they come. Raises CombrayError."""
        import httpx2

        sent = _named(namespace)
        try:
            with self._client.stream("GET", self.url + path, params=_flat(query), headers=sent) as answer:
                if answer.status_code >= 400:
                    answer.read()
                    raise self._error(answer, {})
                # `iter_lines` also splits at U+2028 and other characters that JSON has inside of texts.
                rest = b""
                for part in answer.iter_bytes():
                    *lines, rest = (rest + part).split(b"\n")
                    yield from (line.decode() for line in lines)
                if rest:
                    yield rest.decode()
        except httpx2.TransportError as error:
            raise StoreError(f"{self.url}: the server broke off ({_said(error)}). Try again.") from error

    def _answer(
        self,
        method: str,
        path: str,
        query: Pairs,
        headers: Mapping[str, str],
        content: bytes | None,
    ) -> httpx2.Response:
        import httpx2

        until, pause = time.monotonic() + self._patience, _PAUSE
        silent_until = time.monotonic() + _SILENT
        while True:
            wait = pause
            try:
                answer = self._client.request(
                    method, self.url + path, params=query, headers=dict(headers), content=content
                )
            except httpx2.TransportError as error:
                if time.monotonic() + pause > until:
                    raise StoreError(
                        f"{self.url}: the server cannot be reached ({_said(error)}). "
                        "Start it with combray serve, or check the address."
                    ) from error
                if silent_until <= time.monotonic() < until:
                    silent_until = until
                    self._report_waiting(error)
            else:
                if answer.status_code not in _AGAIN or time.monotonic() + pause > until:
                    return answer
                told = answer.headers.get("retry-after", "")
                wait = float(told) if told.isdecimal() else pause
                if time.monotonic() + wait > until:
                    return answer
            time.sleep(wait)
            pause = min(_LONGEST, 2 * pause)

    def _report_waiting(self, error: Exception) -> None:
        import logging  # a recall does without

        logging.getLogger(__name__).warning(
            "%s: the server cannot be reached (%s). Trying for up to %g s (COMBRAY_BUSY_TIMEOUT).",
            self.url,
            _said(error),
            self._patience,
        )

    def _error(self, answer: httpx2.Response, names: Mapping[str, str]) -> CombrayError:
        """Return the error that the server tells of."""
        try:
            problem = msgspec.json.decode(answer.content)
            detail, kind = str(problem["detail"]), str(problem.get("type", "")).removeprefix(_ERROR)
        except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError, AttributeError):
            return StoreError(
                f"{self.url}: answered {answer.status_code} and no reason: it may be no Combray server. "
                "Check the address."
            )
        if "argument" in problem:
            said = str(problem["argument"])
            remedy = str(problem.get("remedy", ""))
            detail = detail.removeprefix(f"{said}: ").removesuffix(remedy).rstrip()
            return InvalidInputError(names.get(said, said), detail, remedy)
        made = getattr(errors, kind, None) if kind in errors.__all__ else None
        if isinstance(made, type) and issubclass(made, CombrayError) and made is not errors.MissingExtraError:
            return made(detail)
        return StoreError(f"{self.url}: {detail}")


def checked_url(url: str) -> str:
    """Return the address of a server without a slash at its end. Raises InvalidInputError."""
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or parts.query or parts.fragment or parts.username or parts.password:
        raise InvalidInputError(
            "location",
            "is no address of a server.",
            "Write https://host:port, and give the key as key= or in COMBRAY_SERVER_KEY.",
        )
    return url.rstrip("/")


def filled(path: str, values: Mapping[str, Any]) -> str:
    """Return a path with values in place of its names in braces. Raises NotFoundError for an empty one."""
    for name, value in values.items():
        if value in ("", ".", ".."):
            raise NotFoundError(f"{name} {value!r} names nothing; give the full id.")
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    return path


def _flat(query: Mapping[str, Any]) -> Pairs:
    pairs: Pairs = []
    for name, value in query.items():
        pairs += [(name, _spelt(each)) for each in (value if isinstance(value, list) else [value])]
    return pairs


def _named(namespace: str) -> dict[str, str]:
    # A header is bytes, sent as Latin-1; the server reads UTF-8.
    return {"Combray-Namespace": namespace.encode().decode("latin-1")}


def _spelt(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
