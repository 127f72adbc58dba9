"""The verbs that ask for attention: `gc`, `review`, `release`, and `settle` with the question of a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from combray.errors import InvalidInputError, NotFoundError
from combray.interfaces.cli.options import Target, command
from combray.interfaces.cli.output import (
    answer,
    compact,
    console,
    for_people,
    moment,
    pairs,
    short,
    show_rows,
    visible,
)
from combray.records import dataclass
from combray.types import LIVE_STATUSES, Verdict

if TYPE_CHECKING:
    from datetime import datetime

    from combray import Engine, Memory, Replaced, Unsettled

_ACTIONS = {"keep": "combray gc --keep ID", "forget": "combray forget ID", "erase": "combray erase ID"}
_FACTS = ("effective_importance", "days_since_access", "edge_count", "immune")
_KEYS: dict[str, Verdict] = {"s": "supersedes", "b": "both", "c": "corrects", "a": "same"}
_LATER = ("l", "\r", "\n", " ")
_QUESTION = "(s)upersedes, (b)oth, (c)orrects, s(a)me, (l)ater?"
_SAID = {
    "supersedes": "{old} is superseded",
    "corrects": "{old} is superseded; it was never true",
    "same": "{old} is merged into {new}",
    "both": "both hold",
    "open": "the two are open again",
}
_THEN = {"supersedes": "superseded by", "corrects": "corrected by", "same": "merged into"}
_TEXT = 70


@command()
def gc(target: Target, threshold: float, limit: int, keep: str | None) -> None:
    """Print the candidates, or keep one."""
    with target.open() as engine:
        if keep is not None:
            memory = engine.retention.keep(keep)
            said = f"{memory.id} now counts as used {memory.access_count} times."
            answer(target, said, id=memory.id, status="kept", access_count=memory.access_count)
            return
        candidates = engine.retention.candidates(threshold=threshold, limit=limit)
    listed = [compact(each.memory) | {name: getattr(each, name) for name in _FACTS} for each in candidates]
    rows = []
    for each in candidates:
        matters, days = f"{each.effective_importance:.2f}", f"{each.days_since_access:.0f}"
        rows.append((matters, days, str(each.edge_count), "yes" if each.immune else "", each.memory))
    show_rows(
        target,
        {"threshold": threshold, "candidates": listed, "actions": _ACTIONS},
        ("matters", "days", "edges", "immune", "memory"),
        rows,
        none=f"No memory has an effective importance below {threshold:g}.",
        hint="Nothing was removed. " + " · ".join(_ACTIONS.values()),
    )


@command()
def review(target: Target, limit: int, quarantined: bool, set_aside: bool, doubtful: bool, changes: bool) -> None:
    """Print what needs attention."""
    if quarantined + set_aside + doubtful + changes > 1:
        raise click.UsageError(
            "--changes, --quarantined, --set-aside and --doubtful exclude each other. Give one of them."
        )
    named = {_quarantined: quarantined, _set_aside: set_aside, _doubtful: doubtful, _changes: changes}
    for show, wanted in named.items():
        if wanted:
            show(target, limit)
            return
    with target.open() as engine:
        reviewed = engine.retention.review(limit=limit)
        waiting = for_people(target) and engine.unsettled(1)
        given_up = for_people(target) and engine.extraction.set_aside(1)
    plain = [compact(each.memory) | {"quality_warnings": each.warnings} for each in reviewed]
    rows = ((str(len(each.warnings)), "; ".join(each.warnings), each.memory) for each in reviewed)
    show_rows(target, plain, ("#", "warnings", "memory"), rows, none="No memory needs attention.")
    if waiting:
        console().print("Memories may be outdated: combray review --changes")
    if given_up:
        console().print("Turns were not read by the language model: combray review --set-aside")


def _quarantined(target: Target, limit: int) -> None:
    with target.open() as engine:
        found = engine.quarantine.list(limit=limit)
    listed = []
    for each in found:
        why: dict[str, Any] = {"reasons": each.reasons, "claimed": each.claimed}
        listed.append(compact(each.memory) | why | ({"place": each.place} if each.place else {}))
    show_rows(
        target,
        listed,
        ("why", "memory"),
        (("; ".join(filter(None, (each.place, *each.reasons))), each.memory) for each in found),
        none="The quarantine is empty.",
        hint="combray release ID [--trust owner] · combray forget ID · combray erase ID",
    )


def _set_aside(target: Target, limit: int) -> None:
    with target.open() as engine:
        found = engine.extraction.set_aside(limit=limit)
    show_rows(
        target,
        [compact(each.memory) | {"attempts": each.attempts, "error": each.error} for each in found],
        ("error", "turn"),
        ((each.error, each.memory) for each in found),
        none="No turn was set aside.",
        hint="combray worker --once --retry-failed",
    )


def _doubtful(target: Target, limit: int) -> None:
    with target.open() as engine:
        found = engine.consolidation.waiting()[:limit]
    rows = []
    for each in found:
        older, newer = (f"{short(memory.content, 60)}\n{memory.id}" for memory in (each.first, each.second))
        rows.append((older, newer, each.reason))
    show_rows(
        target,
        pairs(found),
        ("older", "newer", "why"),
        rows,
        none="No pair of facts is undecided.",
        hint="Resolve with combray forget ID or combray remember TEXT.",
    )


@command()
def release(target: Target, memory_id: str, trust: str) -> None:
    """Release, and print the trust from now on."""
    with target.open() as engine:
        memory = engine.quarantine.release(memory_id, trust)
    said = f"{memory.id} is released as {memory.trust} and can be recalled."
    answer(target, said, id=memory.id, status="released", trust=memory.trust)


@dataclass(frozen=True, slots=True)
class Question:
    """A pair to ask about: the ids, and text, date, score and reason of the earlier memory."""

    new: str
    old: str
    text: str
    at: datetime
    score: float
    reason: str


def can_ask(target: Target) -> bool:
    """Whether somebody sits at a terminal."""
    return for_people(target) and sys.stdin.isatty()


def ask(engine: Engine, questions: Sequence[Question]) -> bool:
    """Ask about each pair, one key each. Return False after Ctrl-C, which leaves the rest for later."""
    out = console()
    for number, each in enumerate(questions, 1):
        why = f" ({each.score:.2f}: {visible(each.reason)})"
        out.print(f"  [{number}] {moment(each.at)}  {short(each.text, _TEXT)}", style="bold", soft_wrap=True)
        out.print(f"      {each.old}{why}", style="dim", soft_wrap=True)
        try:
            verdict = _answered()
        except (KeyboardInterrupt, EOFError):
            click.echo("later")
            return False
        if verdict is None:
            continue
        try:
            engine.settle(each.new, each.old, verdict)
        except (InvalidInputError, NotFoundError) as error:
            # Somebody else settled it meanwhile.
            out.print(f"      {visible(str(error))}", style="yellow", soft_wrap=True)
            continue
        out.print(f"      {_SAID[verdict].format(new=each.new, old=each.old)}", style="green", soft_wrap=True)
    return True


def _answered() -> Verdict | None:
    """The verdict of one key; None for later. Raises KeyboardInterrupt, EOFError."""
    click.echo(f"      {_QUESTION} ", nl=False)
    while True:
        typed = click.getchar().lower()
        # Keys that were pressed fast come at once. An arrow key is an escape sequence, which ends in a letter.
        for key in "" if typed.startswith("\x1b") else typed:
            if key in _KEYS or key in _LATER:
                click.echo(_KEYS.get(key, "later"))
                return _KEYS.get(key)


@command()
def settle(target: Target, new: str, old: str, verdict: Verdict, reason: str, all_earlier: bool) -> None:
    """Settle, and print what holds."""
    with target.open() as engine:
        done = engine.settle(new, old, verdict, reason, all_earlier=all_earlier)
    back = f" ({done.undone} is taken back)" if done.undone else ""
    more = f"; so for {len(done.others)} more: {', '.join(done.others)}" if done.others else ""
    said = f"{_SAID[done.verdict].format(new=done.new, old=done.old)}{back}{more}."
    told: dict[str, object] = {"verdict": done.verdict, "undone": done.undone}
    told |= {"others": list(done.others)} if done.others else {}
    answer(target, said, new=done.new, old=done.old, **told)


def _changes(target: Target, limit: int) -> None:
    """List the open pairs; at a terminal, ask about each."""
    with target.open() as engine:
        found = engine.unsettled(limit)
        if found and can_ask(target):
            _ask_one_by_one(engine, found)
            return
    plain = []
    for each in found:
        ends = {"new": compact(each.new), "old": compact(each.old)}
        plain.append({**ends, "score": round(each.score, 4), "reason": each.reason})
    show_rows(
        target,
        plain,
        ("score", "later", "may change", "why"),
        ((f"{each.score:.2f}", _end(each.new), _end(each.old), each.reason) for each in found),
        none="No memory waits to be settled.",
        hint="Settle with combray settle NEW OLD supersedes|corrects|same|both.",
        unbroken=("score",),
    )


def _ask_one_by_one(engine: Engine, pairs: Sequence[Unsettled]) -> None:
    for each in pairs:
        # An answer before may have replaced one of the two.
        if any(engine.get(end.id).status not in LIVE_STATUSES for end in (each.new, each.old)):
            continue
        console().print(f"{moment(each.new.moment)}  {short(each.new.content, _TEXT)}", soft_wrap=True)
        old = each.old
        if not ask(engine, [Question(each.new.id, old.id, old.content, old.moment, each.score, each.reason)]):
            return


def _end(memory: Memory) -> str:
    return f"{short(memory.content, 60)}\n{moment(memory.moment)} {memory.id}"


def show_chain(target: Target, steps: Sequence[Replaced]) -> None:
    """Print a chain, earliest first: each memory with what replaced it and why."""
    told = [{"verdict": each.verdict, "by": each.by, "reason": each.reason} if each.by else {} for each in steps]
    plain = [compact(each.memory) | why for each, why in zip(steps, told, strict=True)]
    # A chain has at least two memories.
    rows = map(_link, steps if len(steps) > 1 else ())
    show_rows(
        target, plain, ("from", "memory", "then"), rows, none="It replaced no memory, and none replaced it."
    )


def _link(step: Replaced) -> tuple[str, str, str]:
    memory = step.memory
    then = f"{_THEN[step.verdict]} {step.by}" if step.by else ""
    text = f"{short(memory.content)}\n{memory.id}"
    return moment(memory.valid_from or memory.moment), text, "\n".join(filter(None, (then, step.reason)))
