"""Verbs about one memory: `get`, `forget`, `restore`, `erase`, `history`."""

from __future__ import annotations

import re
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import Verb, nothing_found
from combray.interfaces.cli.options import Target, opens_store
from combray.interfaces.cli.output import console, for_people, full, moment, short, show_json, table, visible

if TYPE_CHECKING:
    from combray.audit.erasure import Certificate

_ID = click.argument("memory_id", metavar="ID")


_CITATION = re.compile(r"(?i)(.+\.(?:md|jsonl))(?:#L(\d{1,9})(?:-L(\d{1,9}))?)?")


@click.command(cls=Verb, examples=("combray get 019a1b2c-3d4e", "combray get memory/2025-11-27.md#L3-L9"))
@click.argument("memory_id", metavar="ID|PATH")
@opens_store()
def get(target: Target, memory_id: str) -> None:
    """Show one memory, whole, or lines of an indexed file.

    ID is its id, or the beginning of it: 8 characters or more, if no other id begins so. PATH is that of an
    indexed Markdown file or transcript; #L3-L9 behind it names lines.
    """
    cited = _CITATION.fullmatch(memory_id)
    if cited is not None:
        _get_lines(target, *cited.groups())
        return
    with target.open() as engine:
        memory = engine.get(memory_id)
    fields = full(memory)
    if not for_people(target):
        show_json(fields)
        return
    shown = table("field", "value")
    for name, value in fields.items():
        if value not in (None, "", (), {}):
            shown.add_row(name, visible(_in_words(value)))
    console().print(shown)


def _get_lines(target: Target, path: str, first: str | None, last: str | None) -> None:
    start = int(first) if first else None
    lines = int(last or first or 0) - (start or 0) + 1 if start else None
    with target.open() as engine:
        excerpt = engine.documents.read(path, start=start, lines=lines)
    if for_people(target):
        console().print(visible(excerpt.text))
        for first_apart, last_apart in excerpt.quarantined:
            lines_apart = f"Lines {first_apart} to {last_apart} are in quarantine; no model is shown them"
            console().print(f"{lines_apart}: combray review --quarantined", style="yellow")
        if excerpt.next_line:
            console().print(f"More: combray get {visible(path)}#L{excerpt.next_line}", style="dim")
    else:
        show_json(excerpt.as_json())
    if not excerpt.text:
        nothing_found(f"{path} has no such lines, or is not there.")


def _in_words(value: Any) -> str:
    if isinstance(value, datetime):
        return moment(value)
    return ", ".join(value) if isinstance(value, tuple) else str(value)


@click.command(cls=Verb, examples=("combray forget ID",))
@_ID
@opens_store()
def forget(target: Target, memory_id: str) -> None:
    """Hide a memory from recall; nothing is destroyed."""
    with target.open() as engine:
        memory = engine.forget(memory_id)
    _tell(target, memory.id, memory.status, "hidden from recall; combray restore brings it back")


@click.command(cls=Verb, examples=("combray restore ID",))
@_ID
@opens_store()
def restore(target: Target, memory_id: str) -> None:
    """Bring back a memory that was forgotten, replaced or hidden."""
    with target.open() as engine:
        memory = engine.restore(memory_id)
    _tell(target, memory.id, memory.status, "recalled again")


@click.command(cls=Verb, examples=("combray erase ID --yes", "combray erase ID --prove"))
@_ID
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--derived", is_flag=True, help="Erase what names it as evidence too.")
@click.option("--prove", is_flag=True, help="Search every file for what is left of it, and show the proof.")
@click.option("--also", multiple=True, metavar="FILE", help="With --prove: search this file too.")
@opens_store()
def erase(target: Target, memory_id: str, yes: bool, derived: bool, prove: bool, also: tuple[str, ...]) -> None:
    """Destroy a memory for good.

    Its text, history, edges and vectors leave the file, and what Combray itself made of its words; backups and
    exports keep what they hold. Exit code 1 when a proof finds something left in the store.
    """
    with target.open() as engine:
        memory = engine.get(memory_id)
        around = engine.retention.derived(memory.id)
        gone = (*around.made, *(around.resting if derived else ()))
        if not yes:
            if not sys.stdin.isatty():
                nothing_found("erase destroys for good and asks first, but nobody can answer here. Add --yes.")
            with_it = f", and {len(gone)} made of it" if gone else ""
            click.confirm(f"Erase for good: {short(memory.content, 60)!r}{with_it}?", abort=True, err=True)
        certificate = engine.erase(memory.id, derived=derived, prove=prove, also=also)
    if certificate is not None:
        _show_proof(target, certificate)
        return
    message = "no byte of it is left in the store; backups and exports may still hold it"
    left = [each.id for each in (*around.resting, *around.quoting) if each not in gone]
    if not for_people(target):
        fields = {"id": memory.id, "status": "erased", "message": message}
        show_json({**fields, "derived": [each.id for each in gone], "quoted_by": left, "file": around.file})
        return
    _tell(target, memory.id, "erased", message)
    for each in gone:
        console().print(f"Erased with it: {each.id}")
    for each_id in left:
        console().print(f"Says so too, or rests on it, and is left: {each_id}", style="yellow")
    if around.file:
        text = f"{visible(around.file)} still holds it. It comes back when that file changes: take it out there."
        console().print(text, style="yellow")


def _show_proof(target: Target, certificate: Certificate) -> None:
    if for_people(target):
        from combray.interfaces.cli.auditing import proof

        console().print(proof(certificate.as_json()))
    else:
        show_json(certificate.as_json())
    if not certificate.clean:
        nothing_found(f"something of {certificate.id} is left: see 'left' and 'rows'.")


@click.command(cls=Verb, examples=("combray history ID",))
@_ID
@opens_store()
def history(target: Target, memory_id: str) -> None:
    """Show every change of a memory, oldest first.

    Each line has who changed it, how, and the fields as they were before.
    """
    with target.open() as engine:
        versions = engine.history(memory_id)
    if not for_people(target):
        show_json(versions)
        return
    if not versions:
        console().print("Never changed since it was remembered.")
        return
    shown = table("#", "when", "who", "change", "before", unbroken=("#",))
    for version in versions:
        before = ", ".join(f"{name} {value}" for name, value in version.before.items())
        shown.add_row(
            str(version.number),
            moment(version.changed_at),
            visible(version.actor),
            version.operation,
            visible(before),
        )
    console().print(shown)


def _tell(target: Target, memory_id: str, status: str, message: str) -> None:
    if for_people(target):
        console().print(f"{memory_id} is {status}: {message}.")
    else:
        show_json({"id": memory_id, "status": status, "message": message})


COMMANDS = {"get": get, "forget": forget, "restore": restore, "erase": erase, "history": history}
