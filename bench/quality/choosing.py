"""Which sets to measure on: our own, the standard library's docstrings, a data folder's, and any file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench.quality import loaders
from bench.quality.docstrings import docstrings
from bench.quality.sets import QuestionSet

OWN = Path(__file__).parent.parent / "sets"
DOCSTRINGS = "docstrings"
TURNS = "-turns"
"""Ending of a set's name that asks for the derived turn-level gold of LongMemEval-style histories."""


FACTS = "longmemeval-facts"
"""Our own questions about single turns of those histories, all in one collection."""


class UnknownSetError(ValueError):
    """A set that is neither ours, nor in the data folder, nor a file."""


def data_folder(given: str | None) -> Path | None:
    """The folder of public sets: the argument, else COMBRAY_DATA, else none."""
    named = given or os.environ.get("COMBRAY_DATA")
    return Path(named) if named else None


def available(folder: Path | None) -> dict[str, Callable[[], QuestionSet]]:
    """Every set that can be named without a path, and how to read it."""
    found: dict[str, Callable[[], QuestionSet]] = {
        path.stem: _reader(path.stem, path) for path in sorted(OWN.glob("*.jsonl"))
    }
    found[DOCSTRINGS] = docstrings
    for name in ("locomo", "longmemeval"):
        files = sorted((folder / name).glob("*.json")) if folder else []
        if files:
            found[name] = _reader(name, files[0])
            if name == "longmemeval":
                found[name + TURNS] = _turns(name + TURNS, files[0])
                found[FACTS] = _facts(files[0])
    return found


def _turns(name: str, path: Path) -> Callable[[], QuestionSet]:
    return lambda: loaders.load(name, path, turns=True)


def _facts(path: Path) -> Callable[[], QuestionSet]:
    return lambda: loaders.longmemeval_facts(FACTS, path, OWN / f"{FACTS}.questions")


def _reader(name: str, path: Path) -> Callable[[], QuestionSet]:
    return lambda: loaders.load(name, path)


def chosen(wanted: Sequence[str], folder: Path | None) -> Iterator[QuestionSet]:
    """The sets named ("chinese") or given as NAME=PATH; all available ones if none is wanted.

    Raises UnknownSetError, FormatError and OSError.
    """
    known = available(folder)
    for each in wanted or list(known):
        name, given, path = each.partition("=")
        if given:
            yield loaders.load(name, Path(path))
        elif name in known:
            yield known[name]()
        else:
            hint = "" if folder else " (public sets need --data FOLDER or COMBRAY_DATA)"
            raise UnknownSetError(f"no set {name!r}; there is {', '.join(known)}; or give NAME=PATH{hint}")
