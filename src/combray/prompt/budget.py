"""Fit texts into a token budget: ranked sections with bounds, and a report of what was dropped.

The five sections, their bounds and their order follow the Semantic Fact System design, see
docs/explanation/context.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from combray.language.model_tokens import TokenCounter, disarmed, estimate
from combray.prompt.excerpt import Cut, cut_evenly, shortened
from combray.prompt.formats import fenced
from combray.records import dataclass, field, replace
from combray.values import whole

BUDGET = 1500
"""Default hard limit in tokens."""
LEAST_BUDGET, MOST_BUDGET = 100, 10_000_000
REQUIRED_TURNS, MOST_TURNS = 3, 5
"""The last three turns are always included, truncated if necessary; two more if they fit."""
LEAST_CUT = 50
"""Tokens below which a memory is dropped instead of truncated."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One candidate text. Its `id` is reported in `Section.ids` or `Dropped.id`.

    `line` renders the text, whole or truncated, with what belongs to it, such as date and id. `cut` truncates it.
    """

    id: str
    text: str
    line: Callable[[str], str] = field(default=str, compare=False)
    cut: Cut = field(default=shortened, compare=False)

    @property
    def shown(self) -> str:
        """The text as the prompt shows it, without control tokens of a chat template."""
        return disarmed(self.line(self.text))


Fits = Callable[[Sequence[Piece]], bool]


@dataclass(frozen=True, slots=True)
class Slot:
    """A section of the prompt and its bounds in tokens, heading included.

    A section may grow to `most` (None: the rest of the budget) as long as every later section keeps its `least`.
    `keeping` "turns": the newest texts; three are truncated rather than dropped. "items" and "fill": whole texts,
    best first; only the best one is truncated rather than dropped.
    """

    name: str
    heading: str
    least: int
    most: int | None
    keeping: Literal["turns", "items", "fill"] = "items"


SLOTS: tuple[Slot, ...] = (
    Slot("recent", "RECENT MESSAGES", 300, 500, "turns"),
    Slot("tools", "SEARCH RESULTS", 400, 400),
    Slot("facts", "FACTS", 100, 200),
    Slot("episodes", "EARLIER CONVERSATIONS", 100, 200),
    Slot("system", "", 0, None, "fill"),
)
"""By priority: the first is required, the last fills the rest of the budget."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A piece that was dropped or truncated: its full size in tokens, and the reason."""

    section: str
    id: str
    tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class Section:
    """The rendered text of one section, and the ids of its pieces."""

    name: str
    text: str
    ids: tuple[str, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Context:
    """Text for a prompt, its size in tokens, its sections by priority, and what was dropped.

    `state` reports how fresh the streamed memories are, or how a question was answered.
    """

    text: str
    sections: tuple[Section, ...]
    tokens: int
    dropped: tuple[Dropped, ...]
    budget: int
    state: str = ""

    def __str__(self) -> str:
        return self.text


def assemble(
    pieces: Mapping[str, Sequence[Piece]],
    *,
    budget: int = BUDGET,
    counter: TokenCounter = estimate,
    slots: Sequence[Slot] = SLOTS,
    state: str = "",
    wrap: Callable[[str], str] = fenced,
) -> Context:
    """Select the pieces that fit and render them.

    `pieces` by section name: turns in chronological order, the others best first. The text never exceeds the
    budget by the given counter. The "fill" section comes first; the others follow inside a fence
    (`prompt.formats.fenced`, or another `wrap`), turns last. Raises InvalidInputError for a budget below 100.
    """
    whole("budget", budget, LEAST_BUDGET, MOST_BUDGET)
    dropped: list[Dropped] = []
    chosen: dict[str, list[Piece]] = {}
    offered = {slot.name: [each for each in pieces.get(slot.name, ()) if each.text.strip()] for slot in slots}
    left = budget - counter(wrap(""))
    claims = [min(slot.least, _cost(slot, offered[slot.name], counter)) if slot.least else 0 for slot in slots]
    for place, slot in enumerate(slots):
        room = min(
            left if slot.most is None else slot.most, max(slot.least, left - sum(claims[place + 1 :])), left
        )
        kept = _choose(slot, offered[slot.name], room, counter)
        dropped += _account(slot, offered[slot.name], kept, room, counter)
        chosen[slot.name] = kept
        left -= _cost(slot, kept, counter)
    while (text := _render(slots, chosen, wrap)) and counter(text) > budget:
        # Each part fitted, but a counter may count more tokens in the whole than in its parts.
        dropped.append(_take_out(slots, chosen, counter))
    sections = tuple(
        Section(slot.name, body, tuple(piece.id for piece in chosen[slot.name]), counter(body))
        for slot in slots
        if (body := _body(slot, chosen[slot.name]))
    )
    return Context(text, sections, counter(text) if text else 0, tuple(dropped), budget, state)


def _choose(slot: Slot, offered: Sequence[Piece], room: int, counter: TokenCounter) -> list[Piece]:
    def fits(listed: Sequence[Piece]) -> bool:
        return _cost(slot, listed, counter) <= room

    if slot.keeping == "turns":
        return _latest(offered, fits)
    kept: list[Piece] = []
    for piece in offered:
        if fits([*kept, piece]):
            kept.append(piece)
        elif not kept and (slot.keeping == "fill" or room >= LEAST_CUT):
            kept += _cut([piece], fits, piece.cut)
    return kept


def _latest(turns: Sequence[Piece], fits: Fits) -> list[Piece]:
    """Return the newest consecutive turns: up to five whole ones, or up to three with the longest truncated."""
    for count in range(min(MOST_TURNS, len(turns)), min(REQUIRED_TURNS, len(turns)), -1):
        if fits(turns[-count:]):
            return list(turns[-count:])
    for count in range(min(REQUIRED_TURNS, len(turns)), 0, -1):
        if cut := _cut(turns[-count:], fits):
            return cut
    return []


def _cut(pieces: Sequence[Piece], fits: Fits, cut: Cut = shortened) -> list[Piece]:
    """Truncate the longest pieces to a common length so that all fit; [] if no length fits."""

    def named(texts: Sequence[str]) -> list[Piece]:
        return [replace(piece, text=text) for piece, text in zip(pieces, texts, strict=True)]

    texts = cut_evenly([piece.text for piece in pieces], lambda tried: fits(named(tried)), cut)
    return named(texts) if texts else []


def _account(
    slot: Slot, offered: Sequence[Piece], kept: Sequence[Piece], room: int, counter: TokenCounter
) -> list[Dropped]:
    """Report the offered pieces that are missing or truncated, in order."""
    have = {piece.id: piece.text for piece in kept}
    lost = [piece for piece in offered if have.get(piece.id) != piece.text]
    why = {
        "turns": f"only the last {len(kept)} turns fit",
        "items": f"does not fit in the section's {room} tokens",
        "fill": f"does not fit in the remaining {room} tokens",
    }[slot.keeping]
    return [
        Dropped(slot.name, piece.id, counter(piece.shown), "truncated to fit" if piece.id in have else why)
        for piece in lost
    ]


def _take_out(slots: Sequence[Slot], chosen: dict[str, list[Piece]], counter: TokenCounter) -> Dropped:
    """Remove the least important piece: the worst piece, or the oldest turn, of the last non-empty section."""
    slot = next(each for each in reversed(slots) if chosen[each.name])
    kept = chosen[slot.name]
    place = 0 if slot.keeping == "turns" else -1
    piece = kept.pop(place)
    half = shortened(piece.text, len(piece.text) // 2)
    if (slot.keeping == "fill" or (slot.keeping == "turns" and not kept)) and len(half) < len(piece.text):
        kept.append(replace(piece, text=half))
    return Dropped(slot.name, piece.id, counter(piece.shown), "the whole text exceeds the sum of its parts")


def _cost(slot: Slot, pieces: Sequence[Piece], counter: TokenCounter) -> int:
    return counter(f"{_body(slot, pieces)}\n\n") if pieces else 0


def _body(slot: Slot, pieces: Sequence[Piece]) -> str:
    if not pieces:
        return ""
    return "\n".join(([slot.heading] if slot.heading else []) + [piece.shown for piece in pieces])


def _render(slots: Sequence[Slot], chosen: Mapping[str, Sequence[Piece]], wrap: Callable[[str], str]) -> str:
    instructions = [_body(slot, chosen[slot.name]) for slot in slots if slot.keeping == "fill"]
    remembered = [_body(slot, chosen[slot.name]) for slot in slots if slot.keeping == "items"]
    turns = [_body(slot, chosen[slot.name]) for slot in slots if slot.keeping == "turns"]
    stored = "\n\n".join(filter(None, (*remembered, *turns)))
    return "\n\n".join(filter(None, (*instructions, wrap(stored) if stored else "")))
