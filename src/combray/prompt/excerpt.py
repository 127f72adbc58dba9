"""Texts that do not fit whole: truncation, and the part of a text that answers a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from combray.language.sentences import sentences
from combray.language.tokens import query_terms, terms

MARK = " […] "


def shortened(text: str, kept: int) -> str:
    """Truncate a text to `kept` characters: two thirds from its start, a third from its end, a mark between.

    The end is kept because a long message often ends with its request.
    """
    if len(text) <= kept:
        return text
    end = kept // 3
    tail = text[len(text) - end :].lstrip()
    return f"{text[: kept - end].rstrip()}{MARK}{tail}".strip()


Cut = Callable[[str, int], str]
"""Shortens a text to that many characters."""


def cut_evenly(texts: Sequence[str], fits: Callable[[list[str]], bool], cut: Cut = shortened) -> list[str] | None:
    """Truncate the longest texts to the greatest common length that `fits`; None if no length does."""
    best: list[str] | None = None
    low, high = 0, max(map(len, texts), default=0)
    while low <= high:
        # The first try is the whole texts, which usually fit.
        kept = high if best is None and high == max(map(len, texts), default=0) else (low + high) // 2
        tried = [cut(text, kept) for text in texts]
        if fits(tried):
            best, low = tried, kept + 1
        else:
            high = kept - 1
    return best


HEAD = 0.3
"""Share of an excerpt that the beginning of the text keeps: it says what the text is about."""
_LEAST = 60
"""Characters below which beginning and answer do not both fit."""
_MOST = 20_000
"""Characters of a text that are read."""


def excerpt(text: str, question: str, width: int) -> str:
    """Return a text of one line in at most `width` characters, "…" where something is left out.

    The sentence that holds most of the question's words is shown, rare ones counting more, behind the beginning
    of the text. Without such a sentence, or if it is there anyway, it is the beginning alone.
    """
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    if width < _LEAST:
        return shortened(line, width)
    said = _answering(text[:_MOST], question)
    at = line.find(said) if said else 0
    beginning = line[: width - 1]
    if at + len(said) < width or _held(said, question) <= _held(beginning, question):
        return beginning + "…"
    head = line[: int(width * HEAD) - 3].rstrip()
    room = width - len(head) - 4
    shown = _around(said, question, room) if len(said) > room else line[at : at + room]
    more = "" if line.endswith(shown) else "…"
    return f"{head} … {shown[: room - len(more)] if more and len(shown) >= room else shown}{more}"


def _answering(text: str, question: str) -> str:
    """Return the sentence or line that holds most of the question's words; "" if none holds one."""
    parts = [" ".join(each.split()) for each in sentences(text)]
    held = [_held(part, question) for part in parts]
    common = Counter(term for each in held for term in each)
    scores = [sum(1.0 / common[term] for term in sorted(each)) for each in held]
    best = max(scores, default=0.0)
    return parts[scores.index(best)] if best else ""


def _held(part: str, question: str) -> set[str]:
    return set(query_terms(question)).intersection(terms(part))


def _around(sentence: str, question: str, room: int) -> str:
    """Return the part of a long sentence that has most of the question's words in its middle."""
    step = max(1, room // 8)
    places = [*range(0, len(sentence) - room, step), len(sentence) - room]
    counts = [len(_held(sentence[at : at + room], question)) for at in places]
    best = [at for at, count in zip(places, counts, strict=True) if count == max(counts)]
    at = best[len(best) // 2]
    # From a word on, unless the script has no spaces.
    space = sentence.find(" ", at, at + step) if at else -1
    return sentence[space + 1 if space >= 0 else at :][:room]
