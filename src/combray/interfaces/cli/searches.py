"""The verbs of two designs' tools: `memory-search` (OpenClaw) and `search-memory` (Semantic Fact System)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from combray.interfaces.cli.failures import nothing_found, verb
from combray.interfaces.cli.options import Target, limit, namespaces_option, opens_store
from combray.interfaces.cli.output import console, for_people, show_json, visible
from combray.values import rounded

if TYPE_CHECKING:
    from combray.documents.passages import Passages

_DIGITS = 4
"""Digits of scores in the output."""


@verb(
    'combray memory-search "when is the deploy freeze"',
    "combray memory-search deploy freeze -k 3",
    name="memory-search",
)
@click.argument("query", nargs=-1, required=True)
@limit(6, "Passages at most.")
@click.option("--min-score", type=float, help="Drop passages below this score; default: the preset's.")
@click.option(
    "--source",
    "sources",
    type=click.Choice(("memory", "sessions")),
    multiple=True,
    help="Notes or transcripts only.",
)
@click.option("--scope", metavar="NAME", help="Folders of this scope only, such as user:ann.")
@opens_store(pipelines=True)
def memory_search(
    target: Target,
    query: tuple[str, ...],
    limit: int,
    min_score: float | None,
    sources: tuple[str, ...],
    scope: str | None,
) -> None:
    """Search the indexed files.

    Prints path, lines, score and a snippet of at most 700 characters for each passage. Changed files are indexed
    first. The pipelines are those of preset openclaw.
    """
    with target.open(to_write=True) as engine:
        found = engine.documents.search(
            " ".join(query), max_results=limit, min_score=min_score, sources=sources, scope=scope
        )
    if for_people(target):
        _show(found)
    else:
        show_json(found.as_json())
    if not found:
        nothing_found(found.reason or "no passage matches")


def _show(found: Passages) -> None:
    out = console()
    for each in found:
        out.print(f"{visible(each.citation)}  {each.score:.2f}", style="bold", markup=False, highlight=False)
        for line in each.snippet.splitlines():
            out.print(f"  {visible(line)}", markup=False, highlight=False)
    if found.warning:
        out.print(visible(found.warning), style="yellow", markup=False)
    if found:
        out.print(visible(found.reason), style="dim", markup=False)


@verb(
    'combray search-memory "the user\'s work projects"',
    "combray search-memory deploy --type facts",
    name="search-memory",
)
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--type",
    "search_type",
    type=click.Choice(("both", "facts", "episodes")),
    default="both",
    help="Facts are what is true, episodes what was said and done; default: both.",
)
@limit(5, "Memories at most.")
@namespaces_option
@opens_store(pipelines=True)
def search_memory(
    target: Target, query: tuple[str, ...], search_type: str, limit: int, namespaces: tuple[str, ...]
) -> None:
    """Search facts, episodes, or both.

    As JSON: text, confidence and timestamp of each memory.
    """
    with target.open() as engine:
        answer = engine.search_memory(" ".join(query), search_type, limit, namespaces=namespaces or None)
    if for_people(target):
        from combray.interfaces.cli.showing import show_answer

        show_answer(answer, explain=False, verbose=False)
    else:
        show_json(
            [
                {
                    "id": hit.memory.id,
                    "text": hit.memory.content,
                    "confidence": hit.memory.confidence,
                    "timestamp": hit.memory.moment,
                    "kind": hit.memory.kind,
                    "score": rounded(hit.score, _DIGITS),
                }
                for hit in answer
            ]
        )
    if not answer:
        nothing_found(answer.reason or "no memory matches")
