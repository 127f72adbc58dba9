"""How many dates and periods of the Microsoft Recognizers-Text specifications are resolved right.

    python bench/dates.py FOLDER [--misses]

FOLDER holds specification files such as `english-DateParser.json` (a list of cases: Input,
Context.ReferenceDateTime, Results). The language is the first word of the file name.

Right: one of the expressions found overlaps the expected words and its start and end equal those of the past
or of the future reading of the case. A date stands for its whole day. Where the specification gives a range
between two times the start of the last one as its end ("from Oct 2 to Oct 22" ends on 22 October at 00:00),
the end of that day, week, month or year is accepted too, because ours includes the time named last.

Coarse: counted distances of weeks or longer ("two weeks ago") are by design the calendar unit that holds the
day of the specification. They are shown in a column of their own and count as wrong.

Left out: cases without a result or without resolved values (bare seasons), dates that do not exist
(31 November), cases marked NotSupportedByDesign for Python, years of Chinese reigns and the lunar calendar,
and business days: none of them is a range a memory query could use. Cases marked NotSupported for Python are
kept: they are gaps of another implementation.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from combray.language.dates import resolve

LANGUAGES = {"english": "en", "chinese": "zh", "vietnamese": "vi"}
LEFT_OUT = re.compile(r"农历|正月|大年|神龙|康熙|雍正|民国|business day")
DEFAULT_NOW = datetime(2016, 11, 7)

Range = tuple[datetime, datetime]


def moment(text: str) -> datetime | None:
    """A date or date and time of the specification; None for the year 1, its mark of an invalid date."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.year > 1 else None


def later_ends(end: datetime) -> Iterator[datetime]:
    """The ends of the day, week, month and year that start at `end`."""
    yield end + timedelta(days=1)
    if end.weekday() == 0:
        yield end + timedelta(days=7)
    if end.day == 1:
        yield (end + timedelta(days=31)).replace(day=1)
        if end.month == 1:
            yield end.replace(year=end.year + 1)


def accepted(result: dict[str, Any]) -> set[Range]:
    """The ranges a result may resolve to."""
    value = result.get("Value") or {}
    ranges: set[Range] = set()
    for side in ("PastResolution", "FutureResolution"):
        resolution = value.get(side) or {}
        if "date" in resolution:
            day = moment(resolution["date"])
            if day:
                ranges.add((day, day + timedelta(days=1)))
        start, end = moment(resolution.get("startDate", "")), moment(resolution.get("endDate", ""))
        if start and end:
            ranges.add((start, end))
            if str(value.get("Timex", "")).startswith("("):
                ranges.update((start, later) for later in later_ends(end))
    return ranges


def kind(timex: str) -> str:
    """A name for the shape of a TIMEX value."""
    if timex.startswith("("):
        return "range"
    if "WXX" in timex:
        return "weekday"
    if "-W" in timex:
        return "week"
    if timex.startswith("XXXX"):
        return "without year"
    return {4: "year", 7: "month", 10: "date"}.get(len(timex), "other")


def judge(case: dict[str, Any], language: str) -> Iterator[tuple[str, str, str]]:
    """(kind, verdict, note) per expected result; the verdict is right, coarse, wrong or left out."""
    reference = (case.get("Context") or {}).get("ReferenceDateTime")
    now = datetime.fromisoformat(reference) if reference else DEFAULT_NOW
    text = case["Input"]
    found = resolve(text, now, [language])
    for result in case["Results"]:
        ranges = accepted(result)
        name = kind(str((result.get("Value") or {}).get("Timex", "")))
        if not ranges or LEFT_OUT.search(text) or "python" in case.get("NotSupportedByDesign", "").lower():
            yield name, "left out", ""
            continue
        start, end = result["Start"], result["Start"] + result["Length"]
        near = [e for e in found if e.span[0] < end and start < e.span[1]]
        note = f"{text!r} wanted {result['Text']!r} {sorted(f'{a:%F}..{b:%F}' for a, b in ranges)}"
        note += f" got {[(e.text, f'{e.start:%F %R}..{e.end:%F %R}') for e in near]}"
        if any((e.start, e.end) in ranges for e in near):
            yield name, "right", ""
        elif any(not e.explicit and e.start <= a and b <= e.end for e in near for a, b in ranges):
            yield name, "coarse", note
        else:
            yield name, "wrong", note


def main() -> int:
    """Print the table; 2 when the folder holds no specification."""
    parser = argparse.ArgumentParser(description="Measure date resolution on Recognizers-Text specifications.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--misses", action="store_true", help="list the cases that are not right")
    options = parser.parse_args()
    files = [f for f in sorted(options.folder.glob("*.json")) if f.name.split("-")[0] in LANGUAGES]
    if not files:
        print(f"no specification such as english-DateParser.json in {options.folder}", file=sys.stderr)
        return 2
    print(f"{'file':34} {'kind':14} {'right':>6} {'coarse':>6} {'wrong':>6} {'share':>7} {'left out':>9}")
    overall: Counter[str] = Counter()
    misses: list[str] = []
    for file in files:
        language = LANGUAGES[file.name.split("-")[0]]
        counts: dict[str, Counter[str]] = {}
        for case in json.loads(file.read_text(encoding="utf-8-sig")):
            for name, verdict, note in judge(case, language):
                counts.setdefault(name, Counter())[verdict] += 1
                misses += [f"{verdict}: {note}"] if note else []
        whole = sum(counts.values(), Counter[str]())
        overall += whole
        for name, row in [*sorted(counts.items()), ("all", whole)]:
            print(_row(file.stem, name, row))
    print(_row("all files", "all", overall))
    if options.misses:
        print("", *misses, sep="\n")
    return 0


def _row(file: str, name: str, row: Counter[str]) -> str:
    judged = row["right"] + row["coarse"] + row["wrong"]
    share = f"{row['right'] / judged:7.1%}" if judged else "      -"
    return f"{file:34} {name:14} {row['right']:6} {row['coarse']:6} {row['wrong']:6} {share} {row['left out']:9}"


if __name__ == "__main__":
    raise SystemExit(main())
