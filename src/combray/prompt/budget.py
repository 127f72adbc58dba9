"""What goes into a prompt when tokens are few: tiers with bounds and a rank, and an account of what stayed out.

The five tiers, their bounds and their rank are section 6 of the Semantic Fact System's plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from combray.language.token_count import TokenCounter, estimate
from combray.prompt.fence import fenced
from combray.prompt.truncation import cut_evenly, shortened
from combray.values import whole

BUDGET = 1500
"""Hard limit in tokens (section 6, rule 4)."""
LEAST_BUDGET, MOST_BUDGET = 100, 10_000_000
REQUIRED_TURNS, MOST_TURNS = 3, 5
"""The last 3 to 5 turns (section 6): three are always there, cut if need be; two more where they fit."""
LEAST_CUT = 50
"""With less room a memory is left out rather than cut (upstream notes 6.2: stop under 50)."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One text that may go into a prompt; `id` comes back in `Section.ids` and `Dropped.id`."""

    id: str
    text: str


Fits = Callable[[Sequence[Piece]], bool]


@dataclass(frozen=True, slots=True)
class Tier:
    """A kind of text and its bounds in tokens, heading included.

    It takes up to `most` (None: all that is left), but leaves the tiers of lower rank what they are sure of,
    their `least`, as long as its own `least` is met. `keeping` "turns": the newest, three of them cut rather
    than left out; "items" and "fill": whole, best first, only the best one cut rather than left out.
    """

    name: str
    heading: str
    least: int
    most: int | None
    keeping: Literal["turns", "items", "fill"] = "items"


TIERS: tuple[Tier, ...] = (
    Tier("recent", "RECENT MESSAGES", 300, 500, "turns"),
    Tier("tools", "SEARCH RESULTS", 400, 400),
    Tier("facts", "FACTS", 100, 200),
    Tier("episodes", "EARLIER CONVERSATIONS", 100, 200),
    Tier("system", "", 0, None, "fill"),
)
"""By rank: the first is required, the second high, the next two medium, the last fills what is left."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A piece that did not go in, or not whole: the tokens of all of it, and why."""

    tier: str
    id: str
    tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class Section:
    """What a tier put into the prompt."""

    tier: str
    text: str
    ids: tuple[str, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Context:
    """Text for a prompt, what it costs by the counter, its parts by rank, and what stayed out.

    `state` says how fresh the streamed memories are, or how a question was answered.
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
    tiers: Sequence[Tier] = TIERS,
    state: str = "",
) -> Context:
    """Choose what fits and render it.

    `pieces` by name of tier: turns in the order they were said, the others best first. The tokens of the whole
    text are never above the budget, whatever the counter. In the text the "fill" tier stands first; then, inside
    a fence (`conversation.fence`), the others, the turns last. Raises InvalidInputError for a budget below 100.
    """
    whole("budget", budget, LEAST_BUDGET, MOST_BUDGET)
    dropped: list[Dropped] = []
    chosen: dict[str, list[Piece]] = {}
    offered = {tier.name: [each for each in pieces.get(tier.name, ()) if each.text.strip()] for tier in tiers}
    left = budget - counter(fenced(""))
    claims = [min(tier.least, _cost(tier, offered[tier.name], counter)) if tier.least else 0 for tier in tiers]
    for place, tier in enumerate(tiers):
        room = min(
            left if tier.most is None else tier.most, max(tier.least, left - sum(claims[place + 1 :])), left
        )
        kept = _choose(tier, offered[tier.name], room, counter)
        dropped += _account(tier, offered[tier.name], kept, room, counter)
        chosen[tier.name] = kept
        left -= _cost(tier, kept, counter)
    while (text := _render(tiers, chosen)) and counter(text) > budget:
        # The parts fitted one by one, but a counter may find more in the whole than in its parts.
        dropped.append(_take_out(tiers, chosen, counter))
    sections = tuple(
        Section(tier.name, body, tuple(piece.id for piece in chosen[tier.name]), counter(body))
        for tier in tiers
        if (body := _body(tier, chosen[tier.name]))
    )
    return Context(text, sections, counter(text) if text else 0, tuple(dropped), budget, state)


def _choose(tier: Tier, offered: Sequence[Piece], room: int, counter: TokenCounter) -> list[Piece]:
    def fits(listed: Sequence[Piece]) -> bool:
        return _cost(tier, listed, counter) <= room

    if tier.keeping == "turns":
        return _latest(offered, fits)
    kept: list[Piece] = []
    for piece in offered:
        if fits([*kept, piece]):
            kept.append(piece)
        elif not kept and (tier.keeping == "fill" or room >= LEAST_CUT):
            kept += _cut([piece], fits)
    return kept


def _latest(turns: Sequence[Piece], fits: Fits) -> list[Piece]:
    """The newest turns without a gap: up to five whole ones, or up to three with the longest cut."""
    for count in range(min(MOST_TURNS, len(turns)), min(REQUIRED_TURNS, len(turns)), -1):
        if fits(turns[-count:]):
            return list(turns[-count:])
    for count in range(min(REQUIRED_TURNS, len(turns)), 0, -1):
        if cut := _cut(turns[-count:], fits):
            return cut
    return []


def _cut(pieces: Sequence[Piece], fits: Fits) -> list[Piece]:
    """The pieces, the longest of them cut evenly until they fit; none if nothing helps."""

    def named(texts: Sequence[str]) -> list[Piece]:
        return [Piece(piece.id, text) for piece, text in zip(pieces, texts, strict=True)]

    texts = cut_evenly([piece.text for piece in pieces], lambda tried: fits(named(tried)))
    return named(texts) if texts else []


def _account(
    tier: Tier, offered: Sequence[Piece], kept: Sequence[Piece], room: int, counter: TokenCounter
) -> list[Dropped]:
    """What of the offered is missing or cut, in the order offered."""
    have = {piece.id: piece.text for piece in kept}
    lost = [piece for piece in offered if have.get(piece.id) != piece.text]
    why = {
        "turns": f"older than the last {len(kept)} turns, for which there is room",
        "items": f"no room in the tier's {room} tokens",
        "fill": f"no room in the {room} tokens left",
    }[tier.keeping]
    return [
        Dropped(tier.name, piece.id, counter(piece.text), "cut to fit" if piece.id in have else why)
        for piece in lost
    ]


def _take_out(tiers: Sequence[Tier], chosen: dict[str, list[Piece]], counter: TokenCounter) -> Dropped:
    """Remove the least important piece: of the last tier that has any the worst, or the oldest turn."""
    tier = next(each for each in reversed(tiers) if chosen[each.name])
    kept = chosen[tier.name]
    place = 0 if tier.keeping == "turns" else -1
    piece = kept.pop(place)
    half = shortened(piece.text, len(piece.text) // 2)
    if (tier.keeping == "fill" or (tier.keeping == "turns" and not kept)) and len(half) < len(piece.text):
        kept.append(Piece(piece.id, half))
    return Dropped(tier.name, piece.id, counter(piece.text), "the whole cost more than its parts")


def _cost(tier: Tier, pieces: Sequence[Piece], counter: TokenCounter) -> int:
    return counter(f"{_body(tier, pieces)}\n\n") if pieces else 0


def _body(tier: Tier, pieces: Sequence[Piece]) -> str:
    if not pieces:
        return ""
    return "\n".join(([tier.heading] if tier.heading else []) + [piece.text for piece in pieces])


def _render(tiers: Sequence[Tier], chosen: Mapping[str, Sequence[Piece]]) -> str:
    instructions = [_body(tier, chosen[tier.name]) for tier in tiers if tier.keeping == "fill"]
    remembered = [_body(tier, chosen[tier.name]) for tier in tiers if tier.keeping == "items"]
    turns = [_body(tier, chosen[tier.name]) for tier in tiers if tier.keeping == "turns"]
    stored = "\n\n".join(filter(None, (*remembered, *turns)))
    return "\n\n".join(filter(None, (*instructions, fenced(stored) if stored else "")))
