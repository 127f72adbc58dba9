"""Render memories for a prompt: one line each, with date, id and trust."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from combray.errors import InvalidInputError
from combray.facts.successors import marks
from combray.language.dates.statements import days_named
from combray.language.indexing import same_text
from combray.language.model_tokens import TokenCounter, estimate
from combray.prompt.budget import BUDGET, Context, Dropped, Piece, Slot, assemble
from combray.prompt.excerpt import excerpt
from combray.prompt.formats import FORMATS, STYLES, Format, Line, Style
from combray.prompt.held import QUESTION, add_shown, held, shown_before
from combray.recall.assemble import marked_hits
from combray.records import dataclass, replace
from combray.runtime import Memories, Reader
from combray.types import Answer, Memory, RecallOptions
from combray.values import MAX_LABEL, MAX_LIMIT, clean_text, one_of, short_ids, whole

LIMIT = 20
"""Memories considered for a context; 1,500 tokens hold fewer."""
_ID_CHARACTERS = 8
_REPEATS = "duplicates an earlier memory"
_DATED_CHARACTERS, _MOST_DAYS = 1000, 3
"""Of a memory, how much is searched for relative days, and how many are explained."""
_ECHOES = 10
"""Hits beyond the limit that are asked for: the same question may have been asked before."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a context is made for: its form, and what the prompt holds already (`Engine.context`)."""

    counter: TokenCounter | None = None
    limit: int = LIMIT
    namespaces: Sequence[str] | None = None
    exclude: Iterable[Any] = ()
    messages: Iterable[Any] = ()
    session: str | None = None
    format: Format = "text"
    sure: bool = False
    characters: int | None = None


def answer_context(
    memories: Memories, query: str, budget: int | None, prompt: Prompt, options: RecallOptions
) -> Context:
    """Return the memories that answer the query as cited text, marked as data; see `Engine.context`."""
    refuse_quarantined(options)
    style = STYLES[one_of("format", prompt.format, FORMATS)]
    budget, store = budget_of(memories, budget), memories.runtime.store
    counter = bounded(prompt.counter, budget, prompt.characters)
    names = tuple(prompt.namespaces or (memories.namespace,))
    session = "" if prompt.session is None else clean_text("session", prompt.session, MAX_LABEL)
    before = [shown_before(store.reader(name), session) for name in names] if session else []
    there = held(query, prompt.exclude, prompt.messages, before)
    room = min(MAX_LIMIT, prompt.limit + _ECHOES)
    answer = memories.recall(query, limit=room, namespaces=prompt.namespaces, **options)
    # The question takes no room. What the prompt holds does: weaker hits are no substitute for it.
    reasons = {hit.memory.id: there.why(hit.memory) for hit in answer}
    echoes = [hit.memory.id for hit in answer if reasons[hit.memory.id] == QUESTION]
    weak = answer.details.get("weak", "") if prompt.sure else ""
    near = [] if weak else [hit.memory for hit in answer if hit.memory.id not in echoes][: prompt.limit]
    new = [each for each in near if not reasons[each.id]]
    kept, repeated = without_repeats(new)
    first = max((each.number for each in before), default=0) + 1
    numbers = {each.id: number for number, each in enumerate(kept, first)}
    noted = marks(answer, numbers, memories.runtime.clock())
    short = short_ids([each.id for each in kept], partial(known_by, [store.reader(name) for name in names]))
    listed = [_piece(each, short[each.id], style, numbers[each.id], noted.get(each.id, "")) for each in kept]
    # Of a memory that does not fit, the part that answers is shown.
    listed = [replace(each, cut=lambda text, width: excerpt(text, query, width)) for each in listed]
    slot = Slot("memories", style.heading, 0, budget)
    made = assemble(
        {slot.name: listed},
        budget=budget,
        counter=counter,
        slots=(slot,),
        state=f"the evidence is weak: {weak}" if weak else answer.reason,
        wrap=style.wrap,
    )
    if session:
        _note(memories, names, session, made, kept, numbers)
    omitted = [(hit.memory, reasons[hit.memory.id]) for hit in answer if reasons[hit.memory.id]]
    return with_repeats(_with(made, omitted, counter), repeated, counter)


def _note(
    memories: Memories,
    names: Sequence[str],
    session: str,
    made: Context,
    kept: Sequence[Memory],
    numbers: Mapping[str, int],
) -> None:
    """Remember which memories the session's prompt holds now."""
    shown = {each for section in made.sections for each in section.ids}
    for name in names:
        ids = [each.id for each in kept if each.id in shown and each.namespace == name]
        highest = max((numbers[each] for each in ids), default=0)
        add_shown(memories.runtime.store, name, session, ids, highest)


def known_by(readers: Sequence[Reader], beginnings: list[str]) -> list[str]:
    """Return the beginnings of ids that name one memory."""
    found = Counter(each for reader in readers for each in reader.keys_of(beginnings))
    return [each for each, count in found.items() if count == 1]


def _with(made: Context, omitted: Sequence[tuple[Memory, str]], counter: TokenCounter) -> Context:
    """Add memories that were left out to `dropped`, each with the reason."""
    more = tuple(Dropped("held", each.id, counter(each.content), why) for each, why in omitted)
    return replace(made, dropped=made.dropped + more)


def with_repeats(made: Context, repeated: Sequence[Memory], counter: TokenCounter) -> Context:
    """Add duplicates to `dropped`."""
    again = tuple(Dropped("repeats", each.id, counter(each.content), _REPEATS) for each in repeated)
    return replace(made, dropped=made.dropped + again)


def budget_of(memories: Memories, budget: int | None) -> int:
    """Return the given budget, or the setting `context_budget`."""
    return int(memories.settings.get("context_budget", BUDGET)) if budget is None else budget


def bounded(counter: TokenCounter | None, budget: int, characters: int | None) -> TokenCounter:
    """Return a counter by which a text of `characters` fills the budget, whatever its tokens."""
    counted = counter or estimate
    if characters is None:
        return counted
    most = whole("characters", characters, 1, 10**9)
    return lambda text: max(counted(text), math.ceil(len(text) * budget / most))


def pieces(memories: Sequence[Memory], noted: Mapping[str, str] = MappingProxyType({})) -> list[Piece]:
    """Return one unnumbered line per memory. `noted`: notes on time (`facts.successors.marks`), by id."""
    ids = {each.id for each in memories}
    length = _ID_CHARACTERS
    while len({each[:length] for each in ids}) < len(ids):
        length += 1
    style = STYLES["text"]
    return [_piece(each, each.id[:length].rstrip("-"), style, 0, noted.get(each.id, "")) for each in memories]


def line_pieces(memories: Memories, listed: Sequence[Memory]) -> list[Piece]:
    """Return one unnumbered line per memory, each with an id that names it alone in the namespace."""
    short = short_ids([each.id for each in listed], partial(known_by, [memories.reader]))
    noted = notes_on(memories, listed)
    return [_piece(each, short[each.id], STYLES["text"], 0, noted.get(each.id, "")) for each in listed]


def notes_on(memories: Memories, listed: Sequence[Memory]) -> dict[str, str]:
    """Return the notes on time of memories that were found without a question, by id."""
    reader, runtime = memories.reader, memories.runtime
    keys = np.array(sorted(reader.keys_of([each.id for each in listed]).values()), dtype=np.int64)
    return marks(marked_hits(runtime, reader, memories.namespace, keys), {}, runtime.clock())


def _piece(memory: Memory, short_id: str, style: Style, number: int = 0, mark: str = "") -> Piece:
    """Return a memory as one line, with white space collapsed. Its source is the author, else what stored it."""
    date, untrusted = f"{memory.moment:%Y-%m-%d}", memory.trust == "untrusted"
    source, text = " ".join((memory.author or memory.source).split()), " ".join(memory.content.split())
    line = Line(short_id, date, source, number, untrusted, mark, _days(text, memory))
    return Piece(memory.id, text, partial(style.line, line))


def _days(text: str, memory: Memory) -> str:
    """Return what the first relative days in a text mean: "Tuesday = 2026-12-01"."""
    named = days_named(text[:_DATED_CHARACTERS], memory.moment, memory.valid_from)
    meant = dict.fromkeys(f"{each.text} = {each}" for each in named if each.relative)
    return ", ".join(list(meant)[:_MOST_DAYS])


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


def result_pieces(found: Sequence[Memory | str], noted: Mapping[str, str]) -> list[Piece]:
    """Return results as pieces: one line per memory, with its note of `noted`; texts unchanged."""
    lines = iter(pieces([each for each in found if isinstance(each, Memory)], noted))
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
        mine = same_text(memory.content)
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
    # The capital of a sentence may be inside the other text.
    words, others = words.casefold(), others.casefold()
    if memory.id in other.evidence:
        return others in words
    return other.id in memory.evidence and words in others


def refuse_quarantined(options: Mapping[str, Any]) -> None:
    """Raise InvalidInputError if the options ask for quarantined memories, which never reach a prompt."""
    trusts = options.get("trusts") or ()
    if trusts == "quarantined" or (not isinstance(trusts, str) and "quarantined" in tuple(trusts)):
        problem = "must not include 'quarantined' here: no prompt shows such memories."
        raise InvalidInputError("trusts", problem, "See them with combray review --quarantined.")
