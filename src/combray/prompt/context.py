"""Render memories for a prompt: one line each, with date, id and trust."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from combray.errors import InvalidInputError
from combray.language.indexing import normalised
from combray.language.token_count import TokenCounter, estimate
from combray.prompt.budget import BUDGET, Context, Dropped, Piece, Slot, assemble
from combray.recall.marks import marks
from combray.runtime import Memories
from combray.types import Answer, Memory, RecallOptions

LIMIT = 20
"""Memories considered for a context; 1,500 tokens hold fewer."""
_ID_CHARACTERS = 8
_REPEATS = "duplicates an earlier memory"
_NO_MARKS: Mapping[str, str] = {}


def answer_context(
    memories: Memories,
    query: str,
    budget: int | None,
    *,
    counter: TokenCounter | None,
    limit: int,
    namespaces: Sequence[str] | None,
    options: RecallOptions,
) -> Context:
    """Return the memories that answer the query as cited, fenced text; see `Engine.context`."""
    refuse_quarantined(options)
    counter = counter or estimate
    budget = budget_of(memories, budget)
    answer = memories.recall(query, limit=limit, namespaces=namespaces, **options)
    kept, repeated = without_repeats([hit.memory for hit in answer])
    numbers = {each.id: number for number, each in enumerate(kept, 1)}
    noted = marks(answer, numbers, memories.runtime.clock())
    lines = [Piece(each.id, f"[{number}] {line}") for number, (each, line) in enumerate(_lines(kept, noted), 1)]
    slot = Slot("memories", "MEMORIES", 0, budget)
    made = assemble({slot.name: lines}, budget=budget, counter=counter, slots=(slot,), state=answer.reason)
    return with_repeats(made, repeated, counter)


def with_repeats(made: Context, repeated: Sequence[Memory], counter: TokenCounter) -> Context:
    """Add duplicates to `dropped`."""
    again = tuple(Dropped("repeats", each.id, counter(each.content), _REPEATS) for each in repeated)
    return replace(made, dropped=made.dropped + again)


def budget_of(memories: Memories, budget: int | None) -> int:
    """Return the given budget, or the setting `context_budget`."""
    return int(memories.settings.get("context_budget", BUDGET)) if budget is None else budget


def pieces(memories: Sequence[Memory]) -> list[Piece]:
    """Return one unnumbered line per memory."""
    return [Piece(each.id, f"- {line}") for each, line in _lines(memories)]


def turn_piece(turn: Memory) -> Piece:
    """Render a turn with its author and its line breaks; an untrusted turn is marked."""
    author = f"{turn.author or 'someone'} (untrusted)" if turn.trust == "untrusted" else turn.author
    return Piece(turn.id, f"{author}: {turn.content}" if author else turn.content)


def results(given: Answer | Iterable[Any]) -> list[Memory | str]:
    """Normalise the results of an explicit search: hits become memories; memories and texts are kept.

    Quarantined memories are omitted. Raises InvalidInputError for other values.
    """
    if isinstance(given, str):
        raise InvalidInputError(
            "tool_results", "must be a list, got one text.", "Pass a list of texts or an answer of recall."
        )
    found: list[Any] = [getattr(each, "memory", each) for each in given]
    for each in found:
        if not isinstance(each, (Memory, str)):
            problem = f"must contain texts, hits or memories, got {type(each).__name__}."
            raise InvalidInputError("tool_results", problem, "Convert each result to text.")
    return [each for each in found if isinstance(each, str) or each.trust != "quarantined"]


def result_pieces(found: Sequence[Memory | str]) -> list[Piece]:
    """Return results as pieces: one line per memory, texts unchanged."""
    lines = iter(pieces([each for each in found if isinstance(each, Memory)]))
    return [
        Piece(f"result {number}", each) if isinstance(each, str) else next(lines)
        for number, each in enumerate(found, 1)
    ]


def without_repeats(memories: Sequence[Memory]) -> tuple[list[Memory], list[Memory]]:
    """Split memories into new ones and duplicates of earlier ones.

    A memory duplicates another if their normalised texts are equal, or if one is the evidence of the other and
    contains its text.
    """
    kept: list[Memory] = []
    repeated: list[Memory] = []
    words: list[str] = []
    said: set[str] = set()
    for memory in memories:
        mine = normalised(memory.content)
        again = mine in said or any(map(partial(_drawn, memory, mine), kept, words))
        said.add(mine)
        if again:
            repeated.append(memory)
            continue
        kept.append(memory)
        words.append(mine)
    return kept, repeated


def _drawn(memory: Memory, words: str, other: Memory, others: str) -> bool:
    """Whether one of the two is the evidence of the other and contains its text."""
    if memory.namespace != other.namespace:
        return False
    if memory.id in other.evidence:
        return others in words
    return other.id in memory.evidence and words in others


def _lines(memories: Sequence[Memory], noted: Mapping[str, str] = _NO_MARKS) -> list[tuple[Memory, str]]:
    ids = {each.id for each in memories}
    length = _ID_CHARACTERS
    while len({each[:length] for each in ids}) < len(ids):
        length += 1
    return [(each, _line(each, each.id[:length].rstrip("-"), noted.get(each.id, ""))) for each in memories]


def _line(memory: Memory, short_id: str, mark: str) -> str:
    """Return `text (author; date; id; untrusted; mark)` with white space collapsed."""
    notes = [f"{memory.moment:%Y-%m-%d}", short_id]
    if memory.kind == "episode" and memory.author:
        notes.insert(0, memory.author)
    if memory.trust == "untrusted":
        notes.append("untrusted")
    if mark:
        notes.append(mark)
    return f"{' '.join(memory.content.split())} ({'; '.join(notes)})"


def refuse_quarantined(options: Mapping[str, Any]) -> None:
    """Raise InvalidInputError if the options ask for quarantined memories, which never reach a prompt."""
    trusts = options.get("trusts") or ()
    if trusts == "quarantined" or (not isinstance(trusts, str) and "quarantined" in tuple(trusts)):
        problem = "must not include 'quarantined' here: no prompt shows such memories."
        raise InvalidInputError("trusts", problem, "See them with combray review --quarantined.")
