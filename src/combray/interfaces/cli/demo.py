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

from combray.interfaces.cli.failures import VerbCommand
from combray.interfaces.cli.output import ACTION_COLOURS, console, styled, visible

if TYPE_CHECKING:
    from rich.console import Console

    from combray.engine import Engine

_SHOWN = 3


@click.command(cls=VerbCommand, examples=("combray demo",))
@click.option("--embedder", metavar="NAME", help="none, wordllama or onnx:PATH.")
def demo(embedder: str | None) -> None:
    """Demonstrate Combray on a small conversation."""
    import combray

    story = json.loads(files("combray.interfaces.cli").joinpath("demo.json").read_text(encoding="utf-8"))
    now = datetime.fromisoformat(story["now"]).timestamp()
    questions = story["questions"]
    out = console()
    began = time.perf_counter()
    with (
        tempfile.TemporaryDirectory(prefix="combray-demo-") as folder,
        combray.open(
            str(Path(folder) / "demo.db"), namespace="demo", embedder=embedder, clock=lambda: now
        ) as engine,
    ):
        _title(out, "A conversation becomes memories")
        _talk(engine, story["sessions"], out)
        _recall(engine, questions["talk"], out)
        _title(out, "Remembering: new, duplicate, changed")
        _remember(engine, story, out)
        _title(out, "A question with why: causes first, with an explanation")
        _recall(engine, questions["why"], out, preset="mnemon", categories=("fact", "decision"))
        _title(out, "A question that the memories do not answer")
        _recall(engine, questions["unknown"], out)
    out.print(f"\nAll of it took {time.perf_counter() - began:.1f} s; the temporary store was deleted.")


def _title(out: Console, text: str) -> None:
    out.print()
    out.rule(text, align="left", style="dim")


def _talk(engine: Engine, sessions: list[dict[str, Any]], out: Console) -> None:
    started = time.perf_counter()
    count = 0
    for session in sessions:
        began_at = datetime.fromisoformat(session["began_at"])
        turns = [
            {"author": author, "text": text, "occurred_at": began_at + timedelta(minutes=place)}
            for place, (author, text) in enumerate(session["turns"])
        ]
        count += len(engine.conversation(session["session"]).add_many(turns))
    out.print(f"{count} turns of {len(sessions)} talks in {time.perf_counter() - started:.2f} s.")


def _remember(engine: Engine, story: dict[str, Any], out: Console) -> None:
    from rich.table import Table

    shown = Table.grid(padding=(0, 2))
    duplicate, changed = (story["duplicate"], "general", 3), (story["update"], "context", 3)
    for text, category, importance in (*story["facts"], duplicate, changed):
        done = engine.remember(text, category=category, importance=importance)
        body = styled(visible(text))
        if done.action != "added" and done.reason:
            body.append(f"\nbecause: {visible(done.reason)}", "dim")
        if causal := done.edges_created.get("causal"):
            body.append(f"\ncausal edges: {causal}", "dim")
        shown.add_row(styled(done.action, ACTION_COLOURS[done.action]), body)
    out.print(shown)
    if done.replaced_id:
        old = engine.get(done.replaced_id)
        out.print(f"Kept as {old.status}, one 'combray restore' away: {old.content}", style="dim")


def _recall(engine: Engine, question: str, out: Console, **options: Any) -> None:
    """Recall and show the answer; with options, explained."""
    from combray.interfaces.cli.recalling import show_answer

    flags = " --preset mnemon --cat fact --cat decision --explain" if options else ""
    out.print(f'combray recall "{question}"{flags}', style="bold")
    answer = engine.recall(question, limit=_SHOWN, **options)
    show_answer(answer, explain=bool(options), verbose=False, out=out)
    if not answer:
        out.print(f"Nothing found: {answer.reason}", style="yellow")
