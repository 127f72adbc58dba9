"""The HTTP client of all model services: JSON, bounded in time and size, retried with jitter."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import msgspec

from combray.errors import ModelError
from combray.models.breaker import Breaker
from combray.records import dataclass
from combray.runtime import Health

if TYPE_CHECKING:
    import httpx2

RETRIES = 2
PATIENCE = 5.0
"""Seconds that an interactive call may take, retries included. Source: Engram design, "5 s timeout"."""
MOST_BYTES = 2_000_000
LONGEST_PAUSE = 10.0
"""The longest Retry-After, in seconds, that is honoured. A longer one counts as a refusal."""
_FIRST_PAUSE = 0.5
_CONNECTED = 2.0
"""Seconds to connect, before the next attempt."""
_REFUSED = (400, 404, 405, 413, 415, 422)
"""Statuses that reject this request only: the service works."""
_HINTS = {401: "check {key}", 403: "check {key} and its permissions", 402: "the account is out of credit"}
_SHOWN = 200


class StatusError(ModelError):
    """A status other than 2xx. `said` is the service's message, truncated, with the key redacted."""

    def __init__(self, message: str, status: int, said: str = "") -> None:
        super().__init__(message)
        self.request_only = status in _REFUSED
        self.status = status
        self.said = said


@dataclass(frozen=True)
class Timing:
    """Time and randomness of a client, for tests to replace. `date`: unix seconds."""

    clock: Callable[[], float] = time.monotonic
    date: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


class Client:
    """Posts JSON to one service. Safe for threads.

    A call is retried after status 429 or 5xx, a timeout or a broken connection, and after nothing else. Pauses
    are uniform in [0, 0.5] and [0, 1] seconds ("full jitter"), or as long as Retry-After says. Redirects are
    not followed: they would send texts and key to another host. Keys are sent in headers, and no message
    contains one.

    Args:
        name: prefix of every error message.
        patience: seconds for a whole call; a caller may set another limit (`until`).
        attempt: seconds for each attempt.
        retries: attempts after the first.
        proxied: whether https requests use the proxy that the environment names.
    """

    def __init__(
        self,
        name: str,
        url: str,
        *,
        key: str = "",
        key_variable: str = "",
        headers: Mapping[str, str] | None = None,
        patience: float = PATIENCE,
        attempt: float = math.inf,
        most_bytes: int = MOST_BYTES,
        timing: Timing | None = None,
        breaker: Breaker | None = None,
        retries: int = RETRIES,
        proxied: bool = True,
    ) -> None:
        self.name = name
        self.url = url.rstrip("/")
        self.patience = patience
        self._key = key
        self._key_variable = key_variable or "the key"
        # Unpacked, a small answer could be of any size.
        self._headers = {"Accept": "application/json", "Accept-Encoding": "identity", **(headers or {})}
        self._attempt = attempt
        self._most_bytes = most_bytes
        self._timing = timing or Timing()
        self._breaker = breaker or Breaker(name, clock=self._timing.clock)
        self.usage = self._breaker.usage
        self._retries = retries
        self._proxied = proxied
        self._lock = threading.Lock()
        self._opened: httpx2.Client | None = None

    def until(self, patience: float | None = None) -> float:
        """Return the deadline of a call that begins now, for calls of several posts."""
        return self._timing.clock() + (self.patience if patience is None else patience)

    def health(self) -> Health:
        """Return the state of the service, as its calls show it."""
        return self._breaker.health()

    def post(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        until: float | None = None,
        read: Callable[[Any], Any] | None = None,
    ) -> Any:
        """POST `body` to `url + path`. Return the decoded JSON of the answer, converted by `read`.

        A ModelError of `read` counts as a failed call. Raises ModelError, StatusError.
        """
        try:
            content = msgspec.json.encode(body)
        except UnicodeEncodeError:
            raise self.error("the text is not valid Unicode (a lone surrogate)") from None
        with self._breaker.call(lambda error: isinstance(error, StatusError) and error.status in _REFUSED):
            # Loading the library and the certificates is not part of the service's time.
            self._client()
            answer = self._try(path, content, self.until() if until is None else until)
            return answer if read is None else read(answer)

    def error(self, problem: str) -> ModelError:
        """Return an error with the name of the model."""
        return ModelError(f"{self.name}: {problem}")

    def _try(self, path: str, body: bytes, until: float) -> Any:
        retry = 0
        while True:
            try:
                return self._once(path, body, until)
            except _PassingError as passing:
                drawn = self._timing.chance() * _FIRST_PAUSE * 2**retry
                pause = drawn if passing.wait is None else passing.wait
                left = until - self._timing.clock()
                if retry == self._retries or pause > LONGEST_PAUSE or pause >= left:
                    raise passing.problem from None
            self._timing.sleep(pause)
            retry += 1

    def _once(self, path: str, body: bytes, until: float) -> Any:
        """Make one attempt. Raises _PassingError where a retry may help, ModelError where it will not."""
        import httpx2

        left = until - self._timing.clock()
        if left <= 0:
            raise self.error("no time was left for the call")
        limit = min(left, self._attempt)
        client = self._client()
        try:
            request = client.build_request(
                "POST",
                self.url + path,
                content=body,
                headers={**self._headers, "Content-Type": "application/json"},
                timeout=httpx2.Timeout(limit, connect=min(limit, _CONNECTED)),
            )
            response = client.send(request, stream=True)
            try:
                # The body has the time that the headers left.
                request.extensions["timeout"]["read"] = max(until - self._timing.clock(), 0.001)
                content = self._read(response, until)
            finally:
                response.close()
        except httpx2.TimeoutException:
            raise _PassingError(self.error(f"no answer within {limit:.3g} s")) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as error:
            raise _PassingError(self.error(f"{self.url} cannot be reached: {self._shown(str(error))}")) from None
        if response.is_success:
            return self._decoded(content)
        raise self._refused(response.status_code, content, response.headers.get("retry-after", ""))

    def _read(self, response: httpx2.Response, until: float) -> bytes:
        parts: list[bytes] = []
        length = 0
        for part in response.iter_raw():
            length += len(part)
            if length > self._most_bytes:
                raise self.error(f"the answer has more than {self._most_bytes:,} bytes")
            if self._timing.clock() > until:
                raise self.error("the answer was not complete in time")
            parts.append(part)
        return b"".join(parts)

    def _decoded(self, content: bytes) -> Any:
        try:
            return msgspec.json.decode(content)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise self.error(f"the answer is not JSON ({error})") from None

    def _refused(self, status: int, content: bytes, retry_after: str) -> Exception:
        if 300 <= status < 400:
            return StatusError(
                f"{self.name}: {self.url} redirects to another address; use the final address", status
            )
        # A service may repeat part of a wrong key.
        said = "" if status in (401, 403) else self._said(content)
        hint = _HINTS.get(status, "").format(key=self._key_variable)
        told = "".join(f": {part}" for part in (hint, said) if part)
        if status != 429 and status < 500:
            return StatusError(f"{self.name}: status {status}{told}", status, said)
        wait = _seconds(retry_after, self._timing.date())
        pause = f"; it asks to wait {wait:,.0f} s" if wait else ""
        return _PassingError(StatusError(f"{self.name}: status {status}{told}{pause}", status, said), wait)

    def _said(self, content: bytes) -> str:
        try:
            told: Any = msgspec.json.decode(content)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return ""
        for name in ("error", "message", "detail"):
            if isinstance(told, dict) and name in told:
                told = told[name]
        return self._shown(told) if isinstance(told, str) else ""

    def _shown(self, text: str) -> str:
        """Return one truncated line without the key and without control characters."""
        hidden = text.replace(self._key, "***") if self._key else text
        shown = "".join(letter if letter.isprintable() else " " for letter in hidden[: _SHOWN + 1])
        return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"

    def _client(self) -> httpx2.Client:
        """Return the client, made at the first call: reading the certificates takes longer than most calls."""
        import httpx2

        with self._lock:
            if self._opened is None:
                local = not self.url.startswith("https:")
                # A proxy would see requests meant for this machine. Plain HTTP needs no certificates.
                self._opened = httpx2.Client(verify=not local, trust_env=self._proxied and not local)
            return self._opened


class Posted:
    """A model behind a client, which counts its calls."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.name = client.name
        self.usage = client.usage

    def health(self) -> Health:
        return self._client.health()


class _PassingError(Exception):
    """A problem that a retry may solve. `wait`: the pause in seconds that the service asks for."""

    def __init__(self, problem: ModelError, wait: float | None = None) -> None:
        self.problem = problem
        self.wait = wait


def _seconds(retry_after: str, now: float) -> float | None:
    """Parse Retry-After, a number or an HTTP date, to seconds from now. None if it is malformed."""
    if retry_after.strip().isdecimal() and len(retry_after) < 9:
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None
