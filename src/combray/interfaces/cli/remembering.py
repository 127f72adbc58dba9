"""The verbs that store what is said: `remember` a text or the lines of a file, and `stream` turns."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.errors import CombrayError, InvalidInputError
from combray.interfaces.cli.failures import NOTHING_FOUND, say
from combray.interfaces.cli.options import Target, command
from combray.interfaces.cli.output import (
    ACTION_COLOURS,
    console,
    for_people,
    moment,
    progress,
    short,
    show_json,
    styled,
    visible,
)
from combray.interfaces.cli.reading import lines_of
from combray.sessions.messages import SPEAKERS

if TYPE_CHECKING:
    from combray.conversation.turns import Conversation
    from combray.engine import Engine
    from combray.prompt.budget import Context
    from combray.types import Remembered

_SUGGESTIONS = 3
_REFUSALS = 20
"""Refused lines that are printed."""
_WORDS = {"untrusted": "added as untrusted"}
"""Words for what became of a text, where its name alone would mislead."""
_FIELDS = ("text", "content", "author", "occurred_at", "tool_results")


@command(pipelines=True)
def remember(
    target: Target, text: str | None, file: Path | None, no_diff: bool, atomic: bool, **fields: Any
) -> None:
    """Remember a text or the lines of a file, and print what became of it."""
    if (text is None) == (file is None):
        raise click.UsageError("remember needs one text. Give TEXT, - for standard input, or --file FILE.")
    if file is not None:
        lines = lines_of(file)
        with target.open(to_write=True) as engine:
            results = _remember_lines(engine, lines, fields, diff=not no_diff, atomic=atomic)
        _show_lines(results, [number for number, _ in lines], people=for_people(target))
        return
    assert text is not None  # noqa: S101 - one of both is given
    with target.open(to_write=True) as engine:
        done = engine.remember(text, diff=not no_diff, **fields)
        if not for_people(target):
            show_json(done.as_json())
            return
        _show(done)
        if done.may_revise:
            _ask(target, engine, done)


def _ask(target: Target, engine: Engine, done: Remembered) -> None:
    from combray.interfaces.cli.review import Question, ask, can_ask

    console().print("This may change:", style="yellow")
    if can_ask(target):
        candidates = done.may_revise
        ask(engine, [Question(done.id, e.id, e.content, e.at, e.score, e.reason) for e in candidates])
        return
    for each in done.may_revise:
        said = f"  {moment(each.at)}  {short(each.content)}\n    combray settle {done.id} {each.id} VERDICT"
        console().print(said, soft_wrap=True)


def _remember_lines(
    engine: Engine, lines: list[tuple[int, str]], fields: dict[str, Any], *, diff: bool, atomic: bool
) -> list[Remembered]:
    stored = 0

    def report(done: int) -> None:
        nonlocal stored
        stored = done
        step(done)

    with progress("Remembering", len(lines)) as step:
        try:
            items: Any = ({"content": line, **fields} for _, line in lines)
            return engine.remember_many(items, diff=diff, progress=report, atomic=atomic)
        except InvalidInputError as error:
            if error.field != "content":
                raise
            again = "Earlier lines are stored. Fix the file and run the command again; duplicates are skipped."
            raise InvalidInputError(
                f"a line from {lines[stored][0]} on", error.problem, f"{error.remedy} {again}"
            ) from error
        except (CombrayError, KeyboardInterrupt):
            if stored:
                next_one = f"Go on with line {lines[stored][0]}" if stored < len(lines) else "All are stored"
                again = ", or run the command again: duplicates are skipped" if diff else ""
                say(f"{stored} of {len(lines)} lines are stored. {next_one}{again}.")
            raise


def _show_lines(done: list[Remembered], numbers: list[int], *, people: bool) -> None:
    """Print counts, and the lines that were refused. The exit code is 1 if one was."""
    counts = Counter(each.action for each in done)
    usual = {action: counts.get(action, 0) for action in ("added", "replaced", "skipped")}
    summary = usual | {each: counts[each] for each in ("untrusted", "quarantined", "refused") if counts[each]}
    numbered = list(zip(numbers, done, strict=True))
    refused = [(number, each.reason) for number, each in numbered if each.action == "refused"]
    if people:
        parts = ", ".join(f"{count} {action}" for action, count in summary.items() if count)
        console().print(
            f"Remembered {len(done) - len(refused)} of {len(done)} lines: {parts or 'nothing to do'}."
        )
        for number, reason in refused[:_REFUSALS]:
            console().print(f"line {number}: {visible(reason)}", style="red", soft_wrap=True)
        if len(refused) > _REFUSALS:
            console().print(f"and {len(refused) - _REFUSALS} more; --json lists all", style="red")
        if asking := sum(1 for each in done if each.may_revise):
            console().print(f"{asking} may change earlier memories: combray review --changes")
    else:
        show_json({**summary, "results": [_as_json(each, number) for number, each in numbered]})
    if refused:
        raise click.exceptions.Exit(NOTHING_FOUND)


def _as_json(done: Remembered, line: int) -> dict[str, Any]:
    if done.action == "refused":
        return {"line": line, **done.as_json()}
    asked = {"may_revise": [each.as_json() for each in done.may_revise]} if done.may_revise else {}
    decided = {"action": done.action, "diff_suggestion": done.diff_suggestion, "replaced_id": done.replaced_id}
    return {"id": done.id, **decided, **asked}


def _show(done: Remembered) -> None:
    from combray.engine.graph import worth_linking

    out = console()
    became = _WORDS.get(done.action, done.action)
    out.print(styled("").append(became, ACTION_COLOURS[done.action]).append("  ").append(done.id, "dim"))
    if done.reason:
        out.print(f"  {visible(done.reason)}")
    if done.replaced_id:
        out.print(f"  supersedes {done.replaced_id} (undo with combray restore)")
    edges = ", ".join(f"{count} {kind}" for kind, count in done.edges_created.items() if count)
    if edges:
        out.print(f"  edges: {edges}")
    for warning in done.quality_warnings:
        out.print(styled(f"  note: {warning}", "yellow"))
    for candidate in worth_linking(done)[:_SUGGESTIONS]:
        # Without vectors a similarity is one of words, and has no cosine.
        cosine = candidate.get("cosine")
        similar = "similar" if cosine is None else f"similar, {cosine:.2f}"
        sign = candidate.get("suggested_sub_type") or similar
        out.print(f"  maybe related ({sign}): {short(str(candidate['content']))}", style="dim", no_wrap=True)
    if done.auto_pruned:
        out.print(f"  {done.auto_pruned} of the least important memories were hidden (undo with combray restore)")


@command(pipelines=True)
def stream(
    target: Target, session: str, budget: int | None, system: str, wait: float, extract: str | None, once: bool
) -> None:
    """Answer each line of standard input with a context."""
    with target.open(to_write=True) as engine:
        talk = engine.conversation(session)
        if once:
            talk.wait(wait)
            _show_context(target, talk.context(budget, system=system))
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
            _show_context(target, made, {"turn": turn.id, "saved": saved, "may_revise": _asked(talk)})


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
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"line {place}", f"is not JSON ({error}).", "Write one turn a line.") from error
    text = given.get("text", given.get("content"))
    unknown = sorted(set(given) - set(_FIELDS))
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


def _show_context(target: Target, made: Context, about: Mapping[str, Any] | None = None) -> None:
    if for_people(target):
        click.echo(visible(made.text))
        click.echo(f"{made.tokens} of {made.budget} tokens · {made.state}", err=True)
    else:
        show_json({**(about or {}), **asdict(made)}, indent=None)
