"""The direction of a date in a statement: "my appointment is Tuesday" lies ahead, "I saw her Tuesday" behind.

A weekday or a date without a year names many days. In a question it is the latest one. In a statement the tense
of its clause decides. The words are data (`tense` of a language).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from combray.language.folding import plain
from combray.language.tense import Tense, clauses, pattern_of, respelt, tense_of

if TYPE_CHECKING:
    from combray.language.dates.resolution import TimeExpression


def resolve_stated(
    text: str, moment: datetime, tense: Tense | None = None, begins: datetime | None = None
) -> list[TimeExpression]:
    """Return the time expressions of a statement made at `moment`, in order, without overlaps.

    Like `dates.resolve`, but each clause looks forward or back by its verb. Pass `tense` if it is known, and
    `begins` if it is known from when the statement holds: "I live in Bern from 1 March".
    """
    # The grammars take 50 ms to build: a text without a date must not pay for them.
    from combray.language.dates.resolution import resolve

    found = resolve(text, moment)
    if not found:
        return found
    wanted = [is_ahead(text, each.span, tense) for each in found]
    turned: dict[bool, dict[tuple[int, int], TimeExpression]] = {
        ahead: {each.span: each for each in resolve(text, moment, forward=ahead)}
        for ahead in set(wanted)
        if ahead is not None
    }
    if begins is not None and None in wanted:
        coming = turned.get(True) or {each.span: each for each in resolve(text, moment, forward=True)}
        starts = {span for span, each in coming.items() if each.start == begins}
        wanted = [
            True if ahead is None and each.span in starts else ahead
            for each, ahead in zip(found, wanted, strict=True)
        ]
        turned[True] = coming
    return [
        each if ahead is None else turned[ahead].get(each.span, each)
        for each, ahead in zip(found, wanted, strict=True)
    ]


def is_ahead(text: str, span: tuple[int, int], tense: Tense | None = None) -> bool | None:
    """Return whether a date at these offsets lies ahead of the moment at which the text was said.

    None if the words do not tell: a clause without a verb, or a date that only describes a thing ("the photos
    from Tuesday").
    """
    start, end = next((each for each in clauses(text) if each[0] <= span[0] < each[1]), (0, len(text)))
    before, after = plain(text[start : span[0]]), plain(text[span[1] : end])
    inside = plain(text[span[0] : span[1]])
    if pattern_of("attached").search(before) or after.startswith(("'s ", "s ")):
        return None
    if pattern_of("arranged").search(before) or pattern_of("arranged").match(inside):
        return True
    clause = respelt(f"{before} {inside} {after}")
    if pattern_of("happened").search(clause):
        return False
    if pattern_of("coming").search(clause):
        return True
    tense = tense or tense_of(text)
    if tense in ("planned", "past"):
        return tense == "planned"
    return None


def tells_of_past(words: str) -> bool:
    """Return whether words have a verb of what happened ("wrote", "has been"), whatever else they say."""
    return pattern_of("happened").search(respelt(plain(words))) is not None
