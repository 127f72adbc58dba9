"""Auto-memory: what a user says that is worth saving (requests, identity, preferences, decisions).

Patterns are data (`<code>/savings.json`): regular expressions over folded text, so that accents and letter case
do not matter. Source: the four signals and their constants are Engram's, see docs/reference/presets.md.
"""

from __future__ import annotations

import re
from typing import Literal

from combray.language.caches import from_tables
from combray.language.folding import fold, is_unspaced
from combray.language.tables import phrase_lists
from combray.records import dataclass

Kind = Literal["explicit", "identity", "preference", "decision"]

MOST = 3
"""Savings from one message. Source: Mnemo, see docs/reference/presets.md."""
SHORTEST, SHORTEST_UNSPACED = 5, 3
"""Characters below which a text is not saved; three characters of Chinese say as much as five letters."""
LONGEST_SENTENCE, LONGEST_LABELLED = 300, 1000
"""A longer sentence is prose, not a statement about oneself. Text labelled "Save:" may be longer."""
CODE_SHARE = 0.8
"""Share of code lines above which a message is a dump."""

_FENCED_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[^\S\n]*>.*$", re.MULTILINE)
_QUOTATION = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|「[^」\n]*」|『[^』\n]*』")
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?…]+(?=\s|$)|[。！？；]+|(?=\n|$))")
_QUESTION_ENDS = ("?", "？")
_AROUND = " \t\r\n,，、;；:：-–—*"


@dataclass(frozen=True, slots=True)
class Saving:
    """One thing worth saving: its text as said, the category and importance (1-5) it gets, and the reason."""

    kind: Kind
    text: str
    category: Literal["preference", "decision", "fact"]
    importance: int
    reason: str

    @property
    def labelled(self) -> bool:
        """Whether it followed a label: "Save: …"."""
        return self.kind == "explicit" and self.importance == _LABELLED


_listed = phrase_lists(
    "savings",
    "openers leads requests labels phrases identity preference habit decision questions hypothetical reported "
    "commands dangling narration noise secrets injections recalled code agents",
)
"""Patterns by key. Patterns of a clause match where a clause begins, the others anywhere.

openers, leads: what may precede a clause ("by the way", "after the review"); requests: what may precede `phrases`
("could you"); labels: "Save:"; phrases: "remember that"; identity, preference, habit, decision: how a clause
to save starts. A sentence that matches questions, hypothetical, reported, commands or dangling ("I love them") is
saved only on request. Nothing is saved of a message that matches narration, noise, secrets, injections or
recalled. code: a line of a program; agents: authors that are not users.
"""

_SIGNS: tuple[tuple[str, Kind, Literal["preference", "decision", "fact"], int], ...] = (
    ("decision", "decision", "decision", 3),
    ("identity", "identity", "fact", 3),
    ("preference", "preference", "preference", 3),
    ("habit", "preference", "preference", 2),
)
"""Key of the tables, kind, category and importance, in order of precedence."""
_LABELLED, _ASKED = 4, 3
"""Importance of text after "Save:", and after "remember that"."""
_NEVER = ("secrets", "injections", "recalled", "noise", "narration")
_NOT_SAID = ("questions", "hypothetical", "reported", "dangling", "commands")


def _any(section: str) -> str:
    return f"(?:{'|'.join(f'(?:{pattern})' for pattern in _listed(section))})"


@from_tables
def _anywhere(section: str) -> re.Pattern[str]:
    return re.compile(_any(section), re.MULTILINE)


@from_tables
def _opening(section: str) -> re.Pattern[str]:
    """Return a pattern of a clause: at the start of the sentence or after a comma, openers and a lead."""
    before = rf"(?:^|[,;]\s*)(?:{_any('openers')}[\s,!]*){{0,5}}(?:{_any('leads')},?\s*)?"
    return re.compile(before + _any(section))


@from_tables
def _wanted() -> re.Pattern[str]:
    """Return a pattern of a request to save what follows; group "label" if it covers the whole rest."""
    # At most five of each: without a limit the time would be quadratic in a row of openers.
    openers = rf"(?:{_any('openers')}[\s,!]*){{0,5}}"
    before = rf"^{openers}(?:{_any('requests')}\s*){{0,5}}{openers}"
    return re.compile(f"{before}(?:(?P<label>{_any('labels')})|{_any('phrases')})\\s*")


def worth_saving(text: str, role: str = "user") -> list[Saving]:
    """Return what is worth saving of a message, in order, at most three things; nothing for most messages.

    `role` is the author's role or name: text of an agent, a tool or the system is never saved. Nothing is saved
    of a message that holds a secret, an instruction to the model or recalled text, or is mostly code.
    """
    if is_agent(role) or is_unfit(text):
        return []
    own, found = _own(text), list[Saving]()
    for hit in _SENTENCE.finditer(own):
        sentence = hit[0].strip()
        if wanted := _wanted().match(fold(sentence)):
            labelled = wanted["label"] is not None
            found += _asked_for(own[hit.start() :].strip() if labelled else sentence, wanted.end(), labelled)
            if labelled:
                break
        elif is_said(sentence) and (sign := _sign(fold(_QUOTATION.sub(" “” ", sentence)).strip())):
            found.append(Saving(sign[1], sentence, sign[2], sign[3], f"says a {sign[1]}"))
    return found[:MOST]


def is_agent(role: str) -> bool:
    """Return whether a role or name is that of an agent, a tool or the system."""
    return role.strip().casefold() in _listed("agents")


def is_unfit(text: str) -> bool:
    """Return whether nothing of a message may be saved: it holds a secret, an instruction to the model, recalled
    text or the narration of an agent, or is mostly code."""
    plain = fold(text)
    if any(_anywhere(section).search(plain) for section in _NEVER):
        return True
    lines = [line for line in _own(text).splitlines() if line.strip()]
    return bool(lines) and sum(map(_line_of_code, lines)) > CODE_SHARE * len(lines)


def sentences(text: str) -> list[str]:
    """Return the sentences of a message without code blocks and quoted lines."""
    return [found[0].strip() for found in _SENTENCE.finditer(_own(text)) if found[0].strip()]


def is_said(sentence: str) -> bool:
    """Return whether a sentence is a plain statement: no question, hypothesis, report, command or code."""
    unquoted = fold(_QUOTATION.sub(" “” ", sentence)).strip()
    if sentence.endswith(_QUESTION_ENDS) or not _fits(sentence, LONGEST_SENTENCE):
        return False
    return not any(_anywhere(section).search(unquoted) for section in _NOT_SAID) and not _line_of_code(sentence)


def _own(text: str) -> str:
    return _QUOTED_LINE.sub("", _FENCED_CODE.sub("", text))


def _asked_for(text: str, prefix: int, labelled: bool) -> list[Saving]:
    """Return the saving that follows a folded prefix of that length, if there is one."""
    start = next((at for at in range(len(text) + 1) if len(fold(text[:at])) >= prefix), len(text))
    kept = text[start:].strip(_AROUND)
    kept = kept.rstrip("?？") if text.endswith(_QUESTION_ENDS) and not labelled else kept
    if not _fits(kept, LONGEST_LABELLED) or _anywhere("questions").search(fold(kept)):
        return []
    sign = _sign(fold(kept))
    importance = _LABELLED if labelled else _ASKED
    return [Saving("explicit", kept, sign[2] if sign else "fact", importance, "asked to be remembered")]


def _sign(folded: str) -> tuple[str, Kind, Literal["preference", "decision", "fact"], int] | None:
    return next((sign for sign in _SIGNS if _opening(sign[0]).search(folded)), None)


def _fits(text: str, longest: int) -> bool:
    return (SHORTEST_UNSPACED if is_unspaced(text) else SHORTEST) <= len(text) <= longest


def _line_of_code(line: str) -> bool:
    return _anywhere("code").search(fold(line)) is not None
