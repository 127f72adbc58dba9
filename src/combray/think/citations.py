"""Check a model's answer sentence by sentence: keep, repair or drop each sentence and its citations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from combray.language.dates import has_time_expression
from combray.language.dates.statements import tells_of_past
from combray.language.sentences import sentences
from combray.language.tense import tense_of
from combray.language.tokens import term_set
from combray.records import dataclass, field, replace
from combray.think.prompt import OUTDATED, Source, one_line, says_unknown, unknown_terms
from combray.think.support import Evidence, Nearness, QuestionWords, SentenceSupport, check, evidence, joined
from combray.think.thought import Citation, Rejected

MOST_CHARACTERS = 4000
"""Characters to which a model's answer is truncated."""
_MARK = re.compile(r"\s*[\[【]\s*\d{1,3}(?:\s*[,;，、–-]\s*\d{1,3})*\s*[\]】]")
_BEHIND = re.compile(rf"([.!?。！？…]+[\"'”’»)]*)((?:{_MARK.pattern})+)")
_RANGE = re.compile(r"(\d+)\s*[–-]\s*(\d+)")
_MOST_RANGE = 20


@dataclass
class Checked:
    """The sentences that passed, with citation marks; their citations; and what was rejected.

    `shares`: for each cited sentence, the share of its words that the cited memories have together.
    """

    sentences: list[str] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    dropped: list[Rejected] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)

    @property
    def support(self) -> float:
        """The mean share of the cited sentences, 0 to 1; 0 without one."""
        return sum(self.shares) / len(self.shares) if self.shares else 0.0


def checked(text: str, sources: Sequence[Source], question: QuestionWords, near: Nearness | None) -> Checked:
    """Check every sentence of a model's answer against the memories it cites."""
    result = Checked()
    held = {source.number: evidence(source.memory) for source in sources}
    not_now = {source.number: source.not_now for source in sources if source.not_now and question.of_now}
    # A mark behind the full stop belongs to the sentence before it.
    for sentence in sentences(_BEHIND.sub(r"\2\1", clean(text))):
        # Removing a nested mark ("[[1]2]") leaves a mark that would go unchecked.
        bare = one_line(_MARK.sub("", sentence))
        numbers = _numbers(sentence)
        if numbers and any(char.isalnum() for char in bare):
            _cited(_CitedSentence(bare, held, question, near, not_now), numbers, result)
        elif any(char.isalnum() for char in bare):
            # A sentence without a citation stays only if it just says that the answer is not known.
            if says_unknown(bare) and not term_set(bare) - question.terms - unknown_terms():
                result.sentences.append(bare)
            else:
                result.dropped.append(Rejected(bare, "no citation"))
    return result


def clean(text: str) -> str:
    """Remove control and invisible characters from a model's text and truncate it; line breaks are kept."""
    lines = []
    for line in text[:MOST_CHARACTERS].splitlines():
        # A mark within a sentence leaves the space behind it.
        parts = [" " * part[:1].isspace() + one_line(part) for part in _MARK.split(line)]
        marks = [*_MARK.findall(line), ""]
        lines.append("".join(part + mark for part, mark in zip(parts, marks, strict=True)))
    return "\n".join(line for line in lines if line)


def _numbers(sentence: str) -> list[int]:
    found: list[int] = []
    for mark in _MARK.finditer(sentence):
        for first, last in _RANGE.findall(mark[0]):
            if int(last) - int(first) <= _MOST_RANGE:
                found += range(int(first), int(last) + 1)
        found += map(int, re.findall(r"\d+", mark[0]))
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class _CitedSentence:
    """One sentence of the model's answer, and the memories by number."""

    sentence: str
    held: Mapping[int, Evidence]
    question: QuestionWords
    near: Nearness | None
    not_now: Mapping[int, str]
    """Memories that do not say how things are, by number, each with the reason."""

    def misdated(self, good: Mapping[int, SentenceSupport]) -> str:
        """Return why the sentence says of the present what was or will be; "" if it does not."""
        if not good or not good.keys() <= self.not_now.keys() or tense_of(self.sentence) != "present":
            return ""
        problem = self.not_now[next(iter(good))]
        # "The move is on 1 March": the day says that it lies ahead.
        dated = problem != OUTDATED and has_time_expression(self.sentence)
        return "" if dated or tells_of_past(self.sentence) else problem

    def verdict(self, numbers: Sequence[int]) -> SentenceSupport:
        """Check the sentence against these memories together."""
        some = [self.held[number] for number in numbers]
        return check(self.sentence, some[0] if len(some) == 1 else joined(some), self.question, self.near)

    def together(self, numbers: Sequence[int], good: Mapping[int, SentenceSupport]) -> dict[int, SentenceSupport]:
        """Return the supporting memories, plus others with words of the sentence that these lack.

        If no memory supports the sentence alone, all of them must together.
        """
        if not good and not self.verdict(numbers).how:
            return {}
        missing = term_set(self.sentence).difference(*(self.held[number].terms for number in good))
        found: dict[int, SentenceSupport] = {}
        for number in numbers:
            if number in good:
                found[number] = good[number]
            elif missing & self.held[number].terms:
                best = max(self.held[number].parts, key=lambda part: len(missing & part.terms))
                found[number] = SentenceSupport("together", best.text)
        return found

    def repaired(self, cited: Sequence[int]) -> dict[int, SentenceSupport]:
        """Return the one memory that was not cited and supports the sentence, if there is exactly one."""
        verdicts = {number: self.verdict([number]) for number in self.held if number not in cited}
        good = [(number, verdict) for number, verdict in verdicts.items() if verdict.how]
        return {good[0][0]: replace(good[0][1], how="repaired")} if len(good) == 1 else {}


def _cited(claim: _CitedSentence, numbers: list[int], result: Checked) -> None:
    """Keep a sentence with its supporting citations, or reject it."""
    cited = [number for number in numbers if number in claim.held]
    verdicts = {number: claim.verdict([number]) for number in cited}
    good = {number: verdict for number, verdict in verdicts.items() if verdict.how}
    if len(cited) > len(good) and len(cited) > 1:
        good = claim.together(cited, good)
    good = good or claim.repaired(cited)
    if problem := claim.misdated(good):
        result.dropped.append(Rejected(claim.sentence, f"{_marks(list(good))} {problem}"))
        return
    if not good:
        said = "; ".join(f"[{number}] {verdict.problem}" for number, verdict in verdicts.items())
        result.dropped.append(Rejected(claim.sentence, said or f"there is no memory {_marks(numbers)}"))
        return
    body = claim.sentence.rstrip(".。")
    written = f"{body} {_marks(list(good))}{claim.sentence[len(body) :]}"
    result.sentences.append(written)
    every = [claim.verdict(list(good)), *good.values()]
    result.shares.append(max(verdict.share for verdict in every))
    for number, verdict in good.items():
        if verdict.how:
            memory_id = claim.held[number].memories[0].id
            result.citations.append(Citation(number, memory_id, written, verdict.quote, verdict.how))
    for number in numbers:
        if number not in good:
            problem = verdicts[number].problem if number in verdicts else "there is no such memory"
            result.dropped.append(Rejected(claim.sentence, f"citation [{number}] removed: {problem}"))


def _marks(numbers: Sequence[int]) -> str:
    return "".join(f"[{number}]" for number in numbers)
