"""The command: `python -m bench.pairs [--nli ZIP] [--sentences FILE] [--embedder SPEC] [--preset NAME]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.pairs.deciding import DECISIONS, Decided, decide, score
from bench.pairs.sources import (
    RELATIONS,
    Pair,
    author_pairs,
    breaking_nli,
    negation_pairs,
    sentence_pairs,
    statement_pairs,
)
from bench.quality import choosing, loaders
from combray import models, presets
from combray.errors import CombrayError

CUTS = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98)


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="python -m bench.pairs", description=__doc__)
    made.add_argument("--nli", type=Path, metavar="ZIP", help="Breaking NLI (default: DATA/pairs/*.zip)")
    made.add_argument("--sentences", type=Path, action="append", default=[], help="question sets to draw from")
    made.add_argument("--data", metavar="FOLDER", help="public sets (default: COMBRAY_DATA)")
    made.add_argument("--preset", action="append", choices=presets.names())
    made.add_argument("--embedder", action="append", metavar="SPEC")
    made.add_argument("--most", type=int, default=60, help="pairs of each rule or category; 0 for all")
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--wrong", action="store_true", help="list harmful decisions: lost or replaced wrongly")
    made.add_argument("--json", type=Path, metavar="OUT")
    return made


def gathered(options: argparse.Namespace) -> list[Pair]:
    """Our own pairs, those of the files given, and Breaking NLI where it is at hand."""
    pairs = [*statement_pairs(), *negation_pairs(), *author_pairs()]
    most = options.most or None
    files = options.sentences or sorted(choosing.OWN.glob("assistant-chats.jsonl"))
    for path in files:
        pairs += sentence_pairs(loaders.load(path.stem, path), options.most or sys.maxsize, options.seed)
    folder = choosing.data_folder(options.data)
    archives = [options.nli] if options.nli else sorted((folder / "pairs").glob("*.zip")) if folder else []
    for archive in archives:
        pairs += breaking_nli(archive, most, options.seed)
    return pairs


def main(arguments: list[str] | None = None) -> int:
    """Decide and report; 2 when a file or model cannot be had."""
    options = parser().parse_args(arguments)
    console = Console()
    try:
        pairs = gathered(options)
        results = []
        for spec in options.embedder or ["none", "wordllama"]:
            embedder = models.embedder(spec)
            for place, preset in enumerate(options.preset or presets.names()):
                decided = decide(pairs, preset, embedder)
                name = f"{preset}, {spec.rstrip('/').rpartition('/')[2]}"
                _show(console, name, decided, options.wrong)
                if embedder is not None and place == 0:
                    console.print(_cosines(name, decided))
                results.append({"engine": name, "kinds": _counts(decided), "scores": _scores(decided)})
    except (CombrayError, loaders.FormatError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


def _grouped(decided: list[Decided]) -> dict[tuple[str, str], list[Decided]]:
    groups: dict[tuple[str, str], list[Decided]] = defaultdict(list)
    for each in sorted(decided, key=lambda each: RELATIONS.index(each.pair.relation)):
        groups[each.pair.relation, each.pair.kind].append(each)
    return groups


def _counts(decided: list[Decided]) -> list[dict[str, object]]:
    return [
        {"relation": relation, "kind": kind, "pairs": len(group)}
        | {made: sum(each.decision == made for each in group) for made in DECISIONS}
        for (relation, kind), group in _grouped(decided).items()
    ]


def _scores(decided: list[Decided]) -> list[dict[str, object]]:
    return [
        {"source": source, "decision": each.decision, "given": each.given, "due": each.due}
        | {"precision": each.precision, "recall": each.recall}
        for source in sorted({each.pair.source for each in decided})
        for each in score(one for one in decided if one.pair.source == source)
    ]


def _show(console: Console, name: str, decided: list[Decided], wrong: bool) -> None:
    shown = Table(title=f"{name}: decisions, % of each kind", min_width=60)
    for column in ("true relation", "kind", "pairs", *DECISIONS):
        shown.add_column(column, justify="left" if column in ("true relation", "kind") else "right")
    for (relation, kind), group in _grouped(decided).items():
        shares = [100 * sum(each.decision == made for each in group) / len(group) for made in DECISIONS]
        shown.add_row(relation, kind, str(len(group)), *(f"{share:.0f}" if share else "·" for share in shares))
    console.print(shown)
    for source in sorted({each.pair.source for each in decided}, reverse=True):
        for made in score(each for each in decided if each.pair.source == source):
            console.print(
                f"{source:10} {made.decision:9} made {made.given:4}, due {made.due:4}: "
                f"precision {100 * made.precision:5.1f} %, recall {100 * made.recall:5.1f} %",
                highlight=False,
            )
    harmful = [
        each
        for each in decided
        if (each.decision == "DUPLICATE" and each.pair.relation != "duplicate")
        or (each.decision == "UPDATE" and each.pair.relation == "other")
    ]
    console.print(f"harmful (a different statement skipped or replaced): {len(harmful)} of {len(decided)}")
    for each in harmful if wrong else []:
        console.print(
            f"  {each.decision} [{each.pair.kind}] {each.pair.old} -> {each.pair.new} ({each.reason})",
            highlight=False,
            markup=False,
        )


def _cosines(name: str, decided: list[Decided]) -> Table:
    """Share of each relation at or above a cosine: what a threshold alone would do."""
    shown = Table(title=f"{name}: share of pairs with at least this cosine, %", min_width=60)
    shown.add_column("true relation")
    for cut in CUTS:
        shown.add_column(f"{cut:g}", justify="right")
    for relation in RELATIONS:
        cosines = np.array([each.cosine for each in decided if each.pair.relation == relation])
        shown.add_row(relation, *(f"{100 * (cosines >= cut).mean():.0f}" for cut in CUTS))
    return shown


if __name__ == "__main__":
    raise SystemExit(main())
