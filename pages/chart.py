"""The bar chart of recall, from the table of docs/alternatives.md."""

from __future__ import annotations

import re
from pathlib import Path
from xml.sax.saxutils import escape

from pages.drawing import picture

PAGE = Path(__file__).resolve().parents[1] / "docs" / "alternatives.md"
ROW = re.compile(r"^\| (?P<name>[^|]+) \| (?:\*\*)?(?P<share>\d+\.\d)(?:\*\*)? \|", re.MULTILINE)
LEFT, TOP, TALL, STEP, LONGEST = 370, 40, 18, 25, 380
OURS, OTHERS = "#2f5d8a", "#b6bec9"


def alternatives() -> str:
    """A bar for each system of the table, in its order."""
    rows = [
        (found["name"].replace("*", "").replace("`", "").strip(), float(found["share"]))
        for found in ROW.finditer(_table())
    ]
    parts = [f'<text x="{LEFT}" y="24" font-size="14">recall@10 on unseen conversations, per cent</text>']
    for at, (name, share) in enumerate(rows):
        y, width = TOP + at * STEP, LONGEST * share / 100
        colour = OURS if name.startswith("Combray") else OTHERS
        parts += [
            f'<text x="{LEFT - 10}" y="{y + 13}" font-size="12" text-anchor="end">{escape(name)}</text>',
            f'<rect x="{LEFT}" y="{y}" width="{width:.0f}" height="{TALL}" fill="{colour}"/>',
            f'<text x="{LEFT + width + 6:.0f}" y="{y + 13}" font-size="12">{share}</text>',
        ]
    title = "recall@10 of Combray and of other memory stores"
    return picture(title, LEFT + LONGEST + 60, TOP + len(rows) * STEP + 12, parts)


def _table() -> str:
    text = PAGE.read_text(encoding="utf-8")
    return text[text.index("| system | recall@10") : text.index("## Where the difference")]
