"""Time expressions: found in text and resolved to ranges, in nine languages.

Each language is one JSON table, `language/<code>/dates.json`. A table holds:

- `script`: "han" for Han characters, "kana" for Japanese, "hangul" for Korean, "latin" for every script with
  spaces; `always`: true for a language that is tried on every text with spaces; `letters`: letters that only this
  language has (they decide ties);
- `fold_accents`: true when words are also typed without accents; `variants`: {character: its usual form};
- `orders`: readings of dates in digits, first choice first, of "dmy", "mdy", "ymd";
- `numbers`: `units` {word: value}, `multipliers`, `joiners`, and `concatenated`, the lengths in which words
  that only follow each other are read digit by digit ("nineteen ninety" has 4);
- `words`: {SYMBOL: {phrase: value}}, the lexicon; {SYMBOL: [phrase]} for words without a value. MONTH, WDAY (0
  for Monday), DAYREL, HOLIDAY and SEASON also serve `has_time_expression`. A phrase that starts with "=" is not
  folded;
- `rules`: ["SYMBOL", "action", "pattern", {constants}]. A pattern is a row of elements `name=SYMBOL`; an
  element may list `A|B`, end in `?` when it may be missing, and stands for the word itself when it is in
  lower case. The action (a function of the modules actions, recurrence, relative and durations) gets the
  named values and the constants. Symbols made by rules may be used by other rules;
- `shares`: a set of `language/rules.json`, rules without words that several languages share;
- `stop`: phrases that never name a time ("24/7"); `weak`: phrases that name one only inside a larger one or
  after a word of `introducers` ("may" after "in");
- `modals`: of these the words that are verbs in lower case before another verb ("this may take longer");
- `forward`: words that turn dates without a year to the future, `forward_endings`: endings of such verbs;
- `cues`: common words of the language, which break ties between languages; `anchors`: further words, or pairs,
  that show that a text names a time, and `patterns`: regular expressions of the same in Han text; `distances`:
  words of a counted distance ("ago").

The lexer supplies NUM (any number), DIGITS (in digits), YEAR (1000 to 2999 in digits), YEARWORDS (the same in
words), YY (two digits over 31), ZEROS (two digits from 0) and DAYWORDS (13 to 31 in words); the word "·" is a
dot between two digits. SPAN, CYCLE and RANGE are times; BLOCK marks words that only look like one.

How words become ranges: weeks run from Monday to Monday; "the last 3 days" ends now; a date without a year is
the latest that has begun, unless the text looks forward; "last Friday" is the latest one before today, 上周五
and "thứ sáu tuần trước" that of last week; "next Friday" that of next week; "from A to B" includes all of B,
"until B" too, "before B" nothing of it; spring starts in March; Tet, 春节 and 国庆节 last seven days.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from combray.language.dates.detection import has_time_expression
    from combray.language.dates.resolution import TimeExpression, parse_moment, parse_range, resolve

__all__ = ["TimeExpression", "has_time_expression", "parse_moment", "parse_range", "resolve"]

_HOMES = {
    "parse_moment": "resolution",
    "parse_range": "resolution",
    "has_time_expression": "detection",
    "TimeExpression": "resolution",
    "resolve": "resolution",
}


def __getattr__(name: str) -> Any:
    # The grammar is loaded when a date is resolved: `has_time_expression` does not need it.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
