"""What the server offers beside tools: resources, their updates whichever process wrote, and prompts."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any

import anyio.to_thread
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import ResourceUpdated
from mcp_types import (
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)
from pydantic import Field

from combray.errors import CombrayError
from combray.interfaces.mcp import lines
from combray.interfaces.mcp.results import Tools

RECENT = "memory://recent"
PROFILE = "memory://profile"
_RECENT = 20
_PROFILE = 50
Request = ServerRequestContext[Any, Any]
PAUSE = 1.0
"""Seconds between two looks at the store's revision."""
_log = logging.getLogger(__name__)


class Resources(Tools):
    """What the resources show. Each text begins with the notice that it is stored data."""

    def recent(self) -> str:
        """Return the latest memories, one short line each."""
        return self._listed(None, "-recorded_at", _RECENT)

    def profile(self) -> str:
        """Return preferences, the most important first."""
        return self._listed({"category": "preference"}, "-importance", _PROFILE)

    def memory(self, id: str) -> str:
        """Return one memory in full; a unique prefix of its id is enough."""
        try:
            memory = self._engine.get(id)
        except CombrayError as error:
            # Anything else is a failure of the server to the SDK.
            raise ResourceNotFoundError(str(error)) from error
        return f"{lines.NOTICE}\n{lines.whole(memory, bounded=False)}"

    def _listed(self, where: dict[str, Any] | None, order: str, limit: int) -> str:
        page = self._engine.list(where, order=order, limit=limit, namespaces=self._namespaces)
        names = self._short(each.id for each in page)
        return "\n".join([lines.NOTICE, *(lines.short(each, names[each.id]) for each in page)])


def add_resources(server: MCPServer[Any], shown: Resources) -> None:
    """Register the resources of a profile."""
    plain = "text/plain"
    server.resource(
        RECENT, name="recent", title="Recent memories", description="The 20 latest memories.", mime_type=plain
    )(shown.recent)
    server.resource(
        PROFILE,
        name="profile",
        title="Profile",
        description="Preferences, the most important first.",
        mime_type=plain,
    )(shown.profile)
    server.resource(
        "memory://memory/{id}",
        name="memory",
        title="Memory by id",
        description="One memory in full. The id may be a unique prefix.",
        mime_type=plain,
    )(shown.memory)


def recall(topic: Annotated[str, Field(description="A question, person, project or keyword.")]) -> str:
    """Search memory for a topic and report what is known, with dates."""
    return (
        f"Search long-term memory for: {topic}\n\nUse the tool recall. Report what is known, each "
        "statement with its date and id. Say which statements are outdated or contradict one another. "
        "If nothing is found, say so."
    )


def review() -> str:
    """Review recent memories and open contradictions with the user."""
    return (
        "Review long-term memory with me. Read the resource memory://recent. List statements that look wrong, "
        "outdated, duplicated or contradictory, each with its id. Ask me about each before you change it with "
        "update_memory, settle_memories or forget."
    )


def remember_session() -> str:
    """Store what matters from this conversation."""
    return (
        "Go through our conversation. Store each decision, preference, fact and open question that will "
        "matter in a later conversation with the tool remember, one statement per call, clear without this "
        "conversation. Recall first and store nothing that is known already. Do not store secrets or small talk. "
        "Then list what you stored."
    )


PROMPTS = [
    Prompt.from_function(recall, title="Recall a topic", description=recall.__doc__),
    Prompt.from_function(review, title="Review memory", description=review.__doc__),
    Prompt.from_function(
        remember_session,
        name="remember-session",
        title="Remember this session",
        description=remember_session.__doc__,
    ),
]
"""The prompts in the order in which they are listed."""


class Updates:
    """The subscriptions of one server, and the content that their clients know.

    The store's revision is read once a second while somebody subscribes, and after each write of this server. If
    it has grown, each resource with a subscriber is read again, and an update is sent for what has changed.
    """

    def __init__(self, revision: Callable[[], int]) -> None:
        self.bus = InMemorySubscriptionBus()
        self._revision = revision
        self._seen = -1
        self._known: dict[str, str | None] = {}
        self._listeners: Counter[str] = Counter()
        self._sessions: dict[Connection, tuple[ServerSession, set[str]]] = {}
        self._checking = asyncio.Lock()
        self._watch: asyncio.Task[None] | None = None
        self._server: MCPServer[Any] | None = None

    def serve(self, server: MCPServer[Any]) -> None:
        """Answer the subscription requests of every protocol revision."""
        self._server = server
        # The SDK offers no public way to serve these methods beside its own.
        lowlevel = server._lowlevel_server
        listen = _Listen(self)
        lowlevel.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, listen)
        lowlevel.add_request_handler("resources/subscribe", SubscribeRequestParams, self._subscribe)
        lowlevel.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, self._unsubscribe)

    async def check(self) -> None:
        """Send an update for each subscribed resource whose content changed. Cheap if nothing was written."""
        if not self._wanted():
            return
        async with self._checking:
            revision = await anyio.to_thread.run_sync(self._revision)
            if revision == self._seen:
                return
            self._seen = revision
            for uri in sorted(self._wanted()):
                content = await self._content(uri)
                if content != self._known.get(uri):
                    self._known[uri] = content
                    await self._send(uri)

    async def known(self, uris: set[str]) -> None:
        """Record the content of resources before a subscription is acknowledged."""
        async with self._checking:
            for uri in uris - self._known.keys():
                self._known[uri] = await self._content(uri)
            if self._watch is None or self._watch.done():
                self._seen = -1
                self._watch = asyncio.get_running_loop().create_task(self._watching())

    def listening(self, uris: set[str], change: int) -> None:
        """Count the streams that listen to resources."""
        for uri in uris:
            self._listeners[uri] += change
        self._forget()

    async def _watching(self) -> None:
        while self._wanted():
            await asyncio.sleep(PAUSE)
            try:
                await self.check()
            except Exception:  # noqa: BLE001 - a store that is busy or away may come back
                _log.exception("the store's revision cannot be read; trying again")

    def _wanted(self) -> set[str]:
        wanted = {uri for uri, count in self._listeners.items() if count > 0}
        return wanted.union(*(uris for _, uris in self._sessions.values()))

    def _forget(self) -> None:
        # A client may listen to any number of resources, one after another.
        self._listeners = +self._listeners
        for uri in self._known.keys() - self._wanted():
            del self._known[uri]

    async def _content(self, uri: str) -> str | None:
        assert self._server is not None  # noqa: S101 - `serve` comes first
        try:
            found = await self._server.read_resource(uri)
        except Exception:  # noqa: BLE001 - a memory that is forgotten or does not exist yet has no content
            return None
        return "\n".join(str(each.content) for each in found)  # type: ignore[union-attr]

    async def _send(self, uri: str) -> None:
        await self.bus.publish(ResourceUpdated(uri=uri))
        for connection, (session, uris) in list(self._sessions.items()):
            if uri in uris:
                try:
                    await session.send_resource_updated(uri)
                except Exception:  # noqa: BLE001 - a client that left; the others must hear
                    self._left(connection)

    async def _subscribe(self, request: Request, params: SubscribeRequestParams) -> EmptyResult:
        uri = str(params.uri)
        await self.known({uri})
        connection = _connection(request)
        if connection not in self._sessions:
            self._sessions[connection] = request.session, set()
            connection.exit_stack.callback(self._left, connection)
        self._sessions[connection][1].add(uri)
        return EmptyResult()

    async def _unsubscribe(self, request: Request, params: UnsubscribeRequestParams) -> EmptyResult:
        if found := self._sessions.get(_connection(request)):
            found[1].discard(str(params.uri))
        self._forget()
        return EmptyResult()

    def _left(self, connection: Connection) -> None:
        self._sessions.pop(connection, None)
        self._forget()


def _connection(request: Request) -> Connection:
    # The session is made anew for each request; what outlives it has no public name.
    return request.session._connection


class _Listen(ListenHandler):
    def __init__(self, updates: Updates) -> None:
        super().__init__(updates.bus)
        self._updates = updates

    async def __call__(self, ctx: Request, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        uris = set(map(str, params.notifications.resource_subscriptions or ()))
        self._updates.listening(uris, 1)
        try:
            await self._updates.known(uris)
            return await super().__call__(ctx, params)
        finally:
            self._updates.listening(uris, -1)
