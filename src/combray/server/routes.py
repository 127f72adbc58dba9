"""Routes below /v1, from the declarations of the verbs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from combray.errors import InvalidInputError
from combray.records import dataclass
from combray.server.results import AFTER, LIMIT, paged
from combray.verbs import CALLS
from combray.verbs.declaration import READ, Parameter, Verb
from combray.verbs.signature import parameters

PREFIX = "/v1"
PEER = {
    "query": Parameter("query", required=True),
    "limit": Parameter("limit", type="integer", low=1, high=1000, default=10),
    "namespace": Parameter("namespace", default="default"),
}
"""Arguments of the peer protocol: docs/reference/peer-protocol.md."""
_EVERYWHERE = {"where": "filter"}
_RENAMED: Mapping[str, Mapping[str, str]] = {
    "remember": {"text": "content"},
    "conversation.add": {"text": "content"},
    "forget": {"memory_id": "ids"},
    "restore": {"memory_id": "ids"},
    "erase": {"memory_id": "ids"},
}
"""Verb -> the engine's name of a parameter -> its name on HTTP, which is that of the resource."""
_OMITTED: Mapping[str, frozenset[str]] = {
    # Files of the server's machine.
    "erase": frozenset(("also",)),
    # Embedders are named by the server's settings.
    "vectors.reembed": frozenset(("to",)),
    # The header If-Match.
    "update": frozenset(("if_version",)),
    # A batch is one transaction, so that a repeated request finds all of it or nothing.
    "remember_many": frozenset(("batch", "judged_as")),
    # Third-party text that looks like an injection is never served.
    "documents.read": frozenset(("withhold",)),
    "worker": frozenset(("everywhere",)),
    "restore": frozenset(("version",)),
}
_OF_ONE: Mapping[str, frozenset[str]] = {"forget": frozenset(), "restore": frozenset(("version",))}
"""Verbs of one memory or of several: what they take beside one id."""
_CHANGED: Mapping[str, Mapping[str, Any]] = {
    # The engine takes texts too; over HTTP there is one form.
    "items": {"type": "object"},
    "turns": {"type": "object"},
    # A request is refused as a whole, unless it asks otherwise: its status says whether it was done.
    "atomic": {"default": True},
    # A thread of the server waits.
    "timeout": {"low": 0, "high": 60},
    "beginnings": {"required": True},
}
"""The engine's name of a parameter -> what is different over HTTP."""
_MANY = frozenset(("remember_many", "conversation.add_many", "import", "store.import_file"))
"""Verbs whose body may have the size of a batch."""


@dataclass(frozen=True)
class Route:
    """One method on one path, which calls one verb."""

    verb: Verb
    method: str
    path: str

    @property
    def in_path(self) -> tuple[str, ...]:
        """The names in braces."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def in_query(self) -> bool:
        """Whether arguments come in the query; otherwise in the body."""
        return self.method in ("GET", "DELETE")

    @property
    def operation(self) -> str:
        """The name of the operation in the description, unique."""
        one = "_one" if self.in_path and len(self.verb.http) > 1 else ""
        return self.verb.name.replace(" ", "_").replace(".", "_").replace("-", "_") + one

    @property
    def batch(self) -> bool:
        """Whether a body may have the size of a batch."""
        return self.verb.name in _MANY

    @property
    def writes(self) -> bool:
        """Whether it may change memories."""
        return self.method != "GET" and self.verb.rights != READ

    @cached_property
    def paged(self) -> bool:
        """Whether it answers with pages of a list, by a cursor of `server/results.py`."""
        return self.method == "GET" and not self.verb.streams and paged(self.verb)

    @cached_property
    def names(self) -> dict[str, str]:
        """The engine's name of each parameter -> its name on HTTP."""
        renamed = _EVERYWHERE | dict({} if self._of_one else _RENAMED.get(self.verb.name, {}))
        more = ("limit", "after") if self.paged else ()
        return {name: renamed.get(name, name) for name in (*parameters(self.verb), *more)}

    @cached_property
    def known(self) -> dict[str, Parameter]:
        """The parameters of query or body, by their names on HTTP."""
        every, left_out = parameters(self.verb), _OMITTED.get(self.verb.name, frozenset())
        if self._of_one:
            kept = _OF_ONE[self.verb.name]
            every, left_out = {name: each for name, each in every.items() if name in kept}, frozenset()
        if self.paged:
            every = {"limit": LIMIT} | every | {"after": AFTER}
        return {
            self.names[name]: replace(each, **_CHANGED.get(name, {}))
            for name, each in every.items()
            if name not in left_out and name not in self.in_path
        }

    @property
    def _of_one(self) -> bool:
        return bool(self.in_path) and self.verb.name in _OF_ONE

    def arguments(self, given: Mapping[str, Any], in_path: Mapping[str, str]) -> dict[str, Any]:
        """Return the engine's arguments for checked ones by their names on HTTP."""
        back = {said: name for name, said in self.names.items()}
        found = {back[name]: value for name, value in given.items()} | dict(in_path)
        if self.verb.name != "update":
            # Null is the default. An update clears a field by it.
            found = {name: value for name, value in found.items() if value is not None}
        if self.verb.name == "documents.read":
            found["withhold"] = True
        if "atomic" in self.known:
            found.setdefault("atomic", True)
        return found


def routes() -> list[Route]:
    """Return every route. A path without names in it comes before one with names that it would match."""
    found = [Route(verb, *(each.split(" ", 1))) for verb in CALLS.values() for each in verb.http]
    return sorted(found, key=lambda each: (each.path.count("{"), each.path))


def item_parameters() -> dict[str, Parameter]:
    """Return the parameters of one item of a batch: those of a memory."""
    remember = next(each for each in routes() if each.verb.name == "remember")
    return {name: each for name, each in remember.known.items() if name != "diff"}


def one_item(item: Any, known: Mapping[str, Parameter], place: int) -> dict[str, Any]:
    """Return an item of a batch as the engine takes it. Raises InvalidInputError, which names its place."""
    from combray.sessions.messages import item_of
    from combray.verbs.binding import exactly

    if not isinstance(item, dict):
        problem = f"must be an object, got a {type(item).__name__}."
        raise InvalidInputError(f"items[{place}]", problem, 'Write {"content": "…"}.')
    try:
        item = item_of(item) if "role" in item else item
        return {name: value for name, value in exactly(known, item).items() if value is not None}
    except InvalidInputError as error:
        raise InvalidInputError(f"items[{place}].{error.field}", error.problem, error.remedy) from None
