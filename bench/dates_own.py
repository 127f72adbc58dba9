"""How many dates of our own sets are resolved right: every even line is held out.

    python -m bench.dates_own [--half seen|unseen|both] [--language CODE ...] [--misses]

The sets (`bench/sets/dates/<code>.tsv`) were written from the categories of grammar books before the grammar was
read. The grammar is corrected against the odd lines only; the even lines are measured and never listed.
A line is a text, a tab, and its ranges, separated by "|", seen from Wednesday 15 May 2024, 10:30:

- `2024-05-13`, `2024-05`, `2024`: that day, month or year; `A..B`: from the start of A to the end of B;
- `A..` and `..B`: open ranges; `@2024-05-15T18:00`: a moment; `~A..B`: a part of a day, each end within 3 hours;
- `-`: the text names no time.

Right: one of the expressions found has the range. Missed: nothing was found. Wrong: something else was found.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

from combray.language.dates import TimeExpression
from combray.language.dates.statements import resolve_stated

FOLDER = Path(__file__).parent / "sets" / "dates"
NOW = datetime(2024, 5, 15, 10, 30)
SLACK = timedelta(hours=3)
LONG = timedelta(days=300 * 365)


def bounds(text: str) -> tuple[datetime, datetime]:
    """The start and the end of a day, month, year or moment as written in a set."""
    if "T" in text:
        moment = datetime.fromisoformat(text)
        return moment, moment
    numbers = [int(part) for part in re.findall(r"\d+", text)]
    year, month, day, *_ = [*numbers, 1, 1]
    start = datetime(year, month, day)
    if len(numbers) == 3:
        return start, start + timedelta(days=1)
    if len(numbers) == 2:
        return start, (start + timedelta(days=32)).replace(day=1)
    return start, start.replace(year=start.year + 1)


def fits(found: TimeExpression, wanted: str) -> bool:
    """Whether an expression found has a range as written in a set."""
    if wanted.startswith("@"):
        return found.start == datetime.fromisoformat(wanted[1:]) and found.kind == "time"
    low, _, high = wanted.lstrip("~").partition("..")
    if not low:
        return found.end == bounds(high)[1] and found.end - found.start > LONG
    start, end = bounds(low)
    if ".." not in wanted:
        return (found.start, found.end) == (start, end)
    if not high:
        return found.start == start and found.end - found.start > LONG
    end = bounds(high)[1]
    if wanted.startswith("~"):
        return abs(found.start - start) <= SLACK and abs(found.end - end) <= SLACK
    # "The last three months" may end now, in the middle of a day.
    return found.start == start and (found.end == end or (found.end == NOW and end - NOW < timedelta(days=1)))


def verdict(text: str, wanted: str) -> tuple[str, list[TimeExpression]]:
    """Right, missed or wrong, and what was found."""
    found = resolve_stated(text, NOW)
    choices = wanted.split("|")
    if (not found and "-" in choices) or any(fits(e, w) for e in found for w in choices if w != "-"):
        return "right", found
    return ("wrong" if found else "missed"), found


def main() -> None:
    """Print a row per language and half."""
    parser = argparse.ArgumentParser(description="Measure date resolution on our own sets.")
    parser.add_argument("--half", choices=("seen", "unseen", "both"), default="both")
    parser.add_argument("--language", nargs="*")
    parser.add_argument("--misses", action="store_true", help="list the seen cases that are not right")
    options = parser.parse_args()
    print(f"{'set':4} {'half':7} {'cases':>6} {'right':>7} {'missed':>7} {'wrong':>7} {'times of day':>14}")
    misses: list[str] = []
    for file in sorted(FOLDER.glob("*.tsv")):
        if options.language and file.stem not in options.language:
            continue
        lines = file.read_text(encoding="utf-8").splitlines()
        for half, chosen in (("seen", lines[::2]), ("unseen", lines[1::2])):
            if options.half not in (half, "both"):
                continue
            counts: Counter[str] = Counter()
            clocks: Counter[str] = Counter()
            for text, wanted in (line.split("\t") for line in chosen):
                result, found = verdict(text, wanted)
                counts[result] += 1
                if "T" in wanted:
                    clocks[result] += 1
                if result != "right" and half == "seen":
                    got = [(e.text, f"{e.start:%F %R}..{e.end:%F %R}") for e in found]
                    misses.append(f"{file.stem} {result}: {text}  WANTED {wanted}  GOT {got}")
            print(_row(file.stem, half, counts, clocks))
    if options.misses:
        print("", *misses, sep="\n")


def _row(name: str, half: str, counts: Counter[str], clocks: Counter[str]) -> str:
    cells = "".join(f" {counts[each] / counts.total():7.1%}" for each in ("right", "missed", "wrong"))
    times = f"{clocks['right']}/{clocks.total()}"
    return f"{name:4} {half:7} {counts.total():6}{cells} {times:>14}"


if __name__ == "__main__":
    main()
