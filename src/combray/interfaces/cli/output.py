"""Output of the command line: JSON for programs; tables, colour and escaped text for a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.options import Target
from combray.types import Memory
from combray.values import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from combray.engine.consolidation import Waiting
    from combray.types import Hit

CATEGORY_COLOURS = {
    "decision": "magenta",
    "fact": "cyan",
    "insight": "yellow",
    "preference": "green",
    "context": "blue",
}

ACTION_COLOURS = {
    "added": "green",
    "replaced": "yellow",
    "skipped": "dim",
    "untrusted": "yellow",
    "quarantined": "red",
    "refused": "red",
}


def for_people(target: Target) -> bool:
    """Whether to print tables: standard output is a terminal and --json is not given."""
    return not target.json and sys.stdout.isatty()


def show(target: Target, plain: Any, printed: Callable[[], None]) -> None:
    """Show one thing: call `printed` in a terminal, otherwise print `plain` as JSON."""
    if for_people(target):
        printed()
    else:
        show_json(plain)


def answer(target: Target, sentence: str, **fields: Any) -> None:
    """Print the sentence in a terminal, otherwise the fields as JSON."""
    show_lines(target, fields, [sentence])


def show_lines(target: Target, plain: Any, said: Iterable[str], warnings: Iterable[str] = ()) -> None:
    """Print sentences and warnings in a terminal, otherwise `plain` as JSON."""

    def printed() -> None:
        out = console()
        for each in said:
            out.print(visible(each))
        for each in warnings:
            out.print(visible(each), style="yellow")

    show(target, plain, printed)


def skipped(places: Sequence[tuple[str, str]], most: int = 10) -> list[str]:
    """Return a warning for each of the first places that were skipped, and their number beyond."""
    said = [f"skipped {place}: {reason}" for place, reason in places[:most]]
    more = len(places) - most
    return [*said, f"skipped {more} more; --json lists them"] if more > 0 else said


def show_json(value: Any, *, indent: int | None = 2) -> None:
    """Print a value as JSON. Characters that the code page of the output may lack are escaped."""
    import msgspec

    plain = msgspec.to_builtins(value, enc_hook=str)
    unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    click.echo(json.dumps(plain, indent=indent, ensure_ascii=not unicode))


def console(*, errors: bool = False) -> Console:
    """Return a rich console; without colour and control codes if the stream is not a terminal."""
    from rich.console import Console

    return Console(stderr=errors, highlight=False, emoji=False, markup=False)


def table(*headings: str, unbroken: tuple[str, ...] = ()) -> Table:
    """Return an empty table. Columns in `unbroken` do not wrap."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading in headings:
        made.add_column(heading, no_wrap=heading in unbroken, overflow="fold")
    return made


def show_rows(
    target: Target,
    plain: Any,
    headings: Sequence[str],
    rows: Iterable[Sequence[str | Text | Memory]],
    *,
    none: str = "",
    hint: str = "",
    unbroken: tuple[str, ...] = (),
) -> None:
    """Print records: as a table with a hint in a terminal, otherwise `plain` as JSON.

    A cell is a text, or a memory, which is shown with what a reader needs of it. `none` stands for no rows.
    """

    def printed() -> None:
        out, shown = console(), table(*headings, unbroken=unbroken)
        for row in rows:
            shown.add_row(*(_cell(each, headings) for each in row))
        if shown.row_count:
            out.print(shown)
            if hint:
                out.print(hint, style="dim")
        elif none:
            out.print(none)

    show(target, plain, printed)


def _cell(value: str | Text | Memory, headings: Sequence[str]) -> Text | str:
    if isinstance(value, str):
        return visible(value)
    if not isinstance(value, Memory):
        return value
    # A column with the time of recording says it already.
    dated = "recorded" not in headings or value.moment != value.recorded_at
    return styled(visible(value.content)).append("\n").append_text(described(value, dated=dated))


def styled(text: str, style: str = "") -> Text:
    """Return a text for a terminal. Rich is loaded only where one is made."""
    from rich.text import Text

    return Text(text, style)


def described(memory: Memory, *, via: str = "", dated: bool = True) -> Text:
    """Return one line about a memory: category, author, date, how it was found, id."""
    when = moment(memory.moment) if dated else ""
    line = styled("", "dim")
    line.append(memory.category, CATEGORY_COLOURS.get(memory.category, ""))
    line.append(" " + "★" * memory.importance)
    if memory.tier != "working":
        line.append(f" · {memory.tier}")
    if memory.status != "active":
        line.append(f" · {memory.status}", "red")
    for part in (memory.author and visible(memory.author), when, via and f"via {via}"):
        if part:
            line.append(f" · {part}")
    return line.append(f" · {memory.id}")


def in_words(value: Any) -> str:
    """Return any value as text for a table; what it holds is not escaped."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {in_words(each)}" for name, each in value.items()) or "none"
    if isinstance(value, list | tuple):
        records = any(isinstance(each, Mapping) for each in value)
        return ("\n" if records else ", ").join(map(in_words, value)) or "none"
    return "none" if value is None else str(value)


_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_CONTROLS |= {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""What replaces control characters, and those that turn the direction of the rest of a line."""


def visible(text: str) -> str:
    """Escape control characters, so that stored text cannot control the terminal or reorder a line."""
    return text.translate(_CONTROLS)


def short(text: str, width: int = 70) -> str:
    """Return the start of the text on one line."""
    line = " ".join(visible(text).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def memories(number: int) -> str:
    """Return "1 memory", "2 memories"."""
    return counted(number, "memory", "memories")


def moment(value: datetime | None) -> str:
    """Return the date, with the time unless it is midnight; UTC."""
    if value is None:
        return ""
    midnight = (value.hour, value.minute, value.second) == (0, 0, 0)
    return value.strftime("%Y-%m-%d" if midnight else "%Y-%m-%d %H:%M")


def compact(memory: Memory) -> dict[str, Any]:
    """Return the fields that a reader of an answer needs, without unset ones."""
    when = {"occurred_at": memory.occurred_from} if memory.occurred_from else {"recorded_at": memory.recorded_at}
    extras = {
        "author": memory.author,
        "session": memory.session,
        "tags": memory.tags,
        "tier": None if memory.tier == "working" else memory.tier,
        "status": None if memory.status == "active" else memory.status,
    }
    return {
        "id": memory.id,
        "content": memory.content,
        "category": memory.category,
        "importance": memory.importance,
        **when,
        **{name: value for name, value in extras.items() if value},
    }


def marked(hit: Hit) -> dict[str, Any]:
    """Return the ids of what makes a hit outdated, what it may replace, and what was merged into it."""
    names = ("outdated_by", "may_be_outdated_by", "may_replace", "restated_by", "earlier")
    return {name: value for name in names if (value := getattr(hit, name))}


def pairs(waiting: Iterable[Waiting]) -> list[dict[str, Any]]:
    """Return pairs of facts that consolidation could not decide."""
    return [
        {"first": compact(each.first), "second": compact(each.second), "reason": each.reason} for each in waiting
    ]


def full(memory: Memory) -> dict[str, Any]:
    """Return every field of a memory. `occurred_at` is the start of its time range."""
    import msgspec

    fields = msgspec.structs.asdict(memory)
    return {("occurred_at" if name == "occurred_from" else name): value for name, value in fields.items()}


@contextmanager
def progress(what: str, total: int | None = None, *, size: bool = False) -> Iterator[Callable[..., None]]:
    """Show a progress bar on standard error if it is a terminal; `size`: in bytes.

    Yields a function that takes the count done and, if known by then, the total.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _total=None: None
        return
    from rich import progress as bars

    unit = (bars.DownloadColumn(), bars.TransferSpeedColumn()) if size else (bars.MofNCompleteColumn(),)
    columns = (bars.TextColumn(what), bars.BarColumn(), *unit, bars.TimeRemainingColumn())
    with bars.Progress(*columns, console=console(errors=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, total=None: bar.update(task, completed=done, total=total)
