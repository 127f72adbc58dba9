"""Judge two source trees: `python -m bench.judge [FILE…] --before SRC --after SRC`.

Prints every figure of both trees, with the paired 95 % interval of the difference; * marks one that excludes 0.
SRC is a folder that holds the package `combray`, or rows that `--json` saved. The same tree on both sides shows
the noise. FILE is notes, stories or a question set (bench/judge/sets.py), measured beside the sets of `bench`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.judge import sets, weight
from bench.judge.figures import Figure, Parts, compare, parts_of
from bench.quality.choosing import data_folder
from bench.quality.systems import short
from combray import presets

GROUPS = ("conversations", "notes", "sizes", "stories", "speed", "rooms")
Row = dict[str, Any]
Cells = dict[tuple[str, str, str], dict[str, Parts]]
"""(embedder, preset, set) -> question -> parts; the set "all …" has the sets of a kind together."""
COLUMNS = ("set", "figure", "before", "after", "difference", "n")


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="python -m bench.judge", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("file", type=Path, nargs="*")
    made.add_argument(
        "--before", type=Path, action="append", required=True, metavar="SRC", help="saved: repeatable"
    )
    made.add_argument("--after", type=Path, action="append", metavar="SRC", help="without it, one tree is shown")
    made.add_argument("--data", help="folder of public sets; default COMBRAY_DATA")
    models = "repeatable; default none, wordllama, and the sentence model in the folder COMBRAY_JUDGE_MODEL"
    made.add_argument("--embedder", action="append", metavar="SPEC", help=models)
    made.add_argument("--preset", action="append", metavar="NAME", help="repeatable, or all; default default")
    made.add_argument("--sizes", default="10,60,200,2000", help="of stores of notes, with commas")
    made.add_argument(
        "--only", action="append", metavar="GROUP", help=f"{', '.join(GROUPS)}, or a set; repeatable"
    )
    made.add_argument("--no-own", action="store_true", help="only the given files")
    made.add_argument("--memories", action="append", type=int, help="of timed stores; default 10,000; repeatable")
    made.add_argument("--pooled", action="store_true", help="sets of a kind together only")
    made.add_argument("--figure", action="append", metavar="NAME", help="show only this one; repeatable")
    made.add_argument("--changed", action="store_true", help="only differences whose interval excludes 0")
    made.add_argument("--markdown", action="store_true")
    made.add_argument("--json", type=Path, metavar="OUT", help="save the rows of the last tree, for --before")
    return made


def chosen(options: argparse.Namespace) -> list[sets.Store]:
    """Return the stores to fill. Raises what `sets.read` raises."""
    data = data_folder(options.data)
    own = [sets.read(each, data) for each in sets.own(data)]
    every = [*([] if options.no_own else own), *(sets.read(each) for each in options.file)]
    stores = [store for of_set in every for store in of_set]
    wanted = options.only or GROUPS
    if "sizes" in wanted:
        # Scopes and the sets of the data folder would make a size mean different things.
        unscoped = [each for each in every if not any(one.tags for store in each for one in store.questions)]
        spare = [store for of_set in own for store in of_set if store.group == "notes"]
        for size in map(int, options.sizes.split(",")):
            for of_set in unscoped:
                if of_set[0].group == "notes":
                    stores += sets.sized(of_set, size, [each for each in spare if each.set != of_set[0].set])
    return [each for each in stores if each.group in wanted or each.set.partition(",")[0] in wanted]


def ask(
    trees: Mapping[str, Path], stores: Sequence[sets.Store], embedder: str, names: Sequence[str]
) -> list[list[Row]]:
    """Run every tree in a process of its own, all at once, and return their rows."""
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for number, (tree, source) in enumerate(trees.items()):
            plan, out = Path(folder) / f"{number}.plan", Path(folder) / f"{number}.rows"
            given = {"tree": tree, "source": str(source.resolve()), "embedder": embedder, "presets": names}
            plan.write_text(json.dumps(given | {"stores": [each.as_json() for each in stores]}), encoding="utf-8")
            command = [sys.executable, "-m", "bench.judge.asking", str(plan), str(out)]
            running.append((subprocess.Popen(command, env=weight.environment(source)), out))
        codes = [process.wait() for process, _ in running]
        if any(codes):
            raise SystemExit(1)
        return [json.loads(out.read_text(encoding="utf-8")) for _, out in running]


def cells(rows: Sequence[Row], stores: Sequence[sets.Store]) -> Cells:
    """Return what the rows of a tree add to the measures, of each set and of the sets of a kind together."""
    known = {(each.set, each.key): each for each in stores}
    grouped: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        grouped[tuple(row[name] for name in ("embedder", "preset", "set", "store"))].append(row)
    found: Cells = defaultdict(dict)
    for (embedder, preset, name, key), some in grouped.items():
        if store := known.get((name, key)):
            for place, parts in parts_of(store, some):
                for where in (name, f"all {store.pool}"):
                    found[embedder, preset, where][f"{name}|{place}"] = parts
    return found


def measured(options: argparse.Namespace, stores: Sequence[sets.Store]) -> tuple[list[Row], list[Row]]:
    """Return the rows before and after: asked of a tree, or saved."""
    saved = {
        side: [each for each in getattr(options, side) or () if each.is_file()] for side in ("before", "after")
    }
    found = {side: [row for path in paths for row in _saved(path)["rows"]] for side, paths in saved.items()}
    trees = sources(options)
    names = options.preset or ["default"]
    for spec in options.embedder if trees and stores else ():
        sys.stderr.write(f"{spec}\n")
        asked = ask(trees, stores, spec, presets.names() if "all" in names else names)
        for side, rows in zip(trees, asked, strict=True):
            found[side] += [row | {"embedder": short(spec)} for row in rows]
    return found["before"], found["after"] if options.after else found["before"]


def sources(options: argparse.Namespace) -> dict[str, Path]:
    """Return the source folder of each side that has one."""
    given = {side: getattr(options, side) or () for side in ("before", "after")}
    return {side: path for side, paths in given.items() for path in paths if path.is_dir()}


def _saved(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def figures(before: Cells, after: Cells, options: argparse.Namespace) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield a title and the lines of a table for each embedder and preset."""
    tables: dict[str, list[list[str]]] = defaultdict(list)
    pools = {name for _, _, name in before if name.startswith("all ")}
    for embedder, preset, name in sorted(before.keys() & after.keys()):
        if options.pooled and name not in pools:
            continue
        found = compare(before[embedder, preset, name], after[embedder, preset, name])
        tables[f"{preset}, {embedder}"] += lines(name, found, options)
    yield from tables.items()


def lines(name: str, found: Mapping[str, Figure], options: argparse.Namespace) -> list[list[str]]:
    """Return the lines of a set."""
    return [
        [name, measure, f"{each.before:.1f}", f"{each.after:.1f}", _difference(each), str(each.count)]
        for measure, each in found.items()
        if (each.clear or not options.changed) and measure in (options.figure or found)
    ]


def _difference(figure: Figure) -> str:
    sign = " *" if figure.clear else ""
    return f"{figure.difference:+.1f} [{figure.low:+.1f}, {figure.high:+.1f}]{sign}"


def speed(options: argparse.Namespace) -> Iterator[list[str]]:
    """Yield the lines of the processor time of a recall."""
    trees = list(sources(options).values())
    # Saved rows hold no times: those of two machines, or of two hours, are not compared.
    timed = len(trees) == (2 if options.after else 1)
    for count in options.memories or [10_000]:
        for spec in options.embedder if timed else ():
            sides = weight.recalls(trees, spec, count, data_folder(options.data))
            parts = [{str(at): {"ms": (ms, 1.0)} for at, ms in enumerate(side)} for side in sides]
            found = compare(parts[0], parts[-1], ("ms",), 1.0)
            name = f"{count:,} memories, {short(spec)}"
            for line in lines(name, found, options):
                # The interval is over questions. It does not know how two processes of one tree differ: no mark.
                yield [name, "CPU ms a recall", *(cell.removesuffix(" *") for cell in line[2:])]


def rooms(options: argparse.Namespace) -> Iterator[list[str]]:
    """Yield the lines of the weight of each room."""
    sides = []
    for paths in (options.before, options.after or options.before):
        path = paths[0]
        sides.append(weight.rooms(path) if path.is_dir() else _saved(path)["rooms"])
    for room in sorted({*sides[0], *sides[1]}):
        for place, unit in enumerate(("lines", "kB of data")):
            before, after = (side.get(room, (0, 0))[place] for side in sides)
            if (before or after) and (before != after or not options.changed):
                yield [room, unit, f"{before:.0f}", f"{after:.0f}", f"{after - before:+.0f}", ""]


def show(title: str, rows: Sequence[Sequence[str]], *, markdown: bool) -> None:
    """Print a table."""
    if markdown:
        print(f"\n{title}\n")
        for row in (COLUMNS, ["---", "---", "--:", "--:", "--:", "--:"], *rows):
            print(f"| {' | '.join(row)} |")
        return
    table = Table(title=title)
    for number, column in enumerate(COLUMNS):
        table.add_column(column, justify="right" if number > 1 else "left", no_wrap=True)
    for at, row in enumerate(rows):
        same = at and row[0] == rows[at - 1][0]
        table.add_row("" if same else row[0], *row[1:])
    Console(width=None if sys.stdout.isatty() else 140).print(table)


def main(arguments: list[str] | None = None) -> int:
    """Judge both trees and print what differs; 2 when a file cannot be read."""
    options = parser().parse_args(arguments)
    models = os.environ.get("COMBRAY_JUDGE_MODEL")
    options.embedder = options.embedder or ["none", "wordllama", *([f"onnx:{models}"] if models else [])]
    wanted = options.only or GROUPS
    try:
        stores = chosen(options)
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"cannot read a set: {type(error).__name__}: {error}\n")
        return 2
    before, after = measured(options, stores)
    if options.json:
        source = (options.after or options.before)[0]
        weights = weight.rooms(source) if source.is_dir() else {}
        options.json.write_text(json.dumps({"rows": after, "rooms": weights}), encoding="utf-8")
    for title, rows in figures(cells(before, stores), cells(after, stores), options):
        show(title, rows, markdown=options.markdown)
    if "speed" in wanted:
        show("processor time", list(speed(options)), markdown=options.markdown)
    if "rooms" in wanted:
        show("rooms", list(rooms(options)), markdown=options.markdown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
