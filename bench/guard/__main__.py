"""The command: `python -m bench.guard [--data DATA] [--train] [--authors] [--blind FILE]`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.guard import samples
from bench.guard.authors import left_out
from bench.guard.samples import Sample
from bench.guard.training import SHIPPED, Texts, train
from combray.guard.injection import FILE, Judgement, judge

Judged = tuple[Sample, Judgement]


def main(arguments: list[str] | None = None) -> int:
    """Train if asked, then print tables by part, language and kind."""
    made = argparse.ArgumentParser(prog="python -m bench.guard", description=__doc__)
    made.add_argument("--data", type=Path, help="folder with locomo/ and longmemeval/")
    made.add_argument("--train", action="store_true", help="train the weights anew and write them")
    made.add_argument("--blind", type=Path, metavar="FILE", help="measure the texts of a JSONL file only")
    made.add_argument("--authors", action="store_true", help="judge each author by weights trained without them")
    options = made.parse_args(arguments)
    console = Console(width=110)
    if options.train:
        FILE.write_bytes(train(Texts.of(samples.training())).to_bytes())
        return 0
    if options.authors:
        console.print(_authors())
        return 0
    if options.blind is not None:
        parts = {options.blind.name: samples.blind(options.blind)}
    else:
        held = samples.held()
        if options.data is not None:
            held += samples.locomo(options.data) + samples.chats(options.data)
        parts = {"training": samples.training(), "held out": held}
    for title, found in parts.items():
        console.print(_table(title, judge_all(found)))
    return 0


def judge_all(found: Sequence[Sample]) -> list[Judged]:
    """Judge all texts, in their order."""
    return [(each, judge(each.text)) for each in found]


def quarantined(judged: Judgement, trust: str) -> bool:
    """Whether a text with this judgement is quarantined when it comes with that trust."""
    least = {"untrusted": SHIPPED.untrusted, "agent": SHIPPED.agent, "owner": 2.0}[trust]
    return judged.attack >= SHIPPED.owner or judged.score >= least


def rates(judged: Sequence[Judged]) -> tuple[float, float, float]:
    """Return the shares that are quarantined as untrusted, as an agent's and as the owner's."""
    many = max(len(judged), 1)
    shares = [sum(quarantined(each, trust) for _, each in judged) for trust in ("untrusted", "agent", "owner")]
    return shares[0] / many, shares[1] / many, shares[2] / many


def _groups(judged: Sequence[Judged]) -> Iterator[tuple[str, list[Judged]]]:
    """Yield all of a label, then by language, then by kind; disguises are one kind."""
    for label in dict.fromkeys(sample.label for sample, _ in judged):
        mine = [each for each in judged if each[0].label == label]
        yield label, mine
        for name, of in (("language", lambda each: each.language), ("kind", _kind)):
            for value in dict.fromkeys(of(sample) for sample, _ in mine):
                yield f"  {label}, {name} {value}", [each for each in mine if of(each[0]) == value]


def _kind(sample: Sample) -> str:
    return "hidden" if sample.kind.startswith("hidden") else sample.kind


def _table(title: str, judged: list[Judged]) -> Table:
    shown = Table(title=f"{title}, % quarantined by trust")
    for column in ("", "texts", "untrusted", "agent", "owner"):
        shown.add_column(column, justify="right" if column else "left")
    for name, group in _groups(judged):
        shown.add_row(name, str(len(group)), *(f"{100 * each:.1f}" for each in rates(group)))
    return shown


def _authors() -> Table:
    shown = Table(title="authors left out of the training, % quarantined")
    for column in ("", "texts", "untrusted", "owner"):
        shown.add_column(column, justify="right" if column else "left")
    for author, kind, many, untrusted, owner in left_out(Texts.of(samples.training())):
        shown.add_row(f"{author}: {kind}", str(many), f"{100 * untrusted:.1f}", f"{100 * owner:.1f}")
    return shown


if __name__ == "__main__":
    raise SystemExit(main())
