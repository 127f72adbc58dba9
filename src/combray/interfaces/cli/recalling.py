"""The verbs that read memories: `recall`, `search`, `list`, `context` and `think`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import nothing_found, verb
from combray.interfaces.cli.options import (
    Function,
    Target,
    filters,
    limit,
    namespaces_option,
    opens_store,
    where_option,
)
from combray.interfaces.cli.output import (
    compact,
    console,
    for_people,
    full,
    marked,
    memories,
    moment,
    show_json,
    show_rows,
    visible,
)
from combray.values import rounded

if TYPE_CHECKING:
    from combray.think.thought import Thought
    from combray.types import Answer, Step

INTENTS = ("WHY", "WHEN", "ENTITY", "GENERAL")
_MODES = {"extractive": "quoted from memories, no language model", "model": "written by the language model"}
_NUMBERS = re.compile(r"\[(\d{1,4})\]")
_DIGITS = 4
"""Digits of scores in the output."""


_keep = click.option(
    "--keep",
    type=click.FloatRange(0, 1),
    help="Drop hits below this share of the best score; 0 drops none [env: COMBRAY_KEEP].",
)


_as_of = click.option("--as-of", metavar="WHEN", help="Answer from what was stored and valid at this time.")


def _budget(what: str) -> Callable[[Function], Function]:
    return click.option(
        "--budget", "-b", type=click.IntRange(min=100), help=f"{what} [env: COMBRAY_CONTEXT_BUDGET]."
    )


@verb(
    'combray recall "why did we choose PostgreSQL"',
    'combray recall database decision --since "last month" --cat decision --explain',
)
@click.argument("query", nargs=-1, required=True)
@limit(10, "Hits at most.")
@click.option(
    "--intent", type=click.Choice(INTENTS, case_sensitive=False), help="Intent of the query; default: detected."
)
@click.option("--basic", is_flag=True, help="Match substrings only, newest first.")
@filters()
@where_option
@namespaces_option
@_as_of
@click.option("--min-score", type=float, help="Drop hits below this score; default: the preset's.")
@_keep
@click.option("--explain", is_flag=True, help="Show the stages with times, and each hit's signals.")
@click.option("--verbose", "-v", is_flag=True, help="Show every field of the memories.")
@opens_store(pipelines=True, models=True)
def recall(
    target: Target,
    query: tuple[str, ...],
    explain: bool,
    verbose: bool,
    namespaces: tuple[str, ...],
    **asked: Any,
) -> None:
    """Recall memories that answer a query, with reasons.

    For a question with "why", causes come before effects. An empty answer reports the reason (exit code 1).
    """
    with target.open() as engine:
        answer = engine.recall(" ".join(query), namespaces=namespaces or None, **asked)
    plain = answer_as_json(answer, limit=asked["limit"], explain=explain, verbose=verbose)
    _show(target, answer, plain, "no memory matches", explain=explain, verbose=verbose)


@verb("combray search postgres migration")
@click.argument("query", nargs=-1, required=True)
@limit(10, "Hits at most.")
@filters()
@where_option
@namespaces_option
@opens_store()
def search(target: Target, query: tuple[str, ...], namespaces: tuple[str, ...], **asked: Any) -> None:
    """Find memories by keywords only.

    The score is the share of the query's words that a memory contains.
    """
    with target.open() as engine:
        answer = engine.search(" ".join(query), namespaces=namespaces or None, **asked)
    plain = [{**compact(hit.memory), **marked(hit), "score": rounded(hit.score, _DIGITS)} for hit in answer]
    _show(target, answer, plain, "no memory contains these words")


def _show(
    target: Target, answer: Answer, plain: Any, none: str, *, explain: bool = False, verbose: bool = False
) -> None:
    """Print the hits for people, or `plain` as JSON. `none`: the reason for an empty answer."""
    if for_people(target):
        from combray.interfaces.cli.showing import show_answer

        show_answer(answer, explain=explain, verbose=verbose)
    else:
        show_json(plain)
    if not answer:
        nothing_found(answer.reason or none)


@verb(
    "combray list",
    """combray list --where '{"category": "decision"}' --order -importance --limit 20""",
    name="list",
)
@where_option
@click.option("--order", default="-recorded_at", help="Sort by a field; - in front: down.")
@limit(100, "At most.")
@click.option("--after", default="", metavar="CURSOR", help="Go on behind the page that gave this cursor.")
@namespaces_option
@click.option("--verbose", "-v", is_flag=True, help="Print every field (as JSON).")
@opens_store()
def list_(target: Target, namespaces: tuple[str, ...], verbose: bool, **asked: Any) -> None:
    """List memories, page by page, the newest first.

    Shows live memories; name "status" in --where for others. Exit code 1 when nothing matches.
    """
    with target.open() as engine:
        page = engine.list(namespaces=namespaces or None, **asked)
    shown = [full(each) if verbose else compact(each) for each in page]
    plain = {"memories": shown, "total": page.total, "cursor": page.cursor}
    if verbose:
        show_json(plain)
    else:
        rows = ((moment(each.recorded_at), each) for each in page)
        hint = f"{len(page)} of {memories(page.total)}" + (
            f"; more with --after {page.cursor}" if page.cursor else ""
        )
        headings = ("recorded", "memory")
        show_rows(target, plain, headings, rows, none="No memory matches.", hint=hint, unbroken=("recorded",))
    if not page:
        nothing_found("no memory matches.")


@verb(
    'combray context "why did we choose PostgreSQL"',
    "combray context database --budget 400 --format markdown --shown-in session-7",
)
@click.argument("query", nargs=-1, required=True)
@_budget("Maximum number of tokens")
@limit(20, "Maximum number of memories.")
@click.option(
    "--format",
    "written",
    type=click.Choice(("text", "markdown", "xml", "json")),
    help="Print only the text for the prompt, in this format.",
)
@click.option("--exclude", multiple=True, metavar="ID", help="Leave out this memory; may be given again.")
@click.option(
    "--message",
    "messages",
    multiple=True,
    metavar="TEXT",
    help="Leave out what this message of the prompt holds.",
)
@click.option(
    "--shown-in",
    "session",
    metavar="SESSION",
    help="Leave out what earlier contexts of this session held, and remember what this one holds.",
)
@click.option("--sure", is_flag=True, help="Print nothing if the evidence is weak.")
@_keep
@filters("since", "until", "categories", "kinds", "sessions")
@where_option
@namespaces_option
@_as_of
@opens_store(pipelines=True)
def context(
    target: Target, query: tuple[str, ...], namespaces: tuple[str, ...], written: Any, **asked: Any
) -> None:
    """Print the memories that answer a query as text for a prompt.

    The text has numbered memories with source, date and id, marked as data, within a token budget. Memories that
    do not fit, or that the prompt holds already, are reported.
    """
    with target.open() as engine:
        format: Any = written or "text"
        made = engine.context(" ".join(query), namespaces=namespaces or None, format=format, **asked)
    if written and not target.json and not for_people(target):
        click.echo(made.text, nl=bool(made.text))
    elif for_people(target):
        if made.text:
            click.echo(visible(made.text))
        click.echo(f"{made.tokens} of {made.budget} tokens · {made.state}", err=True)
        for each in made.dropped:
            click.echo(f"dropped: {each.id} ({each.tokens} tokens): {each.reason}", err=True)
    else:
        show_json(made)
    if not made.text:
        nothing_found(made.state or "no memory matches")


@verb('combray think "why did we choose PostgreSQL"', 'combray think "when did Ana move" --limit 20 --explain')
@click.argument("question", nargs=-1, required=True)
@limit(8, "Maximum number of memories considered.")
@_budget("Maximum tokens of memories in the prompt")
@_keep
@filters("since", "until")
@click.option(
    "--explain", is_flag=True, help="Show rejected sentences with reasons, and the stages of the recall."
)
@where_option
@namespaces_option
@_as_of
@opens_store(pipelines=True, models=True)
def think(
    target: Target, question: tuple[str, ...], namespaces: tuple[str, ...], explain: bool, **asked: Any
) -> None:
    """Answer a question from memory, with citations.

    If a language model is set (COMBRAY_LANGUAGE_MODEL), it writes the answer, and every sentence is checked
    against the memory it cites. Otherwise the best stored sentences are the answer. Exit code 1 if the answer is
    not known.
    """
    with target.open() as engine:
        thought = engine.think(" ".join(question), namespaces=namespaces or None, **asked)
    if for_people(target):
        _show_thought(thought, explain=explain)
    else:
        show_json(thought.as_json() | ({"trace": _steps(thought.trace)} if explain else {}))
    if not thought.known:
        nothing_found(thought.reason or "no memory answers this")


def _show_thought(thought: Thought, *, explain: bool) -> None:
    from rich.text import Text

    from combray.interfaces.cli.showing import waterfall

    out = console()
    answer = Text(visible(thought.answer))
    answer.highlight_regex(r"\[\d+\]", "cyan")
    out.print(answer)
    if thought.citations:
        out.print()
    # A quoted sentence may name another source: "later, may replace [2]".
    named = (
        int(digits) for digits in _NUMBERS.findall(thought.answer) if 0 < int(digits) <= len(thought.sources)
    )
    for number in dict.fromkeys([each.number for each in thought.citations] + sorted(named)):
        memory = thought.sources[number - 1].memory
        parts = (memory.author and visible(memory.author), moment(memory.moment), memory.id)
        out.print(Text(f"[{number}] ", "cyan").append(" · ".join(part for part in parts if part), "dim"))
    if thought.known:  # otherwise the reason follows on standard error
        how = " · ".join(part for part in (_MODES.get(thought.mode, ""), visible(thought.reason)) if part)
        out.print(Text(how, "dim"))
    if explain:
        for each in thought.dropped:
            out.print(Text("rejected: ", "yellow").append(f"{visible(each.sentence)} ({visible(each.reason)})"))
        if thought.trace:
            out.print(waterfall(thought.trace, out.width))


def _steps(trace: Sequence[Step]) -> list[dict[str, object]]:
    return [
        {
            "stage": step.stage,
            "before": step.before,
            "after": step.after,
            "milliseconds": round(step.milliseconds, 3),
        }
        for step in trace
    ]


def answer_as_json(answer: Answer, *, limit: int, explain: bool, verbose: bool) -> dict[str, Any]:
    """Return Mnemon's format: `results` with `insight`, `score`, `intent`, `via`, `signals`; and `meta`."""
    meta = {
        "intent": answer.intent,
        "intent_source": answer.intent_source,
        "anchor_count": answer.details.get("anchor_count", 0),
        "reason": answer.reason,
        "preset": answer.preset,
        **{name: value for name, value in answer.details.items() if value not in ((), [], {}, "", None)},
    }
    if len(answer) < limit // 2:
        meta["hint"] = "sparse_results"
    shown: dict[str, Any] = {
        "results": [
            {
                "insight": full(hit.memory) if verbose else compact(hit.memory),
                "score": rounded(hit.score, _DIGITS),
                "intent": answer.intent,
                "via": hit.via,
                **marked(hit),
                "signals": {name: rounded(value, _DIGITS) for name, value in hit.signals.items()},
            }
            for hit in answer
        ],
        "meta": meta,
    }
    if explain:
        steps = zip(_steps(answer.trace), answer.trace, strict=True)
        shown["trace"] = [shown_step | {"note": step.note} for shown_step, step in steps]
    return shown
