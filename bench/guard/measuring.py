"""Every text judged once; rates by what it is, its language and its kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.guard.samples import Sample
from combray.guard.context import WordVectors
from combray.guard.injection import Judgement, judge
from combray.remember.guard import Guard

SHIPPED = Guard()


@dataclass(frozen=True, slots=True)
class Judged:
    """A text and what the guard thinks of it."""

    sample: Sample
    judgement: Judgement

    @property
    def held(self) -> bool:
        """Whether it was kept aside."""
        return self.sample.held

    def quarantined(self, trust: str, threshold: float | None = None) -> bool:
        """Whether it is kept apart when it comes with that trust, at the shipped thresholds or another."""
        levels = {"untrusted": SHIPPED.untrusted, "agent": SHIPPED.agent, "owner": 2.0}
        least = levels[trust] if threshold is None else threshold
        return self.judgement.attack >= SHIPPED.owner or self.judgement.score >= least

    @property
    def wrong(self) -> bool:
        """Whether it is judged wrongly as an untrusted text."""
        return self.sample.label != "chat" and self.sample.poison != self.quarantined("untrusted")


def judge_all(samples: Sequence[Sample], vectors: WordVectors | None = None) -> list[Judged]:
    """All texts, in their order; with word vectors also by distances."""
    return [Judged(sample, judge(sample.text, vectors=vectors)) for sample in samples]


def rates(judged: Sequence[Judged]) -> tuple[float, float, float, float]:
    """Shares: quarantined as untrusted; marked, then quarantined as an agent's; quarantined as the owner's."""
    many = max(len(judged), 1)
    marked = sum(SHIPPED.mark <= each.judgement.score and not each.quarantined("agent") for each in judged)
    kept = [sum(each.quarantined(trust) for each in judged) for trust in ("untrusted", "agent", "owner")]
    return kept[0] / many, marked / many, kept[1] / many, kept[2] / many


def groups(judged: Sequence[Judged]) -> Iterator[tuple[str, list[Judged]]]:
    """All of a label, then by language, then by kind; disguises are one kind."""
    for label in dict.fromkeys(each.sample.label for each in judged):
        mine = [each for each in judged if each.sample.label == label]
        yield label, mine
        for language in dict.fromkeys(each.sample.language for each in mine):
            yield f"  {label}, {language}", [each for each in mine if each.sample.language == language]
        hidden = [each for each in mine if each.sample.kind.startswith("hidden")]
        plain = [each for each in mine if not each.sample.kind.startswith("hidden")]
        if hidden:
            yield f"  {label}, disguised", hidden
            yield f"  {label}, plain", plain
        for kind in dict.fromkeys(each.sample.kind for each in plain):
            yield f"  {label}: {kind}", [each for each in plain if each.sample.kind == kind]


def curve(judged: Sequence[Judged], label: str, thresholds: Sequence[float]) -> list[float]:
    """Share of a label's texts that is quarantined at each threshold for untrusted texts."""
    mine = [each for each in judged if each.sample.label == label]
    many = max(len(mine), 1)
    return [sum(each.quarantined("untrusted", at) for each in mine) / many for at in thresholds]
