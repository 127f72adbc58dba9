"""Memories as text for a prompt: a line each, with what is needed to cite and to judge it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from combray.errors import InvalidInputError
from combray.language.indexing import normalised
from combray.language.token_count import TokenCounter, estimate
from combray.prompt.budget import BUDGET, Context, Dropped, Piece, Tier, assemble
from combray.types import Answer, Memory

if TYPE_CHECKING:
    from combray.engine import Engine

LIMIT = 20
"""Memories considered for a context: more than 1500 tokens hold."""
_ID_CHARACTERS = 8
_REPEATS = "says the same as one before it"


def answer_context(
    engine: Engine,
    query: str,
    budget: int | None,
    *,
    counter: TokenCounter | None,
    limit: int,
    options: Mapping[str, Any],
) -> Context:
    """What answers the query as a cited, fenced text of at most `budget` tokens; see `Engine.context`."""
    if "quarantined" in _trusts(options):
        raise InvalidInputError(
            "trusts", "'quarantined' never goes into a prompt.", "See combray review --quarantined."
        )
    counter = counter or estimate
    budget = budget_of(engine, budget)
    answer = engine.recall(query, limit=limit, **options)
    kept, repeated = without_repeats([hit.memory for hit in answer])
    lines = [Piece(each.id, f"[{number}] {line}") for number, (each, line) in enumerate(_lines(kept), 1)]
    tier = Tier("memories", "MEMORIES", 0, budget)
    made = assemble({tier.name: lines}, budget=budget, counter=counter, tiers=(tier,), state=answer.reason)
    return with_repeats(made, repeated, counter)


def with_repeats(made: Context, repeated: Sequence[Memory], counter: TokenCounter) -> Context:
    """The context with what was left out for repeating something added to its account."""
    again = tuple(Dropped("repeats", each.id, counter(each.content), _REPEATS) for each in repeated)
    return replace(made, dropped=made.dropped + again)


def budget_of(engine: Engine, budget: int | None) -> int:
    """The budget given, or that of the settings."""
    return int(engine.settings.get("context_budget", BUDGET)) if budget is None else budget


def pieces(memories: Sequence[Memory]) -> list[Piece]:
    """One uncounted line a memory, in their order."""
    return [Piece(each.id, f"- {line}") for each, line in _lines(memories)]


def turn_piece(turn: Memory) -> Piece:
    """A turn as it was said, with its author in front and its line breaks kept; an untrusted one says so."""
    author = f"{turn.author or 'someone'} (untrusted)" if turn.trust == "untrusted" else turn.author
    return Piece(turn.id, f"{author}: {turn.content}" if author else turn.content)


def results(given: Answer | Iterable[Any]) -> list[Memory | str]:
    """Results of an explicit search: hits (an `Answer` holds them) as memories, memories, texts of any tool.

    Quarantined memories are left out. Raises InvalidInputError for anything else.
    """
    if isinstance(given, str):
        raise InvalidInputError("tool_results", "is one text.", "Give a list of texts or an answer of recall.")
    found: list[Any] = [getattr(each, "memory", each) for each in given]
    for each in found:
        if not isinstance(each, (Memory, str)):
            raise InvalidInputError(
                "tool_results", f"holds a {type(each).__name__}.", "Give texts, hits or memories."
            )
    return [each for each in found if isinstance(each, str) or each.trust != "quarantined"]


def result_pieces(found: Sequence[Memory | str]) -> list[Piece]:
    """Results as pieces, memories as one line each, texts as they are."""
    lines = iter(pieces([each for each in found if isinstance(each, Memory)]))
    return [
        Piece(f"result {number}", each) if isinstance(each, str) else next(lines)
        for number, each in enumerate(found, 1)
    ]


def without_repeats(memories: Sequence[Memory]) -> tuple[list[Memory], list[Memory]]:
    """Those that say something new, and those that repeat an earlier one.

    A memory repeats another with the same words, and one that was drawn from it and holds part of its words.
    """
    kept: list[Memory] = []
    repeated: list[Memory] = []
    words = {memory.id: normalised(memory.content) for memory in memories}
    said: set[str] = set()
    for memory in memories:
        mine = words[memory.id]
        again = mine in said or any(_drawn(memory, each, words) for each in kept)
        (repeated if again else kept).append(memory)
        said.add(mine)
    return kept, repeated


def _drawn(memory: Memory, other: Memory, words: Mapping[str, str]) -> bool:
    """Whether one of the two is the evidence of the other and holds its words."""
    if memory.id in other.evidence:
        return words[other.id] in words[memory.id]
    return other.id in memory.evidence and words[memory.id] in words[other.id]


def _lines(memories: Sequence[Memory]) -> list[tuple[Memory, str]]:
    ids = _short_ids([each.id for each in memories])
    return [(each, _line(each, short)) for each, short in zip(memories, ids, strict=True)]


def _line(memory: Memory, short_id: str) -> str:
    """Text, then (date; id; what limits its trust), white space made single blanks."""
    notes = [f"{memory.moment:%Y-%m-%d}", short_id]
    if memory.kind == "episode" and memory.author:
        notes.insert(0, memory.author)
    if memory.trust == "untrusted":
        notes.append("untrusted")
    return f"{' '.join(memory.content.split())} ({'; '.join(notes)})"


def _short_ids(ids: Sequence[str]) -> list[str]:
    """The first eight characters of each id, more where two of them begin alike."""
    length = _ID_CHARACTERS
    while len({each[:length] for each in ids}) < len(set(ids)):
        length += 1
    return [each[:length].rstrip("-") for each in ids]


def _trusts(options: Mapping[str, Any]) -> tuple[str, ...]:
    given = options.get("trusts") or ()
    return (given,) if isinstance(given, str) else tuple(given)
