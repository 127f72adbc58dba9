"""Auto-memory: sentences of a user's message that are worth saving.

Signals: a request to remember, who the user is or no longer is, what they prefer, what was decided. Patterns are
data (`savings` of a language): regular expressions over folded text, so accents and letter case do not matter.
A signal counts only at the start of a sentence: there it is not reported, quoted, asked or hypothetical.
Source: Engram's page and the constants of its code, see docs/reference/presets.md.
"""

from __future__ import annotations

import re
from typing import Literal

from combray.language.caches import from_tables
from combray.language.folding import fold, is_unspaced
from combray.language.tables import phrase_lists
from combray.records import dataclass

Kind = Literal["explicit", "identity", "preference", "decision"]
Category = Literal["preference", "decision", "fact"]

MOST = 3
"""Savings from one message. Source: Mnemo, see docs/reference/presets.md."""
SHORTEST, SHORTEST_UNSPACED = 5, 3
"""Characters below which a text is not saved; three characters of Chinese say as much as five letters."""
LONGEST_SENTENCE, LONGEST_LABELLED = 300, 1000
"""A longer sentence is prose, not a statement about oneself. Text labelled "Save:" may be longer."""
AGENTS = frozenset(("assistant", "ai", "bot", "agent", "model", "system", "tool", "function", "developer"))
"""Roles and names of authors that are not users."""

_CODE_OR_QUOTE = re.compile(r"```(?s:.*?)(?:```|\Z)|^[^\S\n]*>.*$", re.MULTILINE)
_RECALLED = re.compile(r"</?(?:memory-[a-z]+|relevant-memories)>", re.IGNORECASE)
"""Marks of memories that were printed into a prompt: what was recalled is not saved again."""
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?…]+(?=\s|$)|[。！？；]+|(?=\n|$))")
_QUESTION_ENDS = ("?", "？")
_AROUND = " \t\r\n,，、;；:：-–—*"


@dataclass(frozen=True, slots=True)
class Saving:
    """One thing worth saving: its text as said, the category and importance (1-5) it gets, and the reason."""

    kind: Kind
    text: str
    category: Category
    importance: int
    reason: str


_listed = phrase_lists("savings", "openers labels requests identity preference habit decision ended never")
"""Patterns by key.

openers: what may precede a signal ("by the way", "could you"); labels: "Save:", which covers the rest of the
message; requests: "remember that"; identity, preference, habit, decision: how a sentence to save starts; ended:
how one starts that says of the speaker that something is over ("I no longer …"); never: words of a secret or of
an instruction to a model. Nothing is saved of a message that contains them.
"""

_SIGNS: tuple[tuple[str, Kind, Category, int], ...] = (
    ("ended", "identity", "fact", 3),
    ("decision", "decision", "decision", 3),
    ("identity", "identity", "fact", 3),
    ("preference", "preference", "preference", 3),
    ("habit", "preference", "preference", 2),
)
"""Key of the tables, kind, category and importance, in order of precedence."""
_LABELLED, _ASKED = 4, 3
"""Importance of text after "Save:", and after "remember that"."""


def _any(key: str) -> str:
    return f"(?:{'|'.join(f'(?:{pattern})' for pattern in _listed(key))})"


def _start() -> str:
    # At most five openers: without a limit the time would be quadratic in a row of them.
    return rf"^(?:{_any('openers')}[\s,!]*){{0,5}}"


@from_tables
def _never() -> re.Pattern[str]:
    return re.compile(_any("never"))


@from_tables
def _opening(key: str) -> re.Pattern[str]:
    return re.compile(_start() + _any(key))


@from_tables
def _wanted() -> re.Pattern[str]:
    """Return a pattern of a request to save what follows; group "label" if it covers the whole rest."""
    return re.compile(rf"{_start()}(?:(?P<label>{_any('labels')})|{_any('requests')})\s*")


def worth_saving(text: str, role: str = "user") -> list[Saving]:
    """Return what is worth saving of a message, in order, at most three things; nothing for most messages.

    `role` is the author's role or name: text of an agent, a tool or the system is never saved. Nothing is saved
    of a message that mentions a secret, instructs a model or holds recalled text.
    """
    if is_agent(role) or _RECALLED.search(text) or _never().search(fold(text)):
        return []
    own, found = _CODE_OR_QUOTE.sub("", text), list[Saving]()
    for hit in _SENTENCE.finditer(own):
        sentence = hit[0].strip()
        folded = fold(sentence)
        if wanted := _wanted().match(folded):
            labelled = wanted["label"] is not None
            found += _asked_for(own[hit.start() :].strip() if labelled else sentence, wanted.end(), labelled)
            if labelled:
                break
        elif (
            not sentence.endswith(_QUESTION_ENDS)
            and _fits(sentence, LONGEST_SENTENCE)
            and (sign := _sign(folded))
        ):
            found.append(Saving(sign[1], sentence, sign[2], sign[3], f"says a {sign[1]}"))
    return found[:MOST]


def is_agent(role: str) -> bool:
    """Return whether a role or name is that of an agent, a tool or the system."""
    return role.strip().casefold() in AGENTS


def _asked_for(text: str, prefix: int, labelled: bool) -> list[Saving]:
    """Return the saving that follows a folded prefix of that length, if there is one."""
    start = next((at for at in range(len(text) + 1) if len(fold(text[:at])) >= prefix), len(text))
    kept = text[start:].strip(_AROUND)
    kept = kept.rstrip("?？") if text.endswith(_QUESTION_ENDS) and not labelled else kept
    if not _fits(kept, LONGEST_LABELLED):
        return []
    sign = _sign(fold(kept))
    importance = _LABELLED if labelled else _ASKED
    return [Saving("explicit", kept, sign[2] if sign else "fact", importance, "asked to be remembered")]


def _sign(folded: str) -> tuple[str, Kind, Category, int] | None:
    return next((sign for sign in _SIGNS if _opening(sign[0]).search(folded)), None)


def _fits(text: str, longest: int) -> bool:
    return (SHORTEST_UNSPACED if is_unspaced(text) else SHORTEST) <= len(text) <= longest
