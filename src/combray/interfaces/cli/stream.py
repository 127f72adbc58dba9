"""The verb `stream`: turns of a conversation come in line by line, what to inject into the prompt goes out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from combray.errors import InvalidInputError
from combray.interfaces.cli.declared import command
from combray.interfaces.cli.options import Target
from combray.interfaces.cli.output import for_people, show_json, visible
from combray.sessions.messages import SPEAKERS

if TYPE_CHECKING:
    from combray.conversation.turns import Conversation
    from combray.prompt.budget import Context

_FIELDS = ("text", "content", "author", "occurred_at", "tool_results")


@command(pipelines=True)
def stream(
    target: Target, session: str, budget: int | None, system: str, wait: float, extract: str | None, once: bool
) -> None:
    """Answer each line of standard input with a context."""
    with target.open(to_write=True) as engine:
        talk = engine.conversation(session)
        if once:
            talk.wait(wait)
            _show(target, talk.context(budget, system=system))
            return
        for place, fields in _turns():
            results = fields.pop("tool_results", ())
            prefetched = talk.prefetched(wait)
            try:
                turn = talk.add(fields.pop("text"), extract=extract, **fields)
                made = talk.context(budget, tool_results=results, system=system, prefetched=prefetched)
            except InvalidInputError as error:
                raise InvalidInputError(f"line {place}: {error.field}", error.problem, error.remedy) from error
            saved = [{"id": each.id, "action": each.action} for each in talk.saved]
            _show(target, made, {"turn": turn.id, "saved": saved, "may_revise": _asked(talk)})


def _turns() -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of each line that is not blank, and its turn."""
    for place, raw in enumerate(sys.stdin.buffer, 1):
        try:
            line = raw.decode("utf-8-sig").strip()
        except UnicodeDecodeError as error:
            raise InvalidInputError(f"line {place}", "is not UTF-8 text.") from error
        if line.startswith("{"):
            yield place, _from_json(place, line)
        elif line:
            role, colon, text = line.partition(":")
            named = colon and role.strip().lower() in SPEAKERS
            yield place, _turn(role.strip().lower() if named else "user", text.strip() if named else line)


def _from_json(place: int, line: str) -> dict[str, Any]:
    try:
        given = json.loads(line)
    except ValueError as error:
        raise InvalidInputError(f"line {place}", f"is not JSON ({error}).", "Write one turn a line.") from error
    text = given.get("text", given.get("content")) if isinstance(given, Mapping) else None
    unknown = sorted(set(given) - set(_FIELDS)) if isinstance(given, Mapping) else []
    if not isinstance(text, str) or unknown:
        problem = f"has the unknown field {unknown[0]!r}." if unknown else 'has no "text".'
        raise InvalidInputError(
            f"line {place}", problem, 'Fields: "text", "author", "occurred_at", "tool_results".'
        )
    more = {name: given[name] for name in ("occurred_at", "tool_results") if given.get(name) is not None}
    return _turn(str(given.get("author") or "user"), text) | more


def _turn(author: str, text: str) -> dict[str, Any]:
    """Return the fields of `Conversation.add`. An assistant and a tool are trusted less than a user."""
    return {"text": text, "author": author, "trust": SPEAKERS.get(author)}


def _asked(talk: Conversation) -> list[dict[str, Any]]:
    """What the turn, and each fact that was saved of it, may change: for 'combray settle'."""
    found = {**talk.may_revise, **{each.id: each.may_revise for each in talk.saved}}
    return [{"new": new, **each.as_json()} for new, several in found.items() for each in several]


def _show(target: Target, made: Context, about: Mapping[str, Any] | None = None) -> None:
    if for_people(target):
        click.echo(visible(made.text))
        click.echo(f"{made.tokens} of {made.budget} tokens · {made.state}", err=True)
    else:
        show_json({**(about or {}), **asdict(made)}, indent=None)
