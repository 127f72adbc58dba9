"""The reference of the HTTP API, from its routes."""

from __future__ import annotations

from collections.abc import Iterator

from combray.server.access import Limits
from combray.server.description import REFUSALS
from combray.server.problems import STATUSES
from combray.server.routes import PREFIX, Route, item_parameters, routes

INTRODUCTION = """\
# The HTTP API

`combray serve` serves it ([how](../howto/serve.md)). Its description is at `/v1/openapi.json` (OpenAPI 3.1), a
page to try it at `/v1/docs`. Paths and arguments are made from [the verbs](verbs.md).

- **Namespace**: the header `Combray-Namespace` or the query parameter `namespace`; without one, `default`.
- **Arguments**: `GET` and `DELETE` take them in the query, a list by repeating its name; the others in a JSON
  object. An unknown argument is an error. `filter` is [the filter language](filters.md); in a query it is JSON.
- **Answers**: a list is `{"results": […]}`, a plain value `{"result": …}`. `GET /v1/memories` gives `memories`,
  `total` and `cursor`; pass it as `after`, or follow the header `Link`.
- **Idempotency-Key**: a write with this header is carried out once, however often it is sent, also after a
  restart. The receipt is kept for 24 hours, in the transaction of the write. The answer to a repeated request has
  `Idempotency-Replayed: true`; it has the ids, but not the advice that the first one gave. A verb that writes in
  several transactions keeps it with the first.
- **Versions**: `GET` and `PATCH` of a memory give an `ETag`, unless it was changed while they were answered.
  `PATCH` with `If-Match` changes only that version.
- **Null** in a `PATCH` clears a field; elsewhere it is the default.
- **Names in paths** cannot contain a slash.
"""


def page() -> str:
    """The whole page."""
    return "\n".join(
        [INTRODUCTION, *_table(), *_batch(), *_own(), *_events(), *_errors(), *_statuses(), *_limits(), ""]
    )


def _table() -> Iterator[str]:
    yield from ("## Paths", "", "| path | verb | rights | arguments | |", "|---|---|---|---|---|")
    for each in sorted(routes(), key=lambda route: (route.path.split("/")[1], route.path, route.method)):
        verb = each.verb
        yield (
            f"| `{each.method} {PREFIX}{each.path}` | {verb.name} | {verb.rights}{', whole store' * verb.whole} "
            f"| {_arguments(each)} | {verb.summary} |"
        )
    yield ""


def _arguments(route: Route) -> str:
    listed = [f"**`{name}`**" if each.required else f"`{name}`" for name, each in route.known.items()]
    return ", ".join(listed)


def _batch() -> Iterator[str]:
    names = ", ".join(f"`{name}`" for name in item_parameters())
    yield f"Arguments in bold are required. An item of a batch has the fields of a memory: {names}."
    yield from ("A batch is one transaction: all of it is stored, or nothing, unless `atomic` is false.", "")


def _own() -> Iterator[str]:
    yield from ("## Other paths", "", "| path | |", "|---|---|")
    yield f"| `GET {PREFIX}/events` | what changes in a namespace, as server-sent events (read) |"
    yield f"| `POST {PREFIX}/search` | [the peer protocol](peer-protocol.md) (read) |"
    yield f"| `GET {PREFIX}/openapi.json`, `GET {PREFIX}/docs` | the description, and a page to try it |"
    yield "| mem0's paths | if `COMBRAY_MEM0_API` is set: [mem0's clients](../howto/replace-a-mem0-server.md) |"
    yield "| `GET /health`, `GET /ready` | the process runs; the store answers |"
    yield "| `GET /metrics` | requests, seconds, memories, vectors to make, for Prometheus (admin, whole store) |"
    yield from ("| `POST /mcp` | [MCP](mcp.md) over streamable HTTP, in the namespace of the header |", "")


def _events() -> Iterator[str]:
    yield from (
        "## Events",
        "",
        "An event is a line of the operation log: its name is the operation, its data an object with `number`,",
        "`at`, `operation`, `memory_id` and `detail`. It holds no text. A write of many memories is one event",
        "without an id. `Last-Event-ID` gives all events after that one; without it, only those from now on.",
        "",
    )


def _errors() -> Iterator[str]:
    yield from (
        "## Errors",
        "",
        "Errors are `application/problem+json`: `type`, `title`, `status`, `detail`, and where they are known",
        "`argument` and `remedy`.",
        "",
        "| status | |",
        "|---|---|",
    )
    yield from (f"| {status} | {about} |" for status, about in REFUSALS.items())
    yield ""


def _statuses() -> Iterator[str]:
    yield from ("| exception | status |", "|---|---|")
    yield from (f"| [`{kind.__name__}`](exceptions.md) | {status} |" for kind, status in STATUSES.items())
    yield ""


def _limits() -> Iterator[str]:
    limits = Limits()
    yield from (
        "## Limits",
        "",
        f"A body may have {limits.body:,} bytes, one of a batch {limits.batch:,}. A request may take "
        f"{limits.seconds:g} seconds;",
        f"then it ends at its next stage with nothing written. {limits.threads} requests work at once, "
        f"{limits.requests} work or wait, and {limits.streams} clients",
        "listen to events. `combray serve` has options for [three of them](shell.md).",
    )
