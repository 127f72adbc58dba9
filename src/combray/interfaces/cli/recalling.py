"""The verbs `recall` and `search`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from combray.interfaces.cli.failures import nothing_found, verb
from combray.interfaces.cli.filters import namespaces_option, where_option
from combray.interfaces.cli.options import Target, filters, opens_store
from combray.interfaces.cli.output import compact, for_people, full, show_json

if TYPE_CHECKING:
    from combray.types import Answer, Hit

INTENTS = ("WHY", "WHEN", "ENTITY", "GENERAL")
_DIGITS = 4
"""Digits of scores in the output."""


@verb(
    'combray recall "why did we choose PostgreSQL"',
    'combray recall database decision --since "last month" --cat decision --explain',
)
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", "-k", type=click.IntRange(1, 1000), default=10, help="Hits at most.")
@click.option(
    "--intent",
    type=click.Choice(INTENTS, case_sensitive=False),
    help="Intent of the query; default: detected.",
)
@click.option("--basic", is_flag=True, help="Match substrings only, newest first.")
@filters()
@where_option
@namespaces_option
@click.option("--as-of", metavar="WHEN", help="Answer from what was stored and valid at this time.")
@click.option("--min-score", type=float, default=0.0, help="Drop hits below this score.")
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
    if for_people(target):
        from combray.interfaces.cli.showing import show_answer

        show_answer(answer, explain=explain, verbose=verbose)
    else:
        show_json(answer_as_json(answer, limit=asked["limit"], explain=explain, verbose=verbose))
    if not answer:
        nothing_found(answer.reason or "no memory matches")


@verb("combray search postgres migration")
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", "-k", type=click.IntRange(1, 1000), default=10, help="Hits at most.")
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
    if for_people(target):
        from combray.interfaces.cli.showing import show_answer

        show_answer(answer, explain=False, verbose=False)
    else:
        show_json([{**compact(hit.memory), "score": round(hit.score, _DIGITS)} for hit in answer])
    if not answer:
        nothing_found(answer.reason or "no memory contains these words")


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
        "results": [_hit_as_json(hit, answer.intent, verbose=verbose) for hit in answer],
        "meta": meta,
    }
    if explain:
        shown["trace"] = [
            {
                "stage": step.stage,
                "before": step.before,
                "after": step.after,
                "milliseconds": round(step.milliseconds, 3),
                "note": step.note,
            }
            for step in answer.trace
        ]
    return shown


def _hit_as_json(hit: Hit, intent: str, *, verbose: bool) -> dict[str, Any]:
    return {
        "insight": full(hit.memory) if verbose else compact(hit.memory),
        "score": round(hit.score, _DIGITS),
        "intent": intent,
        "via": hit.via,
        "signals": {name: round(value, _DIGITS) for name, value in hit.signals.items()},
    }
