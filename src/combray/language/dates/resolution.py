"""Resolution: the time expressions of a text as ranges, and moments given alone.

Moments alone stand in settings, on the command line, in headers of transcripts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from combray.language.dates.actions import Context, settle
from combray.language.dates.grammar import Chart
from combray.language.dates.languages import Language, language, likely
from combray.language.dates.lexer import Token, has_characters, scripts_in, tokenize
from combray.language.dates.spans import Cycle, Span
from combray.records import dataclass

# The symbols of a grammar that are times.
_TIMES = frozenset({"SPAN", "CYCLE", "RANGE"})
# Between two digits these continue a number or a date in digits.
_JOINTS = frozenset(".,-/:")


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A time found in a text.

    `text` are the words as found and `span` their code point offsets; `start` (inclusive) and `end`
    (exclusive) carry the time zone of `now`. `kind` is "date" (a day), "period" (longer), "time" (shorter) or
    "open" (one side is the year 1000 or 3000). `explicit` is False for vague words ("recently") and for
    distances counted in weeks or longer ("two months ago"); those with a number are `counted`.
    """

    text: str
    span: tuple[int, int]
    start: datetime
    end: datetime
    kind: str
    explicit: bool
    counted: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    start: int
    end: int
    evidence: int
    span: Span | None  # None for words that only look like a time


def resolve(
    text: str, now: datetime, languages: Sequence[str] | None = None, *, forward: bool | None = None
) -> list[TimeExpression]:
    """Return the time expressions of `text`, in order and without overlaps, relative to `now`.

    `languages` are codes of tables; None tries the languages of the scripts in the text. The
    longest match wins, then the language whose letters and common words the text has. Dates without a year
    are the latest that have begun, or the next ones when the text looks forward ("will", "sẽ", "将"); `forward`
    decides instead of the text. A statement is better resolved by its tense (`language.dates.statements`).
    Ambiguous digits are month first in English, day first in Vietnamese. Raises ValueError for an unknown
    language.
    """
    tokens = tokenize(text)
    if not tokens:
        return []
    candidates: list[_Candidate] = []
    if languages is None:
        languages = likely(tokens, text, scripts_in(text) or {"latin"})
    for code in languages:
        candidates.extend(_candidates(text, tokens, language(code), now, forward))
    # Of two readings of the same words the bounded one: "after six weeks" is no "after" of "six weeks".
    candidates.sort(
        key=lambda c: (c.start - c.end, -c.evidence, c.start, c.span is not None and c.span.kind == "open")
    )
    chosen: list[_Candidate] = []
    taken = bytearray(len(text))
    for candidate in candidates:
        if not any(taken[candidate.start : candidate.end]):
            chosen.append(candidate)
            taken[candidate.start : candidate.end] = b"\1" * (candidate.end - candidate.start)
    chosen.sort(key=lambda c: c.start)
    return [
        TimeExpression(
            text[c.start : c.end],
            (c.start, c.end),
            c.span.start,
            c.span.end,
            c.span.kind,
            c.span.explicit,
            c.span.counted,
        )
        for c in chosen
        if c.span is not None
    ]


def _candidates(
    text: str, tokens: Sequence[Token], known: Language, now: datetime, forward: bool | None
) -> list[_Candidate]:
    words = known.grammar.lexicon.normal([token.text for token in tokens])
    ahead = _looks_forward(words, known) if forward is None else forward
    context = Context(now, ahead, known.orders, past=forward is False)
    chart = known.grammar.parse(tokens, words, context)
    evidence = len(known.cues.intersection(words))
    if known.letters and not known.letters.isdisjoint(text.lower()):
        evidence += len(tokens)  # more than any number of common words
    found: list[_Candidate] = []
    for first, items in enumerate(chart):
        for symbol, end, value in items:
            if symbol == "BLOCK":
                found.append(_Candidate(tokens[first].start, tokens[end - 1].end, len(tokens), None))
            if symbol not in _TIMES or not _is_expression(text, tokens, words, known, chart, first, end):
                continue
            span = settle(context, value) if isinstance(value, Cycle) else value
            if span is not None:
                found.append(_Candidate(tokens[first].start, tokens[end - 1].end, evidence, span))
    return found


def _looks_forward(words: Sequence[str], known: Language) -> bool:
    if not known.forward.isdisjoint(words):
        return True
    endings = known.forward_endings
    return bool(endings) and any(len(word) > 4 and word.endswith(endings) for word in words)


def _is_expression(
    text: str,
    tokens: Sequence[Token],
    words: Sequence[str],
    known: Language,
    chart: Chart,
    first: int,
    end: int,
) -> bool:
    """Return whether the words are an expression, not part of a longer number or word, nor weak."""
    start, stop = tokens[first].start, tokens[end - 1].end
    before, after = text[start - 1 : start], text[stop : stop + 1]
    head, tail = text[start], text[stop - 1]
    if (_latin(before) and _latin(head)) or (_latin(after) and _latin(tail)):
        return False
    # Korean words have spaces between them, but endings follow without one.
    if _hangul(before) and _hangul(head):
        return False
    # "31 August" in "6,107.31 August" and "2023-05" in "2023-05-99" are parts of something else.
    if head.isdecimal() and before in _JOINTS and text[start - 2 : start - 1].isdecimal():
        return False
    if tail.isdecimal() and after in _JOINTS and text[stop + 1 : stop + 2].isdecimal():
        return False
    lexicon = known.grammar.lexicon
    if first and lexicon.is_number_word(words[first]) and lexicon.is_number_word(words[first - 1]):
        number = any(symbol == "NUM" and stop > first for symbol, stop, _ in chart[first - 1])
        if number and not any(symbol not in ("NUM", "YEAR") for symbol, _, _ in chart[first - 1]):
            return False
    if words[end - 1] in known.modals and end < len(words) and text[tokens[end - 1].start].islower():
        # "This may take longer": a verb follows, not "we" or "of".
        follows = words[end]
        if follows.isalpha() and follows not in known.cues and follows not in known.introducers:
            return False
    phrase = " ".join(words[first:end])
    if phrase in known.weak or phrase.isdecimal():
        introduced = first > 0 and words[first - 1] in known.introducers
        ended = end == len(words) or not words[end][0].isalpha() or has_characters(words[end])
        return introduced or (phrase.isdecimal() and ended and 1900 <= int(phrase) < 2100)
    return True


def _hangul(character: str) -> bool:
    return "가" <= character <= "힣"


def _latin(character: str) -> bool:
    return character.isalnum() and not has_characters(character)


_FORMS = (
    "accepted forms: ISO 8601 (2026-03-01, 2026-03-01T13:56, 2026-03-01T13:56:00Z), a date in words "
    '("8 May 2023", "1:56 pm on 8 May, 2023"), or a relative one ("now", "yesterday", "3 days ago", '
    '"last week")'
)
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}|\d{8}")
_INTERVAL = re.compile(r"\s*(?:\.\.|/)\s*(?=\d{4}-)")


def parse_moment(text: str, now: datetime | None = None, *, forward: bool | None = None) -> datetime:
    """Return the moment that `text` names, the start of a longer time ("yesterday" is yesterday 00:00).

    ISO 8601 texts keep their own offset; all others, and ISO texts without one, are in the time zone of
    `now` (default: the local time, aware). `forward`: "Friday" is the next one (True) or the latest (False).
    Raises ValueError with the accepted forms.
    """
    return parse_range(text, now, forward=forward)[0]


def parse_range(
    text: str, now: datetime | None = None, *, forward: bool | None = None
) -> tuple[datetime, datetime]:
    """Return the range `text` names, as (inclusive start, exclusive end); see `parse_moment`.

    Two ISO dates joined by ".." or "/" name the range from the first through the second. Raises ValueError.
    """
    moment = now if now is not None else datetime.now().astimezone()
    stripped = text.strip()
    if stripped.lower() == "now":
        return moment, moment + timedelta(seconds=1)
    sides = _INTERVAL.split(stripped)
    if len(sides) == 2:
        start, end = _iso(sides[0], moment), _iso(sides[1], moment)
        if start and end and start[0] < end[1]:
            return start[0], end[1]
    found = _iso(stripped, moment)
    if found:
        return found
    expressions = resolve(stripped, moment, forward=forward)
    if len(expressions) == 1:
        first, last = expressions[0].span
        # Punctuation may be around the expression, and a word of two letters ("on") before it.
        lead, tail = re.sub(r"[\s,.;:(]+", "", stripped[:first]), re.sub(r"[\s,.;:!?)]+", "", stripped[last:])
        if len(lead) <= 2 and not tail:
            return expressions[0].start, expressions[0].end
    raise ValueError(f"cannot read {text!r} as a time; {_FORMS}")


def _iso(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    try:
        start = datetime.fromisoformat(text)
    except ValueError:
        return None
    if start.tzinfo is None:
        start = start.replace(tzinfo=now.tzinfo)
    length = timedelta(days=1) if _ISO_DAY.fullmatch(text) else timedelta(seconds=1)
    # "Until 9999-12-31" is used for "without end".
    last = datetime.max.replace(tzinfo=start.tzinfo)
    return start, last if last - start < length else start + length
