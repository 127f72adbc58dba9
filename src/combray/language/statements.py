"""Statements: sentences rewritten to be understood alone.

"I moved to Berlin", said by Caroline, becomes "Caroline moved to Berlin". Conservative: a sentence that depends
on another ("I love it"), asks, guesses, wishes, jokes or addresses somebody gives nothing. The words are data
(`en/statements.json`). In other languages a sentence is kept as said, if `savings.py` finds identity,
preference or decision in it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime
from typing import Literal

from combray.language.dates.absolute import Dated, dated
from combray.language.savings import MOST, Saving, is_agent, is_said, is_unfit, sentences, worth_saving
from combray.language.scripts import language
from combray.language.statement_grammar import Clause, grammar
from combray.language.tokens import content_terms
from combray.records import dataclass, replace

USER = "User"
_USER_NAMES = frozenset(("", "user", "human", "me", "owner", "customer", "用户"))
_MOST_WORDS, _FEWEST_WORDS = 30, 3
_ADDITION = re.compile(r"(\S+) \(((?:about )?\d{4}(?:-\d\d)*(?: to \d{4}(?:-\d\d)*)?)\)")
_APOSTROPHES = str.maketrans("\u2018\u2019\u02bc", "'''")

Category = Literal["preference", "decision", "fact"]


@dataclass(frozen=True, slots=True)
class Statement:
    """What a sentence states. `attribute` and `value` are "" if they cannot be separated.

    `as_said`: the text is the speaker's own ("tôi sống ở Huế") and needs its author to be understood. `since`
    is the time it names, aware; None if it names none.
    """

    text: str
    subject: str
    attribute: str = ""
    value: str = ""
    category: Category = "fact"
    as_said: bool = False
    since: datetime | None = None


def speaker(author: str | None) -> str:
    """Return the name that replaces "I"; "User" for an author without name or with the role of a user."""
    name = " ".join((author or "").split())
    return USER if name.casefold() in _USER_NAMES else name


def statements(text: str, author: str | None, moment: datetime, known: Collection[str] = ()) -> list[Statement]:
    """Return what a message states about its author or one of the `known` names, at most three statements.

    `moment` is when it was said (aware); relative dates are resolved from it. Text of agents and tools gives
    nothing, nor does a message that `savings.is_unfit` refuses. Never raises.
    """
    if is_agent(author or "") or is_unfit(text):
        return []
    name = speaker(author)
    found: dict[str, Statement] = {}
    for sentence in sentences(text):
        stated = _plain(sentence, name, moment, known)
        if stated is not None:
            found.setdefault(sentence, stated)
    for saving in worth_saving(text):
        if not any(saving.text in sentence for sentence in found):
            stated = _kept(saving, name, moment, known)
            if stated is not None:
                found[saving.text] = stated
    return list({each.text: each for each in found.values()}.values())[:MOST]


def _kept(saving: Saving, name: str, moment: datetime, known: Collection[str]) -> Statement | None:
    """Return a saving as a statement; as said if the grammar cannot parse it, or several people decided it."""
    stated = _plain(saving.text[:1].upper() + saving.text[1:], name, moment, known)
    if stated is not None:
        return replace(stated, category=saving.category)
    rules, text = grammar(), saving.text
    if language(text) == "en" and not saving.labelled:
        text = _clause(text.translate(_APOSTROPHES)) if saving.kind == "decision" else ""
        alone = rules.ourselves.sub("", text)
        if alone == text or rules.table.dangling.search(alone) or rules.table.conditions.search(text):
            return None
    if rules.table.joking.search(text):
        return None
    when = dated(text.rstrip(".。!！ "), moment)
    return Statement(when.text, name, category=saving.category, as_said=True, since=when.start)


def _plain(sentence: str, name: str, moment: datetime, known: Collection[str]) -> Statement | None:
    clause = _clause(sentence.translate(_APOSTROPHES))
    if not clause:
        return None
    when = dated(clause, moment)
    rules = grammar()
    ours = rules.ours.match(clause) is not None
    bare = re.sub(r"^Our ", "", when.plain) if ours else when.plain
    if rules.table.dangling.search(bare) or rules.table.conditions.search(when.plain):
        return None
    if not content_terms(when.plain):
        return None
    stated = rules.first_person(clause, name) or rules.owned(clause, name) or rules.named(clause, known)
    return None if stated is None else _statement(stated, when, clause, ours, name)


def _clause(sentence: str) -> str:
    """Return the first clause of a possible statement, with a leading date moved to its end; or ""."""
    rules = grammar()
    if rules.table.joking.search(sentence) or sentence.rstrip().endswith(("?", "？")) or not is_said(sentence):
        return ""
    text = sentence.strip().rstrip(".!… ")
    while opener := rules.table.openers.match(text):
        text = text[opener.end() :]
    lead = rules.table.leads.match(text)
    tail = ""
    if lead is not None:
        tail = " " + lead[0].strip(" ,")[:1].lower() + lead[0].strip(" ,")[1:]
        text = text[lead.end() :]
    cut = rules.table.cuts.search(text)
    if cut is not None:
        if rules.table.exceptions.match(cut[0]):
            return ""
        text = text[: cut.start()]
    text = text[:1].upper() + text[1:]
    text = re.sub(r",? too$", "", text)
    return text + tail if _FEWEST_WORDS <= len(text.split()) <= _MOST_WORDS else ""


def _statement(stated: Clause, when: Dated, clause: str, ours: bool, name: str) -> Statement:
    """Return the clause in the third person, with its dates in full."""
    text = stated.text
    if when.text != clause:
        # Pronouns and verb forms have changed the words before the date, not the date itself.
        for found in _ADDITION.finditer(when.text):
            if found[0] not in clause:
                text = text.replace(found[1], found[0], 1)
    category: Category = "preference" if stated.attribute in grammar().table.tastes else "fact"
    value = stated.value if when.plain == clause else _without_dates(stated.value, clause, when)
    value = re.sub(rf"(?:\s(?:{'|'.join(grammar().table.adverbs)}))+$", "", value)
    return Statement(
        text=text,
        subject=name if ours else stated.subject,
        attribute=stated.attribute,
        value=value,
        category=category,
        as_said=ours,
        since=when.start if stated.past else None,
    )


def _without_dates(value: str, clause: str, when: Dated) -> str:
    """Return the value without the dates that the clause names."""
    kept = set(when.plain.split())
    gone = [word for word in clause.split() if word not in kept]
    words = [word for word in value.split() if word not in gone]
    while words and words[-1] in grammar().table.trailing:
        words.pop()
    return " ".join(words)
