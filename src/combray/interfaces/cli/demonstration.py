"""The verb `demo`: remember and recall a small conversation in a temporary store."""

from __future__ import annotations

import json
import tempfile
import time
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import Verb
from combray.interfaces.cli.output import console, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from combray.engine import Engine
    from combray.types import Remembered

_SHOWN = 3
_COLOURS = {"added": "green", "replaced": "yellow", "skipped": "dim"}


@click.command(cls=Verb, examples=("combray demo",))
@click.option("--embedder", metavar="NAME", help="none, wordllama or onnx:PATH.")
def demo(embedder: str | None) -> None:
    """Demonstrate Combray on a small conversation."""
    import combray

    story = json.loads(files("combray.interfaces.cli").joinpath("demo.json").read_text(encoding="utf-8"))
    now = datetime.fromisoformat(story["now"]).timestamp()
    out = console()
    began = time.perf_counter()
    with (
        tempfile.TemporaryDirectory(prefix="combray-demo-") as folder,
        combray.open(
            str(Path(folder) / "demo.db"), namespace="demo", embedder=embedder, clock=lambda: now
        ) as engine,
    ):
        _talk(engine, story, out)
        _write(engine, story, out)
        _ask_why(engine, story["questions"]["why"], out)
        _title(out, "A question that the memories do not answer")
        _recall(engine, story["questions"]["unknown"], out)
    out.print(f"\nAll of it took {time.perf_counter() - began:.1f} s; the temporary store was deleted.")


def _talk(engine: Engine, story: dict[str, Any], out: Console) -> None:
    _title(out, "A conversation becomes memories")
    started = time.perf_counter()
    count = 0
    for session in story["sessions"]:
        began_at = datetime.fromisoformat(session["began_at"])
        turns = [
            {"author": author, "text": text, "occurred_at": began_at + timedelta(minutes=place)}
            for place, (author, text) in enumerate(session["turns"])
        ]
        count += len(engine.conversation(session["session"]).add_many(turns))
    out.print(f"{count} turns of {len(story['sessions'])} talks in {time.perf_counter() - started:.2f} s.")
    _recall(engine, story["questions"]["talk"], out)


def _write(engine: Engine, story: dict[str, Any], out: Console) -> None:
    from rich.table import Table

    _title(out, "Remembering: new, duplicate, changed")
    shown = Table.grid(padding=(0, 2))
    for text, category, importance in story["facts"]:
        _add(shown, text, engine.remember(text, category=category, importance=importance))
    _add(shown, story["duplicate"], engine.remember(story["duplicate"]))
    changed = engine.remember(story["update"], category="context")
    _add(shown, story["update"], changed)
    out.print(shown)
    if changed.replaced_id:
        old = engine.get(changed.replaced_id)
        out.print(f"Kept as {old.status}, one 'combray restore' away: {old.content}", style="dim")


def _add(shown: Table, text: str, done: Remembered) -> None:
    from rich.text import Text

    body = Text(visible(text))
    if done.action != "added" and done.reason:
        body.append(f"\nbecause: {visible(done.reason)}", "dim")
    causal = done.edges_created.get("causal", 0)
    if causal:
        body.append(f"\ncausal edges: {causal}", "dim")
    shown.add_row(Text(done.action, _COLOURS[done.action]), body)


def _ask_why(engine: Engine, question: str, out: Console) -> None:
    from combray.interfaces.cli.showing import show_answer

    _title(out, "A question with why: causes first, with an explanation")
    out.print(f'combray recall "{question}" --preset mnemon --cat fact --cat decision --explain', style="bold")
    answer = engine.recall(question, preset="mnemon", categories=("fact", "decision"), limit=_SHOWN)
    show_answer(answer, explain=True, verbose=False, out=out)


def _recall(engine: Engine, question: str, out: Console) -> None:
    from combray.interfaces.cli.showing import show_answer

    out.print(f'combray recall "{question}"', style="bold")
    answer = engine.recall(question, limit=_SHOWN)
    show_answer(answer, explain=False, verbose=False, out=out)
    if not answer:
        out.print(f"Nothing found: {answer.reason}", style="yellow")


def _title(out: Console, text: str) -> None:
    out.print()
    out.rule(text, align="left", style="dim")


COMMANDS = {"demo": demo}
