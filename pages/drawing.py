"""SVG pictures of boxes and arrows, written as text so that equal input gives equal bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape

LETTER = 7.4
"""Width of a letter at 13 px, generous."""
_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" \
font-family="Helvetica, Arial, sans-serif">
<title>{title}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
<path d="M0 0 L8 4 L0 8 z" fill="#6b7280"/></marker></defs>
"""


@dataclass(frozen=True, slots=True)
class Box:
    """A labelled rectangle; `note` is a second, smaller line."""

    x: float
    y: float
    width: float
    height: float
    label: str
    note: str = ""
    fill: str = "#e8eef7"

    @property
    def middle(self) -> float:
        """The x of its centre."""
        return self.x + self.width / 2


def box(at: Box) -> str:
    """The rectangle with its text."""
    text = at.y + at.height / 2 + (4.5 if not at.note else -2)
    lines = [
        f'<rect x="{at.x:.0f}" y="{at.y:.0f}" width="{at.width:.0f}" height="{at.height:.0f}" rx="5" '
        f'fill="{at.fill}" stroke="#374151"/>',
        f'<text x="{at.middle:.0f}" y="{text:.0f}" font-size="13" text-anchor="middle">{escape(at.label)}</text>',
    ]
    if at.note:
        lines.append(
            f'<text x="{at.middle:.0f}" y="{text + 15:.0f}" font-size="10" fill="#4b5563" '
            f'text-anchor="middle">{escape(at.note)}</text>'
        )
    return "\n".join(lines)


def frame(x: float, y: float, width: float, height: float, label: str) -> str:
    """A dashed rectangle around boxes, with its label at the top left."""
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="8" fill="none" '
        f'stroke="#9a3412" stroke-dasharray="5 4"/>\n'
        f'<text x="{x + 10:.0f}" y="{y + 15:.0f}" font-size="11" fill="#9a3412">{escape(label)}</text>'
    )


def arrow(path: str) -> str:
    """A line with a tip, along the given path data."""
    return f'<path d="{path}" fill="none" stroke="#6b7280" stroke-width="1" marker-end="url(#tip)"/>'


def picture(title: str, width: float, height: float, parts: Iterable[str]) -> str:
    """The whole file."""
    return _HEAD.format(title=escape(title), width=width, height=height) + "\n".join(parts) + "\n</svg>\n"
