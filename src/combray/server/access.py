"""Who calls, what a caller may do, and what one server takes on.

Without keys a server answers programs of its own machine only. With keys every request needs one. Host and Origin
are checked first: a web page whose host name was pointed at this machine (DNS rebinding) sends that name as Host.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

from combray.errors import InvalidInputError
from combray.records import dataclass
from combray.server.keys import CREATE, AccessKey, KeyRing, ring_path
from combray.settings import Settings
from combray.types import DEFAULT_NAMESPACE
from combray.values import is_loopback
from combray.verbs.declaration import ADMIN, READ, RIGHTS

MOST_CALLERS = 10_000
"""Callers whose rate is remembered."""
HEADER = "combray-namespace"
UNVERIFIED, UNVERIFIED_OF_ALL = 2.0, 4.0
"""Keys a second, of one address and of all, that were not verified before. Bounds guesses and what they cost: a
hash holds up every other request for about 50 ms."""
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?", re.ASCII)
_ORIGIN = re.compile(r"https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?", re.ASCII)
_SCHEMES = ("bearer", "token")
_FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip", b"via")
_CHALLENGE = 'Bearer realm="combray"'
_INVALID = {"WWW-Authenticate": f'{_CHALLENGE}, error="invalid_token"'}
_log = logging.getLogger("combray.server")
Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one server. `batch` bounds the body of requests with many memories.

    `threads`: requests that work at once; the engine is synchronous. `requests`: those that work or wait.
    `rate`: requests a second of one caller, with bursts of ten seconds' worth; 0: no limit.
    """

    body: int = 1_000_000
    batch: int = 10_000_000
    seconds: float = 30.0
    threads: int = 8
    requests: int = 256
    streams: int = 256
    rate: float = 0.0


class Rates:
    """Requests of each caller against a rate: a bucket that fills at the rate and holds ten seconds of it."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str) -> float:
        """Count a request. Return 0, or the seconds after which the caller may ask again."""
        if not self._rate:
            return 0.0
        now, most = time.monotonic(), max(1.0, 10 * self._rate)
        left, at = self._left.pop(caller, (most, now))
        left = min(most, left + (now - at) * self._rate)
        allowed = left >= 1
        self._left[caller] = (left - 1 if allowed else left, now)
        if len(self._left) > MOST_CALLERS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._rate


class Refused(Exception):  # noqa: N818 - the name of an answer, not of a failure
    """A request that is not let in: the status of its answer, a sentence, and headers of the answer."""

    def __init__(self, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.sentence = sentence
        self.headers = dict(headers or {})
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request. `namespaces` None: all of them."""

    name: str
    role: str
    namespaces: frozenset[str] | None = None

    def may(self, rights: str, namespace: str | None) -> bool:
        """Whether the caller has the rights in a namespace; None: in the whole store."""
        if RIGHTS.index(rights) > RIGHTS.index(self.role):
            return False
        return self.namespaces is None or (namespace is not None and namespace in self.namespaces)


class Access(Protocol):
    """Decides who may call."""

    def authenticate(self, scope: Mapping[str, Any]) -> Caller:
        """Return who makes the request of an ASGI scope. Raises Refused."""


def served_by_mcp(access: Access, scope: Mapping[str, Any]) -> tuple[tuple[str, ...], bool, str]:
    """Return the namespaces of a request for MCP, whether it only reads, and the caller's name.

    The first namespace is written to. It is that of the header Combray-Namespace, else the first of the key's.
    Raises Refused.
    """
    caller = access.authenticate(scope)
    named = dict(scope["headers"]).get(HEADER.encode(), b"").decode("utf-8", "replace")
    if caller.namespaces is None:
        names: tuple[str, ...] = (named or DEFAULT_NAMESPACE,)
    elif named and named not in caller.namespaces:
        raise Refused(403, f"The key has no right in namespace {named!r}.")
    else:
        names = tuple(sorted(caller.namespaces, key=lambda each: (each != named, each)))
    return names, caller.role == READ, caller.name


class KeyedAccess:
    """Decides who may call. Raises InvalidInputError if the server would be open to others without a key.

    `host` is the address the server listens on. `hosts`: further names in the Host header. `origins`: web origins
    that may call; none by default.
    """

    def __init__(
        self,
        ring: KeyRing,
        host: str = "127.0.0.1",
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.ring = ring
        self.origins = tuple(_origin(each) for each in origins)
        self._hosts = frozenset(_plain(each) for each in (host, *hosts))
        self._host = host
        self._clock = clock
        self._attempts = Rates(UNVERIFIED)
        self._all_attempts = Rates(UNVERIFIED_OF_ALL)
        self._trouble = ""
        valid = any(each.valid(clock()) for each in ring.listed())
        if not (valid or is_loopback(host)):
            problem = f"{host} lets other machines connect, and there is no valid key."
            raise InvalidInputError("host", problem, f"Make one with: {CREATE}")

    @classmethod
    def of(cls, settings: Settings, location: str, host: str) -> KeyedAccess:
        """Return the access to the store at a location by a server that listens on `host`."""
        hosts, origins = (
            filter(None, (each.strip() for each in listed.split(",")))
            for listed in (settings.server_hosts, settings.server_origins)
        )
        return cls(KeyRing(ring_path(location, settings.server_keys)), host, hosts, origins)

    def authenticate(self, scope: Mapping[str, Any]) -> Caller:
        """Return who makes the request of an ASGI scope. Raises Refused."""
        headers = list(scope["headers"])
        self.check_place(headers)
        address = str((scope.get("client") or ("", 0))[0])
        given = credential(headers)
        try:
            if not self.ring.listed():
                return self._of_this_machine(address, headers)
            if given is None:
                raise Refused(401, "A key is needed. Send it as Authorization: Bearer KEY.", challenge())
            key = self._verified(given, address)
        except (InvalidInputError, OSError) as error:
            self._log_once(str(error))
            raise Refused(503, "The server cannot read its keys. Its log has the reason.") from None
        self._trouble = ""
        self.ring.use(key)
        names = None if key.namespaces is None else frozenset(key.namespaces)
        # Accounts of the machine are actors of the audit, too: a key must not pass for one.
        return Caller(f"key:{key.name}", key.role, names)

    def _verified(self, given: str, address: str) -> AccessKey:
        key = self.ring.remembered(given)
        if key is None:
            if wait := self._attempts.wait(_network(address)) or self._all_attempts.wait(""):
                retry = {"Retry-After": str(max(1, round(wait)))}
                raise Refused(429, "Too many keys that are new or wrong were sent. Wait.", retry)
            key = self.ring.verified(given)
        if key is None or (key.replaced and not key.valid(self._clock())):
            raise Refused(401, "The key is not valid.", _INVALID)
        if not key.valid(self._clock()):
            raise Refused(401, f"The key has expired. Ask for: combray keys rotate {key.name}", _INVALID)
        return key

    def _of_this_machine(self, address: str, headers: Headers) -> Caller:
        """Return the caller of a server without keys. What a proxy passes on may come from anywhere."""
        if not (is_loopback(self._host) and is_loopback(address)):
            raise Refused(401, "A key is needed, and the server has none yet.", challenge())
        if any(name in _FORWARDED for name, _ in headers):
            raise Refused(401, f"A proxy passed this request on, which needs a key: {CREATE}", challenge())
        return Caller("local", ADMIN)

    def check_place(self, headers: Headers) -> None:
        """Check Host and Origin. Raises Refused."""
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        found = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if found is None:
            raise Refused(403, "The request must have one Host header that names this server.")
        if not self._is_ours(_plain(found[1])):
            raise Refused(
                403,
                "The Host header does not name this server. Use its address, or add the name to "
                "COMBRAY_SERVER_HOSTS.",
            )
        for origin in (value.decode("latin-1").lower() for name, value in headers if name == b"origin"):
            if origin not in self.origins and _netloc(origin) != hosts[0].lower():
                raise Refused(403, "Pages of this origin may not call the server. See COMBRAY_SERVER_ORIGINS.")

    def _is_ours(self, name: str) -> bool:
        if name in self._hosts:
            return True
        if is_loopback(self._host):
            return is_loopback(name)
        # Listening on all addresses: a browser that was rebound sends a name, never an address.
        return _is_address(self._host, unspecified=True) and (_is_address(name) or is_loopback(name))

    def _log_once(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            _log.error("no request is let in: %s", trouble)


def credential(headers: Headers) -> str | None:
    """Return the key that a request carries, None without one. Raises Refused if it carries several.

    Read are Authorization: Bearer (RFC 6750), Authorization: Token (mem0's clients) and X-API-Key.
    """
    found: set[str] = set()
    for name, value in headers:
        text = value.decode("latin-1").strip()
        if name == b"authorization":
            scheme, _, rest = text.partition(" ")
            text = rest.strip() if scheme.lower() in _SCHEMES else ""
        elif name != b"x-api-key":
            continue
        found |= {text} if text else set()
    if len(found) > 1:
        raise Refused(400, "The request carries different keys. Send one.")
    return found.pop() if found else None


def challenge() -> dict[str, str]:
    """Return the header of a 401 that names the scheme."""
    return {"WWW-Authenticate": _CHALLENGE}


def _plain(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()


def _is_address(host: str, *, unspecified: bool = False) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified or not unspecified
    except ValueError:
        return False


def _network(address: str) -> str:
    """Return the address, of IPv6 the first 64 bits: the rest is for whoever has the network to choose."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    return address if found.version == 4 else found.exploded[:19]


def _origin(text: str) -> str:
    """Return an origin as browsers send it. Raises InvalidInputError."""
    if not _ORIGIN.fullmatch(text):
        problem = f"{text!r} is not an origin."
        raise InvalidInputError("server_origins", problem, "Write them like https://app.example.com.")
    return text.lower()


def _netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""
