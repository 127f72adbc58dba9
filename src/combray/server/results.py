"""What a verb returns: as JSON, as a schema, and in pages."""

from __future__ import annotations

import base64
import binascii
import hashlib
import inspect
import json
import types
import typing
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import msgspec

from combray.engine.settling import Pairs
from combray.errors import InvalidInputError
from combray.records import dataclass
from combray.types import Answer, Page
from combray.values import show
from combray.verbs.declaration import Parameter, Verb
from combray.verbs.signature import callable_of

REF = "#/components/schemas/{name}"
_HOMES = (
    "combray.types", "combray.engine.engine", "combray.engine.changes", "combray.engine.requests",
    "combray.engine.settling", "combray.engine.graph", "combray.engine.documents", "combray.engine.consolidation",
    "combray.engine.vectors", "combray.engine.retention", "combray.engine.entities", "combray.engine.quarantine",
    "combray.engine.store", "combray.engine.graph", "combray.engine.views",
    "combray.audit.erasure", "combray.audit.entry", "combray.audit.reading",
    "combray.think.thought", "combray.prompt.budget", "combray.documents.passages", "combray.consolidate.runs",
    "combray.consolidate.state", "combray.embedding.working", "combray.runtime", "combray.runtime.runtime",
    "combray.transfer", "combray.conversation.extraction", "combray.engine.extraction",
)  # fmt: skip
"""Modules whose types the engine's signatures name, some for type checkers only."""
_LATE = {
    "combray.engine.changes": ("Certificate",),
    "combray.engine.requests": ("Certificate",),
    "combray.engine.consolidation": ("PlanLine",),
}
"""Module -> names in its records that it imports for type checkers only."""
_OF_THE_MACHINE = ("location", "namespaces")
"""What the status of a store says about its machine and about namespaces that the caller may not see."""


_OUTCOME = ("saved", "may_revise", "refused")
"""What a conversation knows of the turns that were added last."""
_TURNS = ("conversation.add", "conversation.add_many")
_OUTCOME_SHAPE = {
    "saved": {"type": "array", "items": {"$ref": REF.format(name="Remembered")}},
    "may_revise": {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"$ref": REF.format(name="Candidate")}},
    },
    "refused": {"type": "object", "additionalProperties": {"type": "string"}},
}
MOST = 1_000
"""Items of a page."""
_NEW = 1_000
"""Items that may have come before the last one since its page."""
_FURTHEST = 10_000_000
_NAMES = ("id", "seq", "number", "name", "memory", "new", "old", "first", "second", "path")
"""Fields that say which item it is, whatever else of it changes."""


@dataclass(frozen=True, slots=True)
class WithOutcome:
    """The turns that were stored, and what else the call did."""

    stored: Any
    outcome: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PagePart:
    """One page of a list: its items, the cursor of the next page, and what else the list tells."""

    results: list[Any]
    cursor: str | None
    extra: Mapping[str, Any]


def with_outcome(verb: Verb, result: Any, owner: Any) -> Any:
    """Return a result with what its conversation tells of it."""
    if verb.name not in _TURNS:
        return result
    return WithOutcome(result, {name: getattr(owner, name) for name in _OUTCOME})


def as_json(verb: Verb, result: Any) -> bytes:
    """Return the body of an answer."""
    return msgspec.json.encode(_shaped(verb, result), enc_hook=str)


def _shaped(verb: Verb, result: Any) -> Any:
    if isinstance(result, WithOutcome):
        stored = _shaped(verb, result.stored)
        return msgspec.to_builtins(stored, enc_hook=str, str_keys=True) | dict(result.outcome)
    if isinstance(result, PagePart):
        return {"results": result.results, "cursor": result.cursor, **result.extra}
    if isinstance(result, Answer):
        found: dict[str, Any] = msgspec.to_builtins(result, enc_hook=str)
        return found | {"confidence": result.confidence}
    if isinstance(result, Mapping) and verb.name == "status":
        return {name: value for name, value in result.items() if name not in _OF_THE_MACHINE}
    if isinstance(result, list):
        return {"results": result}
    return {"result": result} if result is None or isinstance(result, (bool, int, str)) else result


def cursor_of(result: Any) -> str | None:
    """Return the cursor of the next page."""
    return result.cursor if isinstance(result, (Page, PagePart)) else None


@cache
def _names() -> dict[str, Any]:
    homes = {each: vars(import_module(each)) for each in _HOMES}
    every: dict[str, Any] = {}
    for names in homes.values():
        every |= names
    for home, late in _LATE.items():
        for name in late:
            # msgspec reads a record's annotations with the names of its module.
            homes[home].setdefault(name, every[name])
    return every


def types_of(verb: Verb) -> list[Any]:
    """Return the types that a verb may return; several if it is overloaded."""
    function = inspect.unwrap(callable_of(verb))
    space = vars(typing) | _names() | function.__globals__
    found = []
    for each in typing.get_overloads(function) or [function]:
        found.append(_evaluated(inspect.signature(each).return_annotation, space))
    return [each for place, each in enumerate(found) if each not in found[:place]]


def _evaluated(annotation: Any, space: dict[str, Any]) -> Any:
    """Return the type that an annotation of the engine names, in a text or in the list of a text."""
    if isinstance(annotation, str):
        hints = typing.get_type_hints(types.SimpleNamespace(__annotations__={"it": annotation}), space)
        return _evaluated(hints["it"], space)
    if isinstance(annotation, type) and issubclass(annotation, list) and annotation is not list:
        # A list that says more to callers in Python is a list on HTTP.
        return _evaluated(vars(annotation)["__orig_bases__"][0], space)
    if typing.get_origin(annotation) is list:
        inner = typing.get_args(annotation)[0]
        return list[_evaluated(getattr(inner, "__forward_arg__", inner), space)]  # type: ignore[misc]
    return annotation


def schemas(verbs: Iterable[Verb]) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Return the schema of each verb's answer by its name, and the components that they refer to."""
    listed = list(dict.fromkeys(verbs))
    kinds = {each.name: types_of(each) for each in listed}
    flat = [each for several in kinds.values() for each in several]
    made, components = msgspec.json.schema_components(flat, ref_template=REF)
    found = iter(made)
    answers = {}
    for verb in listed:
        forms = [_wrapped(verb, kind, next(found)) for kind in kinds[verb.name]]
        answers[verb.name] = forms[0] if len(forms) == 1 else {"anyOf": forms}
    components["Answer"]["properties"]["confidence"] = {"type": "number"}
    components["Answer"]["required"].append("confidence")
    for each in components["Entry"]["properties"].values():
        # An entry of the audit is written without its empty fields: a default would say that they are there.
        each.pop("default", None)
    return answers, components


def _wrapped(verb: Verb, kind: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of what `_shaped` makes of a value of this type."""
    shape = _of_kind(verb, kind, schema)
    added: dict[str, Any] = _OUTCOME_SHAPE if verb.name in _TURNS else {}
    if typing.get_origin(kind) is list and verb.http[0].startswith("GET "):
        added = added | {"cursor": {"anyOf": [{"type": "string"}, {"type": "null"}]}}
    if verb.name == "unsettled":
        added = added | {"due": {"type": "integer"}}
    if not added:
        return shape
    return {"allOf": [shape, {"type": "object", "properties": added}]}


def _of_kind(verb: Verb, kind: Any, schema: dict[str, Any]) -> dict[str, Any]:
    if verb.streams:
        return {"type": "string"}
    if typing.get_origin(kind) is list:
        return _object("results", schema)
    return _object("result", schema) if kind in (int, bool, str, None, type(None)) else schema


def _object(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {name: schema}, "required": [name]}


AFTER = Parameter("after", "The cursor of the page before.", default="")
LIMIT = Parameter("limit", "Items of a page.", type="integer", default=MOST, low=1, high=MOST)


@cache
def paged(verb: Verb) -> bool:
    """Whether a verb returns a list that may grow."""
    return any(typing.get_origin(each) is list for each in types_of(verb))


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which part of a list a request wants. The engine gives a list from its beginning.

    A cursor holds the query's digest, the place of the last item, and a hash of the item's id. The next page
    begins behind that item, wherever it is by then, so what is written in between neither repeats nor skips items
    that stay. If the item is gone, the page begins at its place. The store has cursors of its own for
    `GET /v1/memories`.
    """

    asked: str
    limit: int
    place: int = 0
    last: str = ""

    @classmethod
    def of(cls, path: str, namespace: str, arguments: dict[str, Any], own: Parameter | None) -> PageRequest:
        """Take the cursor out of the arguments, and let the engine give enough. `own`: the verb's limit.

        Raises InvalidInputError for a cursor that is forged, or of another list.
        """
        after = str(arguments.pop("after", "") or "")
        limit = int(arguments.pop("limit", None) or (own or LIMIT).default)
        named = json.dumps([path, namespace, arguments], sort_keys=True, default=str)
        asked = hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        place, last = _opened(after, asked) if after else (0, "")
        if own is not None:
            wanted = place + limit + 1 + (_NEW if after else 0)
            arguments["limit"] = min(wanted, int(own.high or _FURTHEST))
        return cls(asked, limit, place, last)

    def __call__(self, found: list[Any]) -> PagePart:
        """Return the page of a list."""
        start = self._start(found) if self.last else 0
        items = found[start : start + self.limit]
        more = start + self.limit < len(found)
        cursor = _closed(self.asked, start + len(items), _identity(items[-1])) if more and items else None
        extra = {"due": found.due} if isinstance(found, Pairs) else {}
        return PagePart(items, cursor, extra)

    def _start(self, found: list[Any]) -> int:
        """Return the place behind the last item: it is sought from its old place on, then before that."""
        old = self.place - 1
        for place in (*range(max(0, old), len(found)), *range(min(old, len(found)) - 1, -1, -1)):
            if _identity(found[place]) == self.last:
                return int(place + 1)
        return int(min(max(0, old), len(found)))


def _identity(item: Any) -> str:
    return hashlib.sha256(json.dumps(_naming(item), default=str).encode("utf-8", "replace")).hexdigest()[:16]


def _naming(item: Any) -> Any:
    if isinstance(item, (str, int, Mapping)):
        return item
    found = {name: _naming(value) for name in _NAMES if (value := getattr(item, name, None)) is not None}
    return found or msgspec.to_builtins(item, enc_hook=str)


def _closed(asked: str, place: int, last: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([asked, place, last]).encode()).decode().rstrip("=")


def _opened(cursor: str, asked: str) -> tuple[int, str]:
    try:
        plain = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        belongs, place, last = json.loads(plain)
        if type(place) is not int or not 0 < place < _FURTHEST or not isinstance(last, str):
            raise ValueError
    except (ValueError, TypeError, RecursionError, binascii.Error):
        remedy = "Give the cursor of the page before."
        raise InvalidInputError("after", f"{show(cursor)} is not a cursor.", remedy) from None
    if belongs != asked:
        raise InvalidInputError(
            "after", "is the cursor of another list.", "Keep the path, namespace and arguments as they were."
        )
    return place, last
