"""What a request to forget takes, as a tool result. Quarantined texts are not shown to the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult

from combray.interfaces.mcp import lines
from combray.interfaces.mcp.results import result

if TYPE_CHECKING:
    from combray.engine.requests import Match, Taken


def taken(found: Taken, shorten: Callable[[Iterable[str]], Mapping[str, str]]) -> CallToolResult:
    """Return a preview by groups, or the count of what was forgotten. `shorten` gives full id -> shown id."""
    names = shorten(each.memory.id for each in found.shown)
    groups = {"certain": found.certain, "derived": found.derived, "possible": found.possible}
    listed = {
        title: [{"id": each.memory.id, "text": _shown(each, names), "why": each.why} for each in group]
        for title, group in groups.items()
    }
    structured: dict[str, Any] = {
        "ids": list(found.ids),
        "count": found.count,
        "dry_run": found.dry_run,
        **listed,
    }
    if not found.dry_run:
        return result([f"forgotten: {found.count} memories"], structured)
    said = []
    for title, group in groups.items():
        note = " (taken only if included)" if title == "possible" else ""
        said += [f"{title}{note}:"] if group else []
        said += [f"{_shown(each, names)} ({lines.one_line(each.why, lines.WIDTH)})" for each in group]
    last = f"Nothing is forgotten yet: give confirm {found.count}."
    if not found.count:
        last = "Nothing matches for certain." if found.possible else "Nothing matches."
        last += " To forget a possible match, give its id in include." if found.possible else ""
    return result([lines.NOTICE, *said, last], structured)


def _shown(match: Match, names: Mapping[str, str]) -> str:
    name = names[match.memory.id]
    return f"[{name}] (quarantined)" if match.memory.trust == "quarantined" else lines.short(match.memory, name)
