"""The command: `python -m bench.truth.announcements FILE…`, from which day an announced change holds.

Each line is a note, `{"id", "lang", "said", "text", "kind", "from"}`. Of a *change* and of what is *postponed*
the day read must be `from`; an *event* and a *habit* begin nothing; of what is *cancelled* the words must say so.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from combray.language.tense import says_put_off, tense_of
from combray.language.validity import validity_of

KINDS = ("change", "postponed", "cancelled", "event", "habit")


def main(arguments: list[str] | None = None) -> int:
    """Print how many of each kind and language are read rightly; 2 when a file cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m bench.truth.announcements", description=__doc__)
    parser.add_argument("file", type=Path, nargs="+", help="notes, .jsonl")
    parser.add_argument("--author", help="only notes whose id begins so")
    parser.add_argument("--wrong", action="store_true", help="list what is read wrongly")
    options = parser.parse_args(arguments)
    try:
        notes = [json.loads(line) for path in options.file for line in path.read_text("utf-8").splitlines()]
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    notes = [each for each in notes if each["id"].startswith(options.author or "")]
    table = Table(title=f"{len(notes)} notes, read rightly")
    for column in ("kind", *(languages := sorted({each["lang"] for each in notes})), "all"):
        table.add_column(column, justify="right")
    found = counted(notes)
    for kind in KINDS:
        pairs = [found[kind, language] for language in languages]
        every = (sum(right for right, _ in pairs), sum(size for _, size in pairs))
        table.add_row(kind, *(f"{right} of {size}" for right, size in [*pairs, every]))
    Console().print(table)
    for each in notes if options.wrong else ():
        if not is_right(each):
            print(each["id"], each["kind"], each["said"], each["from"], begins(each), each["text"])
    return 0


def counted(notes: Iterable[Mapping[str, Any]]) -> Mapping[tuple[str, str], tuple[int, int]]:
    """Return by kind and language how many notes are read rightly, and how many there are."""
    found: dict[tuple[str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for each in notes:
        right, size = found[each["kind"], each["lang"]]
        found[each["kind"], each["lang"]] = right + is_right(each), size + 1
    return found


def is_right(note: Mapping[str, Any]) -> bool:
    """Return whether a note is read as its label says."""
    return says_put_off(note["text"]) if note["kind"] == "cancelled" else begins(note) == note["from"]


def begins(note: Mapping[str, Any]) -> str | None:
    """Return the day ahead on which a note's validity begins, None for none."""
    said = datetime.fromisoformat(note["said"]).replace(hour=9, tzinfo=UTC)
    since, _ = validity_of(note["text"], tense_of(note["text"]), said)
    return since.date().isoformat() if since is not None and since > said else None


if __name__ == "__main__":
    sys.exit(main())
