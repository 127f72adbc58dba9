"""Who calls: the form of what authentication gives, and the rule of a server without keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

from combray.records import dataclass
from combray.types import DEFAULT_NAMESPACE
from combray.values import is_loopback
from combray.verbs.declaration import ADMIN, READ, WRITE

HEADER = "combray-namespace"
ROLES = (READ, WRITE, ADMIN)
"""Each role may do what the ones before it may."""


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
        if ROLES.index(rights) > ROLES.index(self.role):
            return False
        return self.namespaces is None or (namespace is not None and namespace in self.namespaces)


class Access(Protocol):
    """Decides who may call."""

    def authenticate(self, scope: Mapping[str, Any]) -> Caller:
        """Return who makes the request of an ASGI scope. Raises Refused."""


class Loopback:
    """Lets in every program of this machine, with all rights, and no web page: the browser names its host."""

    def authenticate(self, scope: Mapping[str, Any]) -> Caller:
        """Return the owner of the machine. Raises Refused for other machines and foreign Host or Origin."""
        client = (scope.get("client") or ("", 0))[0]
        if not is_loopback(client):
            raise Refused(403, "This server answers its own machine only. Start it with keys to let others in.")
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if not is_loopback(_host_of(f"//{host}")):
            raise Refused(403, "The Host header does not name this machine. Use 127.0.0.1 or localhost.")
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin).netloc != host:
            raise Refused(403, "Pages of other origins may not call this server.")
        return Caller("loopback", ADMIN)


def served_by_mcp(access: Access, scope: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    """Return the namespaces of a request for MCP, the first of which is written to, and whether it only reads.

    The first is that of the header Combray-Namespace, else the first of the key's. Raises Refused.
    """
    caller = access.authenticate(scope)
    named = dict(scope["headers"]).get(HEADER.encode(), b"").decode("utf-8", "replace")
    if caller.namespaces is None:
        names: tuple[str, ...] = (named or DEFAULT_NAMESPACE,)
    elif named and named not in caller.namespaces:
        raise Refused(403, f"The key has no right in namespace {named!r}.")
    else:
        names = tuple(sorted(caller.namespaces, key=lambda each: (each != named, each)))
    return names, caller.role == READ


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
