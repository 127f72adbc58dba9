"""The verb `think`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import nothing_found, verb
from combray.interfaces.cli.filters import where_option
from combray.interfaces.cli.options import Target, filters, opens_store
from combray.interfaces.cli.output import console, for_people, moment, show_json, visible

if TYPE_CHECKING:
    from combray.think.thought import Thought


@verb(
    'combray think "why did we choose PostgreSQL"',
    'combray think "when did Ana move" --limit 20 --explain',
)
@click.argument("question", nargs=-1, required=True)
@click.option(
    "--limit",
    "-k",
    type=click.IntRange(1, 1000),
    default=8,
    help="Maximum number of memories considered.",
)
@click.option(
    "--budget",
    "-b",
    type=click.IntRange(min=100),
    help="Maximum tokens of memories in the prompt [env: COMBRAY_CONTEXT_BUDGET].",
)
@filters("since", "until")
@click.option(
    "--explain", is_flag=True, help="Show rejected sentences with reasons, and the stages of the recall."
)
@where_option
@opens_store(pipelines=True, models=True)
def think(
    target: Target,
    question: tuple[str, ...],
    limit: int,
    budget: int | None,
    since: str | None,
    until: str | None,
    where: dict[str, Any] | None,
    explain: bool,
) -> None:
    """Answer a question from memory, with citations.

    If a language model is set (COMBRAY_LANGUAGE_MODEL), it writes the answer, and every sentence is checked
    against the memory it cites. Otherwise the best stored sentences are the answer. Exit code 1 if the answer is
    not known.
    """
    with target.open() as engine:
        thought = engine.think(
            " ".join(question), limit=limit, budget=budget, since=since, until=until, where=where
        )
    if for_people(target):
        _show(thought, explain=explain)
    else:
        show_json(thought.as_json() | ({"trace": _steps(thought)} if explain else {}))
    if not thought.known:
        nothing_found(thought.reason or "no memory answers this")


def _show(thought: Thought, *, explain: bool) -> None:
    from rich.text import Text

    from combray.interfaces.cli.showing import waterfall

    out = console()
    answer = Text(visible(thought.answer))
    answer.highlight_regex(r"\[\d+\]", "cyan")
    out.print(answer)
    if thought.citations:
        out.print()
    for number in dict.fromkeys(each.number for each in thought.citations):
        memory = thought.sources[number - 1].memory
        parts = (memory.author and visible(memory.author), moment(memory.moment), memory.id)
        out.print(Text(f"[{number}] ", "cyan").append(" · ".join(part for part in parts if part), "dim"))
    how = " · ".join(part for part in (thought.mode, visible(thought.reason)) if part)
    out.print(Text(how, "dim"))
    if explain:
        for each in thought.dropped:
            out.print(Text("rejected: ", "yellow").append(f"{visible(each.sentence)} ({visible(each.reason)})"))
        if thought.trace:
            out.print(waterfall(thought.trace, out.width))


def _steps(thought: Thought) -> list[dict[str, object]]:
    return [
        {
            "stage": step.stage,
            "before": step.before,
            "after": step.after,
            "milliseconds": round(step.milliseconds, 3),
        }
        for step in thought.trace
    ]
