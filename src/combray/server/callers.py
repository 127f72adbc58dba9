"""Who calls, and what a caller may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from combray.records import dataclass
from combray.types import DEFAULT_NAMESPACE
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
