"""The command: `python -m bench.guard --data DATA [--train] [--authors] [--curve FILE] [--blind FILE]`."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from bench.guard import samples as texts
from bench.guard.authors import left_out
from bench.guard.carriers import held_attacks, held_carriers, injected
from bench.guard.measuring import SHIPPED, Judged, curve, groups, judge_all, rates
from bench.guard.training import train_all
from combray.models.word_vectors import RememberedWords
from combray.models.wordllama import WordLlamaEmbedder

_WEIGHTS = Path(__file__).parents[2] / "src" / "combray" / "guard" / "weights.json"


def main(arguments: list[str] | None = None) -> int:
    """Train if asked, then tables by part, language and kind, and the curve."""
    made = argparse.ArgumentParser(prog="python -m bench.guard", description=__doc__)
    made.add_argument("--data", type=Path, help="folder with locomo/ and longmemeval/")
    made.add_argument("--train", action="store_true", help="train the weights anew and write them")
    made.add_argument("--curve", type=Path, metavar="FILE", help="draw the curve as a picture")
    made.add_argument(
        "--blind", type=Path, metavar="FILE", help="measure the texts of a JSONL file, and no others"
    )
    made.add_argument(
        "--documents",
        action="store_true",
        help="held-out documents with and without an inserted attack, and nothing else",
    )
    made.add_argument(
        "--authors",
        action="store_true",
        help="each author's texts by weights trained without that author, and nothing else",
    )
    made.add_argument("--wrong", action="store_true", help="list what is judged wrongly")
    options = made.parse_args(arguments)
    console = Console(width=110)
    if options.blind is not None:
        console.print(_table(options.blind.name, judge_all(texts.blind(options.blind))))
        return 0
    vectors = words()
    if options.train:
        _WEIGHTS.write_bytes(trained(vectors))
    if options.documents:
        console.print(_documents(options.data, vectors))
        return 0
    if options.authors:
        console.print(_authors(vectors))
        return 0
    found = texts.training() + texts.held()
    if options.data is not None:
        found += texts.locomo(options.data) + texts.chats(options.data)
    judged = judge_all(found, vectors)
    for part in (False, True):
        console.print(
            _table("held out" if part else "training and tuning", [each for each in judged if each.held == part])
        )
    for each in judged if options.wrong else []:
        if each.wrong:
            console.print(
                f"  [{each.sample.language}, {each.sample.kind}] {each.sample.text[:90]!r}", markup=False
            )
    if options.curve is not None:
        _draw(judged, options.curve)
    return 0


def words() -> RememberedWords:
    """Return the word vectors that the shipped weights were trained on."""
    return RememberedWords(WordLlamaEmbedder())


def trained(vectors: RememberedWords) -> bytes:
    """Return the file of weights, trained on what is in the repository and nothing else."""
    return msgspec.json.format(msgspec.json.encode(train_all(vectors)), indent=1) + b"\n"


def _table(title: str, judged: list[Judged]) -> Table:
    shown = Table(title=title)
    for column in (
        "",
        "texts",
        "quarantined % (untrusted)",
        "marked % (agent)",
        "quarantined % (agent)",
        "quarantined % (owner)",
    ):
        shown.add_column(column, justify="right" if column else "left")
    for name, group in groups(judged):
        rate = rates(group)
        shown.add_row(name, str(len(group)), *(f"{100 * each:.1f}" for each in rate))
    return shown


def _documents(data: Path | None, vectors: RememberedWords) -> Table:
    """Return the table of held-out documents, clean and with a held-out attack inside, by kind."""
    shown = Table(title="documents, % quarantined with and without distances")
    for column in ("", "texts", "untrusted", "untrusted, without", "owner"):
        shown.add_column(column, justify="right" if column else "left")
    carriers = held_carriers(data)
    for title, found in (("clean", carriers), ("attacked", injected(carriers, held_attacks(), 1))):
        near, far = judge_all(found), judge_all(found, vectors)
        for kind in dict.fromkeys(each.kind for each in found):
            mine = [at for at, each in enumerate(found) if each.kind == kind]
            shares = [
                100 * sum(judged[at].quarantined(trust) for at in mine) / len(mine)
                for judged, trust in ((far, "untrusted"), (near, "untrusted"), (near, "owner"))
            ]
            shown.add_row(f"{title} {kind}", str(len(mine)), *(f"{share:.1f}" for share in shares))
    return shown


def _authors(vectors: RememberedWords) -> Table:
    """Return the table of authors left out of the training, by kind of text."""
    shown = Table(title="authors left out of the training, % quarantined")
    for column in ("", "texts", "untrusted", "owner"):
        shown.add_column(column, justify="right" if column else "left")
    for author, kind, many, untrusted, owner in left_out(vectors):
        shown.add_row(f"{author}: {kind}", str(many), f"{100 * untrusted:.1f}", f"{100 * owner:.1f}")
    return shown


def _draw(judged: list[Judged], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    thresholds = [at / 50 for at in range(1, 50)]
    held = [each for each in judged if each.held]
    for label in ("direct", "indirect", "harmless", "ordinary"):
        axes.plot(thresholds, [100 * each for each in curve(held, label, thresholds)], label=label)
    axes.axvline(SHIPPED.untrusted, color="grey", linewidth=0.8, linestyle="--")
    axes.set_xlabel("threshold of the score for untrusted texts (dashed: shipped)")
    axes.set_ylabel("quarantined, % of held-out texts")
    axes.legend()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    raise SystemExit(main())
