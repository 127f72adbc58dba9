"""The verbs of two designs' tools: `memory-search` (OpenClaw) and `search-memory` (Semantic Fact System)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from combray.interfaces.cli.declared import command
from combray.interfaces.cli.failures import nothing_found
from combray.interfaces.cli.options import Target
from combray.interfaces.cli.output import console, for_people, show_json, visible
from combray.values import rounded

if TYPE_CHECKING:
    from combray.documents.passages import Passages

_DIGITS = 4
"""Digits of scores in the output."""


@command(pipelines=True)
def memory_search(target: Target, query: str, **asked: Any) -> None:
    """Print the passages."""
    with target.open(to_write=True) as engine:
        found = engine.documents.search(query, **asked)
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


@command(pipelines=True)
def search_memory(target: Target, query: str, namespaces: tuple[str, ...], **asked: Any) -> None:
    """Print the memories."""
    with target.open() as engine:
        answer = engine.search_memory(query, namespaces=namespaces or None, **asked)
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
