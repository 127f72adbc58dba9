"""`Engine` on a server. Its methods are made from the declarations of the verbs, as the server's routes are.

They have the signatures of the engine's own. What works on files, threads or the store of this machine is not
there; it raises `NotServedError`.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import is_dataclass
from datetime import date, datetime
from os import PathLike, fspath
from types import MappingProxyType
from typing import Any

import msgspec

from combray.conversation.turns import Conversation
from combray.engine.engine import Engine
from combray.engine.namespace import BATCH, check_namespace
from combray.engine.settling import Pairs
from combray.errors import CombrayError, InvalidInputError, StoreError
from combray.remote import importing
from combray.remote.connection import Connection, filled
from combray.server.results import types_of
from combray.server.routes import PREFIX, Route, routes
from combray.settings import Settings, secret
from combray.transfer.parser import Parsed
from combray.types import Candidate, Remembered
from combray.values import MAX_LABEL, clean_text
from combray.verbs.signature import OWNERS, callable_of, owner, parameters, variadic

_LOCAL_ONLY = ("progress",)
"""Arguments that are for this process: left out, since the answer is the same without them."""


_ALONE = ("ids", "supersedes", "keep_both")
"""Arguments that the engine takes alone or in a list, and the server in a list."""


class NotServedError(CombrayError, AttributeError):
    """Raised if something of the engine is asked of a server that only the store's own machine has."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not served over HTTP. Call it on the store's machine, on the store itself.")


class RemoteEngine(Engine):
    """An engine whose store is behind a server. Safe for threads. Close only the first one of a connection."""

    def __init__(self, connection: Connection, namespace: str, settings: Mapping[str, Any]) -> None:
        self._connection = connection
        self._name = check_namespace(namespace)
        self._settings = settings

    @property
    def namespace(self) -> str:
        """Its name."""
        return self._name

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of this process; those of the store are the server's."""
        return self._settings

    @property
    def now(self) -> float:
        """The present by the clock of this machine."""
        return time.time()

    @property
    def preset(self) -> str:
        """The name of the server's preset."""
        return str(self.store.status()["preset"])

    def within(self, namespace: str) -> Engine:
        """An engine on another namespace of the same server."""
        return RemoteEngine(self._connection, namespace, self._settings)

    def conversation(self, session: str) -> Conversation:
        """A conversation whose turns are stored as episodes."""
        talk: Conversation = _CONVERSATION(self, session)
        return talk

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotServedError(f"Engine.{name}")


class _ServedFacet:
    """Verbs of a facet, on a server."""

    def __init__(self, engine: RemoteEngine) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotServedError(f"{type(self).__name__}.{name}")


def open_remote(settings: Settings, key: str | bytes | None) -> Engine:
    """Return the engine on the server that the setting `db` names. Connects with the first call."""
    if isinstance(key, bytes):
        raise InvalidInputError("key", "must be the text that combray keys create printed.")
    known = key or secret("COMBRAY_SERVER_KEY") or ""
    connection = Connection(settings.db, known, patience=settings.busy_timeout, plain=settings.plain_http)
    return RemoteEngine(connection, settings.namespace, MappingProxyType(msgspec.structs.asdict(settings)))


def _served(called: list[Route]) -> Callable[..., Any]:
    """Return a verb that is carried out by the server. `called`: its routes."""
    verb = called[0].verb
    own = callable_of(verb)
    signature = inspect.signature(inspect.unwrap(own))
    several = variadic(verb)

    @functools.wraps(own)
    def call(owner: Any, /, *args: Any, **options: Any) -> Any:
        engine = owner if isinstance(owner, RemoteEngine) else owner._engine
        given = _given(signature, owner, args, options)
        given = {name: value for name, value in given.items() if name not in _LOCAL_ONLY}
        if several and not isinstance(given.get(several, []), list):
            given[several] = [given[several]]
        if verb.name == "remember_many" and not given.get("atomic") and isinstance(given["items"], list):
            return _in_batches(engine, called, given, options.get("progress"))
        return _carried_out(engine, called, given, owner)

    return call


def _in_batches(
    engine: RemoteEngine, called: list[Route], given: dict[str, Any], progress: Callable[[int], None] | None
) -> list[Any]:
    """Store items, a request for each batch that the engine would store in one transaction.

    A server ends a request that takes long, and the body of one is bounded.
    """
    results: list[Any] = []
    items = given["items"]
    # Without items the server is asked too: it checks the other arguments.
    for start in range(0, len(items) or 1, BATCH):
        results += _carried_out(engine, called, {**given, "items": items[start : start + BATCH]}, engine)
        if progress is not None:
            progress(len(results))
    return results


def _given(
    signature: inspect.Signature, owner: Any, args: tuple[Any, ...], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments by name, in JSON's types. Raises TypeError as Python does."""
    bound = signature.bind(owner, *args, **options).arguments
    bound.pop("self", None)
    found: dict[str, Any] = {}
    for name, value in bound.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            found |= value
        else:
            found[name] = value
    return {name: value if name == "stream" else _plain(name, value) for name, value in found.items()}


def _carried_out(engine: RemoteEngine, called: list[Route], given: dict[str, Any], owner: Any) -> Any:
    verb = called[0].verb
    if verb.call == "store.export_to":
        return _exported(engine, called[0], given)
    if verb.call == "audit.lines":
        return engine._connection.lines(PREFIX + called[0].path, engine.namespace, {})
    for batch in ("items", "turns"):
        if batch in given:
            # The server takes objects, and its default for `atomic` is true.
            given[batch] = [_item(each) for each in given[batch]]
            given.setdefault("atomic", False)
    file = given.get("lines") if verb.call == "store.import_from" else None
    if verb.call == "store.import_from":
        # A file with a problem is refused as a whole, unless its problems are asked for.
        reported = given.get("dry_run", True) or given.get("skip_bad", False)
        given["lines"] = list(file.lines() if isinstance(file, Parsed) and reported else file or ())
    if verb.call == "documents.read" and given.get("withhold"):
        # The server always does.
        del given["withhold"]
    if verb.call.startswith("conversation."):
        given["session"] = owner.session
    route = _chosen(called, given)
    said: dict[str, Any] = {}
    for name, value in given.items():
        spelt = route.names.get(name, name)
        if spelt in said:
            raise InvalidInputError(
                spelt, f"is given beside the {name if name != spelt else 'text'}.", "Give one."
            )
        if name not in route.in_path:
            said[spelt] = value
    # An empty list is what an option is that nobody gave.
    if unknown := [name for name in said if name not in route.known and said[name] not in (None, [])]:
        names = parameters(verb)
        known = unknown[0] in names or unknown[0] in route.names.values()
        problem = "is not served over HTTP." if known else f"is not an argument of {verb.name}."
        raise InvalidInputError(unknown[0], problem, "Leave it out, or set it on the server.")
    said = {
        name: [value] if name in _ALONE and isinstance(value, str) else value
        for name, value in said.items()
        if name in route.known
    }
    if route.in_query and (empty := [name for name, value in said.items() if value == []]):
        raise InvalidInputError(empty[0], "must be a list of names, not [].", "Leave it out, or name one.")
    if verb.call != "update":
        said = {name: value for name, value in said.items() if value is not None}
    headers = {}
    if (version := given.get("if_version")) is not None:
        headers["If-Match"] = f'"{version}"'
        said.pop("if_version", None)
    path = PREFIX + filled(route.path, {name: given[name] for name in route.in_path})
    back = {spelt: name for name, spelt in route.names.items() if spelt not in ("ids", "content")}
    found, body = _answered(engine, route, path, said, headers, back)
    if isinstance(owner, _Talk) and verb.name.startswith("conversation.add"):
        owner.note(msgspec.json.decode(body))
    if isinstance(file, Parsed):
        return importing.completed(found, file)
    return found.certificate if verb.call == "erase" and isinstance(given.get("memory_id"), str) else found


def _answered(
    engine: RemoteEngine,
    route: Route,
    path: str,
    said: dict[str, Any],
    headers: Mapping[str, str],
    names: Mapping[str, str],
) -> tuple[Any, bytes]:
    """Return the answer and its body. Of a list without a limit, which the engine gives whole: every page."""
    query, given = (said, None) if route.in_query else (None, said)

    def asked() -> bytes:
        return engine._connection.ask(
            route.method, path, engine.namespace, query=query, body=given, headers=headers, names=names
        )

    body = asked()
    found = _result(route.verb, body)
    if route.paged and "limit" not in parameters(route.verb):
        while (cursor := msgspec.json.decode(body)["cursor"]) is not None:
            said["after"] = cursor
            body = asked()
            found += _result(route.verb, body)
    return found, body


def _item(item: Any) -> Any:
    if isinstance(item, str):
        return {"content": item}
    if not isinstance(item, Mapping):
        return item
    return {name: [value] if name in _ALONE and isinstance(value, str) else value for name, value in item.items()}


def _chosen(called: list[Route], given: Mapping[str, Any]) -> Route:
    """Return the route of one memory if one id is all that is given, else that of several."""
    for route in called:
        named = all(isinstance(given.get(name), str) for name in route.in_path)
        rest = {route.names.get(name, name) for name, value in given.items() if value is not None}
        if route.in_path and named and rest - set(route.in_path) - {"if_version"} <= set(route.known):
            return route
    plain = [route for route in called if not route.in_path]
    return (plain or called)[0]


def _plain(name: str, value: Any) -> Any:
    """Return a value as JSON has it. Raises InvalidInputError for an object that only a process has."""
    if isinstance(value, (Parsed, Iterator)):
        return value if isinstance(value, Parsed) else list(value)
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, msgspec.Struct) or is_dataclass(value):
        return msgspec.to_builtins(value, enc_hook=str)
    if isinstance(value, Mapping):
        return {key: _plain(name, each) for key, each in value.items()}
    if isinstance(value, (list, tuple, Set)):
        return [_plain(name, each) for each in value]
    if hasattr(value, "__next__") or (hasattr(value, "__iter__") and not isinstance(value, (str, bytes))):
        return value if hasattr(value, "read") else [_plain(name, each) for each in value]
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if callable(value) and name in _LOCAL_ONLY:
        return None
    raise InvalidInputError(
        name, f"cannot be sent to a server, got {type(value).__name__}.", "Pass plain values."
    )


def _exported(engine: RemoteEngine, route: Route, given: Mapping[str, Any]) -> int:
    stream = given["stream"]
    query = {"filter": given["where"]} if given.get("where") is not None else {}
    count = 0
    for line in engine._connection.lines(PREFIX + route.path, engine.namespace, query):
        # The first line says what follows.
        count = count or int(msgspec.json.decode(line)["memories"])
        stream.write(f"{line}\n")
    return count


def _result(verb: Any, body: bytes) -> Any:
    """Return the answer in the type that the engine's verb returns."""
    try:
        found = msgspec.json.decode(body)
    except msgspec.MsgspecError as error:
        raise StoreError(f"the server's answer to {verb.name} is not JSON. Check its address.") from error
    due = found.get("due", 0) if isinstance(found, dict) else 0
    # No record has a field of these names.
    wrapped = [found[name] for name in ("results", "result") if isinstance(found, dict) and name in found]
    found = wrapped[0] if wrapped else found
    for kind in types_of(verb):
        with suppress(msgspec.ValidationError, TypeError):
            made = msgspec.convert(found, kind, strict=False)
            return Pairs(made, due) if verb.name == "unsettled" else made
    raise StoreError(f"the server's answer to {verb.name} has another form: it may be of another version.")


class _Outcome(msgspec.Struct):
    """What a server tells beside the turns that it stored."""

    saved: tuple[Remembered, ...] = ()
    may_revise: dict[str, tuple[Candidate, ...]] = {}
    refused: dict[int, str] = {}


class _Talk:
    """A conversation on a server, and the outcome of the turns that were added last."""

    def __init__(self, engine: RemoteEngine, session: str) -> None:
        self._engine, self.session = engine, clean_text("session", session, MAX_LABEL).strip()
        self.saved: tuple[Remembered, ...] = ()
        self.may_revise: Mapping[str, tuple[Candidate, ...]] = {}
        self.refused: Mapping[int, str] = {}

    def note(self, answer: Mapping[str, Any]) -> None:
        """Keep what the server tells of the turns that were added. A repeated request tells nothing."""
        outcome = msgspec.convert(answer, _Outcome, strict=False)
        self.saved, self.may_revise, self.refused = outcome.saved, outcome.may_revise, outcome.refused

    def prefetched(self, _timeout: float = 10.0) -> None:
        """Return nothing: a server keeps no search between requests. `context` waits for one of its own."""


def _refusing(kind: type, facet: str, name: str) -> Callable[..., Any]:
    @functools.wraps(getattr(kind, name))
    def call(_owner: Any, *_args: Any, **_options: Any) -> Any:
        raise NotServedError(f"{facet}.{name}")

    return call


def _with_the_rest(kind: type, facet: str, served: Mapping[str, Any]) -> dict[str, Any]:
    """Return verbs with refusals for the public methods of a class that are not among them."""
    own = [name for name, value in vars(kind).items() if not name.startswith("_") and inspect.isfunction(value)]
    return {name: _refusing(kind, facet, name) for name in own} | dict(served)


def _made() -> type:
    """Give `RemoteEngine` its verbs and facets. Return the class of its conversations."""
    by_call: dict[str, list[Route]] = {}
    for route in routes():
        by_call.setdefault(route.verb.call, []).append(route)
    verbs: dict[str, dict[str, Any]] = {facet: {} for facet in OWNERS}
    for call, called in by_call.items():
        facet, _, name = call.rpartition(".")
        verbs[facet][name] = _served(called)
    for name, verb in verbs.pop("").items():
        setattr(RemoteEngine, name, verb)
    talks = type(
        "RemoteConversation",
        (_Talk, Conversation),
        {
            name: call
            for name, call in _with_the_rest(Conversation, "conversation", verbs.pop("conversation")).items()
            if name not in vars(_Talk)
        },
    )
    for facet, methods in verbs.items():
        own = owner(facet)
        kind = type(f"Remote{own.__name__}", (_ServedFacet, own), _with_the_rest(own, facet, methods))
        setattr(RemoteEngine, facet, functools.cached_property(kind))
        RemoteEngine.__dict__[facet].__set_name__(RemoteEngine, facet)
    return talks


_CONVERSATION = _made()
