"""The picture of the shell on the front page: what `combray recall --explain` prints, in colour."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from itertools import count

from rich.console import Console

import combray
from combray.interfaces.cli.recalling import show_answer
from combray.records import replace

_TOLD = (
    ("The nightly import and the bookings page wrote to SQLite at once, so the file was locked.", "fact", 3),
    ("Because the file was locked, two bookings were lost.", "fact", 3),
    ("Because of the two lost bookings we chose PostgreSQL.", "decision", 5),
)
_NOW = datetime(2026, 3, 9, 8, tzinfo=UTC).timestamp()
_QUESTION = "why did we choose PostgreSQL"
_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""A picture of the documentation loads nothing from elsewhere: the font is the reader's monospace."""
_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b")


def shell() -> str:
    """Return the SVG. Ids are replaced and the times of the stages left out, because they differ in every run."""
    out = Console(record=True, width=96, file=io.StringIO(), highlight=False, emoji=False, force_terminal=True)
    with combray.open(":memory:", preset="mnemon", worker=False, clock=lambda: _NOW) as engine:
        for day, (text, category, importance) in enumerate(_TOLD, start=2):
            at = f"2026-03-{day:02}T09:30:00Z"
            engine.remember(text, category=category, importance=importance, occurred_at=at)
        answer = engine.recall(_QUESTION, limit=3)
    out.print(f'[bold]$ combray recall "{_QUESTION}" --preset mnemon --limit 3 --explain[/bold]', markup=True)
    show_answer(replace(answer, trace=()), explain=True, verbose=False, out=out)
    drawn = out.export_svg(title="combray", unique_id="combray")
    drawn = _FONT.sub("", drawn)
    number = count(1)
    return _ID.sub(lambda _: f"01a221e8-0000-7000-8000-{next(number):012}", drawn) + "\n"
