"""A model's answer taken apart: each sentence with its citations, checked, repaired or dropped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from combray.language.tokens import term_set
from combray.think.checking import Asked, Nearness, Verdict, check
from combray.think.evidence import Evidence, evidence, joined
from combray.think.prompting import says_unknown, unknown_terms
from combray.think.sentences import sentences
from combray.think.sources import Source, one_line
from combray.think.thought import Citation, Dropped

MOST_CHARACTERS = 4000
"""Of a model's answer; what is longer is no short answer any more, and is cut."""
_MARK = re.compile(r"\s*[\[【]\s*\d{1,3}(?:\s*[,;，、–-]\s*\d{1,3})*\s*[\]】]")
_BEHIND = re.compile(rf"([.!?。！？…]+[\"'”’»)]*)((?:{_MARK.pattern})+)")
_RANGE = re.compile(r"(\d+)\s*[–-]\s*(\d+)")
_MOST_RANGE = 20


@dataclass
class Checked:
    """What is left of an answer: sentences with their marks, the citations behind these, what was dropped."""

    sentences: list[str] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)


def checked(text: str, sources: Sequence[Source], question: Asked, near: Nearness | None) -> Checked:
    """Check every sentence of a model's answer against the memories it cites."""
    result = Checked()
    held = {source.number: evidence(source.memory) for source in sources}
    # A mark behind the full stop belongs to the sentence before it.
    for sentence in sentences(_BEHIND.sub(r"\2\1", clean(text))):
        # A mark inside another ("[[1]2]") leaves one behind that nobody would check.
        bare = one_line(_MARK.sub("", sentence))
        numbers = _numbers(sentence)
        if numbers and any(char.isalnum() for char in bare):
            _cited(_Claim(bare, held, question, near), numbers, result)
        elif any(char.isalnum() for char in bare):
            _uncited(bare, question, result)
    return result


def clean(text: str) -> str:
    """A model's text without control and invisible characters, bounded; lines stay lines."""
    lines = [_visible(line) for line in text[:MOST_CHARACTERS].splitlines()]
    return "\n".join(line for line in lines if line)


def _visible(line: str) -> str:
    parts = [one_line(part) for part in _MARK.split(line)]
    return "".join(part + mark for part, mark in zip(parts, [*_MARK.findall(line), ""], strict=True))


def _numbers(sentence: str) -> list[int]:
    found: list[int] = []
    for mark in _MARK.finditer(sentence):
        for first, last in _RANGE.findall(mark[0]):
            if int(last) - int(first) <= _MOST_RANGE:
                found += range(int(first), int(last) + 1)
        found += map(int, re.findall(r"\d+", mark[0]))
    return list(dict.fromkeys(found))


def _uncited(sentence: str, question: Asked, result: Checked) -> None:
    """A sentence without a citation stays only if it claims nothing: it says of the question that it is open."""
    if says_unknown(sentence) and not term_set(sentence) - question.terms - unknown_terms():
        result.sentences.append(sentence)
    else:
        result.dropped.append(Dropped(sentence, "no citation"))


@dataclass(frozen=True)
class _Claim:
    """One sentence of the model, and the memories by number."""

    sentence: str
    held: Mapping[int, Evidence]
    question: Asked
    near: Nearness | None

    def verdict(self, numbers: Sequence[int]) -> Verdict:
        """Whether these memories, taken together, say it."""
        some = [self.held[number] for number in numbers]
        return check(self.sentence, some[0] if len(some) == 1 else joined(some), self.question, self.near)

    def together(self, numbers: Sequence[int], good: Mapping[int, Verdict]) -> dict[int, Verdict]:
        """The good ones, and those of the others that hold words of the sentence which no good one has.

        Without any good one the memories must say it together.
        """
        if not good and not self.verdict(numbers).how:
            return {}
        missing = term_set(self.sentence).difference(*(self.held[number].terms for number in good))
        found: dict[int, Verdict] = {}
        for number in numbers:
            if number in good:
                found[number] = good[number]
            elif missing & self.held[number].terms:
                best = max(self.held[number].parts, key=lambda part: len(missing & part.terms))
                found[number] = Verdict("together", best.text)
        return found

    def repaired(self, cited: Sequence[int]) -> dict[int, Verdict]:
        """The one other memory that says it, if it is only one."""
        verdicts = {number: self.verdict([number]) for number in self.held if number not in cited}
        good = [(number, verdict) for number, verdict in verdicts.items() if verdict.how]
        return {good[0][0]: replace(good[0][1], how="repaired")} if len(good) == 1 else {}


def _cited(claim: _Claim, numbers: list[int], result: Checked) -> None:
    """Keep a sentence with the citations that say it, or drop it."""
    cited = [number for number in numbers if number in claim.held]
    verdicts = {number: claim.verdict([number]) for number in cited}
    good = {number: verdict for number, verdict in verdicts.items() if verdict.how}
    if len(cited) > len(good) and len(cited) > 1:
        good = claim.together(cited, good)
    good = good or claim.repaired(cited)
    if not good:
        said = "; ".join(f"[{number}] {verdict.problem}" for number, verdict in verdicts.items())
        result.dropped.append(Dropped(claim.sentence, said or f"there is no memory {_marks(numbers)}"))
        return
    written = _marked(claim.sentence, list(good))
    result.sentences.append(written)
    for number, verdict in good.items():
        if verdict.how:
            memory_id = claim.held[number].memories[0].id
            result.citations.append(Citation(number, memory_id, written, verdict.quote, verdict.how))
    for number in numbers:
        if number not in good:
            problem = verdicts[number].problem if number in verdicts else "there is no such memory"
            result.dropped.append(Dropped(claim.sentence, f"citation [{number}] taken away: {problem}"))


def _marked(sentence: str, numbers: Sequence[int]) -> str:
    """The sentence with its marks before the full stop."""
    body = sentence.rstrip(".。")
    return f"{body} {_marks(numbers)}{sentence[len(body) :]}"


def _marks(numbers: Sequence[int]) -> str:
    return "".join(f"[{number}]" for number in numbers)
