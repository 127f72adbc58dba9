"""What is answered at each path: authenticate, check, call, answer."""

from __future__ import annotations

import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import urlencode

import anyio
import anyio.to_thread
import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from combray import __version__, presets
from combray.engine.namespace import check_namespace
from combray.engine.receipts import Receipt
from combray.errors import CombrayError
from combray.server import events
from combray.server.access import Access, Caller, Rates, Refused
from combray.server.bodies import arguments_of, namespace_of, query_of, read_json
from combray.server.description import description, streams
from combray.server.explorer import SESSION, OnceAccess
from combray.server.measures import CONTENT_TYPE, Measures, of_store
from combray.server.problems import HttpError, problem_of
from combray.server.results import PageRequest, as_json, cursor_of
from combray.server.routes import PEER, PREFIX, Route
from combray.server.spaces import Spaces, Wish
from combray.types import Memory
from combray.verbs.binding import Call, exactly
from combray.verbs.declaration import ADMIN, READ
from combray.verbs.signature import parameters, variadic

_JSON = "application/json"
_LINES = "application/x-ndjson"
_PRIVATE = {"Cache-Control": "no-store"}
_VERSION = re.compile(r'"?([0-9]{1,9})"?')
_KEY = re.compile("[!-~]{1,255}")
_CHUNK = 65_536
_IN_MEMORY = 1_000_000


class Endpoints:
    """The endpoints over the engines of one store."""

    def __init__(self, spaces: Spaces, access: Access, measures: Measures) -> None:
        self.spaces = spaces
        self.access = access
        self.measures = measures
        self.stopping = False
        self._rates = Rates(spaces.limits.rate)
        self._streams = 0
        self._looking: anyio.CapacityLimiter | None = None

    # -- verbs -------------------------------------------------------------------------------------

    def endpoint(self, methods: Mapping[str, Route]) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint of one path."""

        async def answer(request: Request) -> Response:
            route = methods["GET" if request.method == "HEAD" else request.method]
            try:
                return await self._of_verb(route, request)
            except CombrayError as error:
                raise problem_of(error, route.names, self.spaces.first.runtime.store.location) from error

        return answer

    def authenticate(self, scope: Mapping[str, Any]) -> Caller:
        """Return who makes a request, and count it. Other protocols let in by this, too. Raises Refused."""
        caller = self.access.authenticate(scope)
        if wait := self._rates.wait(caller.name):
            headers = {"Retry-After": str(max(1, round(wait)))}
            raise Refused(429, "The key asks more often than it may. Wait a moment.", headers)
        return caller

    def allowed(self, request: Request, rights: str, namespaces: list[str] | None) -> Caller:
        """Return the caller if it has the rights in all these namespaces; None: in the whole store.

        The one place where requests are let in. Raises Refused, HttpError.
        """
        caller = self.authenticate(request.scope)
        for name in namespaces if namespaces is not None else [None]:
            if not caller.may(rights, name):
                where = "the whole store" if name is None else f"namespace {name!r}"
                raise HttpError(403, f"The key has no right to {rights} in {where}.")
        return caller

    async def _of_verb(self, route: Route, request: Request) -> Response:
        query = query_of(request)
        namespace = check_namespace(namespace_of(request, query, of_verb="namespace" in route.known))
        whole = route.verb.whole
        caller = self.allowed(request, route.verb.rights, None if whole else [namespace])
        given = await arguments_of(route, request, query, self.spaces.limits)
        arguments = route.arguments(given, request.path_params)
        for other in arguments.get("namespaces") or ():
            if not caller.may(route.verb.rights, check_namespace(other)):
                raise HttpError(403, f"The key has no right to {route.verb.rights} in namespace {other!r}.")
        if route.verb.name == "update" and (version := _wanted_version(request)) is not None:
            arguments["if_version"] = version
        if streams(route):
            return await self._lines(route, namespace, arguments)
        receipt = self._receipt(route, request, caller, given)
        if route.verb.name == "remember_many":
            arguments["batch"] = max(1, len(arguments["items"]))
        cut = None
        if route.paged:
            own = parameters(route.verb).get("limit")
            cut = PageRequest.of(request.url.path, namespace, arguments, own)
        wish = Wish(_call(route, arguments), namespace, caller.name, receipt, dict(request.path_params))
        result, repeated = await self.spaces.carry_out(wish)
        result = cut(result) if cut else result
        return await self._response(route, request, namespace, result, repeated=repeated)

    def _receipt(
        self, route: Route, request: Request, caller: Caller, given: Mapping[str, Any]
    ) -> Receipt | None:
        key = request.headers.get("idempotency-key")
        if key is None or not route.writes:
            return None
        if not _KEY.fullmatch(key):
            raise HttpError(400, "Idempotency-Key must have 1 to 255 ASCII characters without spaces.")
        asked = f"{route.method} {request.url.path} {request.headers.get('if-match', '')}".encode()
        return Receipt.of(caller.name, key, asked + msgspec.json.encode(given, order="sorted"))

    async def _response(
        self, route: Route, request: Request, namespace: str, result: Any, *, repeated: bool
    ) -> Response:
        headers = {"Idempotency-Replayed": "true"} if repeated else {}
        status = 200
        if route.verb.name == "remember":
            headers["Location"] = f"{PREFIX}/memories/{result.id}"
            status = 200 if result.action == "skipped" else 201
        if isinstance(result, Memory) and route.verb.name in ("get", "update"):
            version = await self.spaces.run(lambda: self._version(namespace, result))
            if version is not None:
                headers["ETag"] = f'"{version}"'
                if route.verb.name == "get" and _has(request.headers.get("if-none-match", ""), headers["ETag"]):
                    return Response(status_code=304, headers=headers)
        if cursor := cursor_of(result):
            others = [each for each in request.query_params.multi_items() if each[0] != "after"]
            headers["Link"] = f'<{request.url.path}?{urlencode([*others, ("after", cursor)])}>; rel="next"'
        return Response(as_json(route.verb, result), status, headers, _JSON)

    def _version(self, namespace: str, shown: Memory) -> int | None:
        """Return the number of the last change of a memory; None if it was changed since it was read.

        With the tag of a version that it has not seen a client would overwrite it.
        """
        with self.spaces.engine(namespace).runtime.store.view(namespace) as reader:
            for key in reader.keys_of([shown.id]).values():
                (now,) = reader.memories([key])
                # An access is counted without a new version.
                used = {"access_count": shown.access_count, "last_accessed_at": shown.last_accessed_at}
                versions = reader.history(key)
                if msgspec.structs.replace(now, **used) == shown:
                    return versions[-1].number if versions else 0
        return None

    async def _lines(self, route: Route, namespace: str, arguments: dict[str, Any]) -> Response:
        """Answer with lines, which are written to a file first: a slow client must not hold a snapshot."""
        # Closed by the generator that reads it.
        file = tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", newline="\n")  # noqa: SIM115

        def write() -> None:
            engine = self.spaces.engine(namespace)
            if route.verb.name == "export":
                engine.store.export_to(cast(Any, file), **arguments)
            else:
                file.writelines(engine.audit.lines())
            file.seek(0)

        try:
            await self.spaces.run(write)
        except BaseException:
            file.close()
            raise
        return StreamingResponse(_parts(cast(IO[str], file)), media_type=_LINES)

    # -- other paths -------------------------------------------------------------------------------

    async def peer_search(self, request: Request) -> Response:
        """Answer a peer from the namespaces of its key, or the one that it names."""
        given = exactly(PEER, await read_json(request, self.spaces.limits))
        caller = self.access.authenticate(request.scope)
        asked = check_namespace(given.get("namespace") or "default")
        names = [asked] if caller.namespaces is None or asked in caller.namespaces else sorted(caller.namespaces)
        self.allowed(request, READ, names)
        engine = self.spaces.engine(names[0])
        limit = int(given.get("limit") or 10)
        answer = await self.spaces.run(lambda: engine.recall(given["query"], limit=limit, namespaces=names))
        results = [
            {
                "id": hit.memory.id,
                "text": hit.memory.content,
                "score": hit.score,
                "when": hit.memory.moment.isoformat(),
                "source": hit.memory.source,
            }
            for hit in answer
        ]
        return Response(msgspec.json.encode({"results": results}), media_type=_JSON)

    async def caller(self, request: Request) -> Response:
        """Say who calls, what the caller may do, and which presets can be asked."""
        caller = self.authenticate(request.scope)
        names = None if caller.namespaces is None else sorted(caller.namespaces)
        said = {"name": caller.name, "role": caller.role, "namespaces": names, "presets": presets.names()}
        return Response(msgspec.json.encode(said | {"version": __version__}), 200, _PRIVATE, _JSON)

    async def session(self, request: Request) -> Response:
        """Exchange the token in the address of `combray explore` for a key, once."""
        if not isinstance(self.access, OnceAccess):
            raise HttpError(404, "Only combray explore has a token to exchange.")
        given = exactly(SESSION, await read_json(request, self.spaces.limits))
        key = self.access.exchange(request.scope, given["token"])
        return Response(msgspec.json.encode({"key": key}), 200, _PRIVATE, _JSON)

    async def events(self, request: Request) -> Response:
        """Stream what changes in a namespace."""
        query = query_of(request)
        namespace = check_namespace(namespace_of(request, query))
        if query:
            raise HttpError(400, f"{min(query)!r} is not an argument of this path. It takes namespace.")
        self.allowed(request, READ, [namespace])
        last = request.headers.get("last-event-id")
        if last is not None and not (last.isascii() and last.isdecimal() and len(last) <= 18):
            raise HttpError(400, "Last-Event-ID must be the id of an event.")
        if self._streams >= self.spaces.limits.streams:
            raise HttpError(503, "Too many clients listen. Try again later.", headers={"Retry-After": "30"})
        engine = self.spaces.engine(namespace)
        number = await self._look(lambda: events.latest(engine)) if last is None else int(last)

        def over() -> bool:
            return self.stopping or not self._lets_in(request, namespace)

        stream = self._counted(events.events(engine, number, self._look, over))
        return StreamingResponse(
            stream,
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    def _lets_in(self, request: Request, namespace: str) -> bool:
        """Whether the key of a stream still lets it in: keys are revoked and expire while it runs."""
        try:
            return self.access.authenticate(request.scope).may(READ, namespace)
        except Refused:
            return False

    async def _counted(self, stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        self._streams += 1
        try:
            async for each in stream:
                yield each
        finally:
            self._streams -= 1

    async def _look(self, work: Callable[[], Any]) -> Any:
        """Run a short read in a thread that requests do not wait for."""
        if self._looking is None:
            self._looking = anyio.CapacityLimiter(4)
        return await anyio.to_thread.run_sync(work, limiter=self._looking)

    @cached_property
    def _description(self) -> bytes:
        return msgspec.json.encode(description())

    async def openapi(self, _request: Request) -> Response:
        """Describe the API."""
        return Response(await self._look(lambda: self._description), media_type=_JSON)

    async def docs(self, _request: Request) -> Response:
        """Show a page to try the API."""
        text = Path(__file__).with_name("docs.html").read_text(encoding="utf-8")
        policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'"
        return HTMLResponse(text, headers={"Content-Security-Policy": policy})

    async def health(self, _request: Request) -> Response:
        """Say that the process runs."""
        return Response(b'{"status":"ok"}', media_type=_JSON)

    async def ready(self, _request: Request) -> Response:
        """Say whether requests can be answered now."""
        if self.stopping or not await self._look(self.spaces.alive):
            raise HttpError(503, "The server is stopping, or its store does not answer.")
        return Response(b'{"status":"ready"}', media_type=_JSON)

    async def metrics(self, request: Request) -> Response:
        """Give the measures to Prometheus."""
        self.allowed(request, ADMIN, None)
        gauges = await self._look(lambda: of_store(self.spaces.first))
        gauges["combray_requests_working"] = [({}, self.spaces.working)]
        gauges["combray_streams"] = [({}, self._streams)]
        return Response(self.measures.lines(gauges), headers={"Content-Type": CONTENT_TYPE})


def _call(route: Route, arguments: dict[str, Any]) -> Call:
    several = variadic(route.verb)
    # A parameter that takes any number of values must be given, also if it is empty.
    return Call(route.verb, arguments | ({several: arguments.get(several, [])} if several else {}))


def _has(listed: str, tag: str) -> bool:
    """Return whether an If-None-Match names a tag (RFC 9110, 13.1.2): a list, in which weak tags count."""
    return listed.strip() == "*" or tag in (each.strip().removeprefix("W/") for each in listed.split(","))


def _wanted_version(request: Request) -> int | None:
    tag = request.headers.get("if-match")
    if tag is None or tag.strip() == "*":
        return None
    if (found := _VERSION.fullmatch(tag.strip())) is None:
        raise HttpError(400, 'If-Match must be the ETag of the memory, such as "3", or *.')
    return int(found[1])


def _parts(file: IO[str]) -> Iterator[str]:
    with file:
        while part := file.read(_CHUNK):
            yield part
