"""The picture of the rooms, from the import graph of the package."""

from __future__ import annotations

from collections.abc import Mapping

import grimp

from pages.drawing import LETTER, Box, arrow, box, picture

PACKAGE = "combray"
ROW, GAP, EDGE, TALL = 78, 26, 20, 30
Arrows = Mapping[str, set[str]]


def draw() -> str:
    """Rooms in rows: each row imports from rows below only. Arrows that others imply are omitted."""
    arrows = imports()
    rows = levels(arrows)
    order = arranged(rows, arrows)
    return _picture(order, reduced(arrows))


def imports() -> Arrows:
    """Room -> rooms it imports from, imports for type checking included."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    rooms = sorted(graph.find_children(PACKAGE))
    found: dict[str, set[str]] = {_name(room): set() for room in rooms}
    for room in rooms:
        for module in (room, *graph.find_descendants(room)):
            for target in graph.find_modules_directly_imported_by(module):
                other = ".".join(target.split(".")[:2])
                if other not in (room, PACKAGE):
                    found[_name(room)].add(_name(other))
    del found["__main__"]
    return found


def levels(arrows: Arrows) -> list[list[str]]:
    """Rooms by the longest way down; the first row imports nothing. Raises ValueError for a circle."""
    rank: dict[str, int] = {}
    left = dict(arrows)
    while left:
        ready = [room for room, below in left.items() if all(each in rank for each in below)]
        if not ready:
            raise ValueError(f"the rooms {', '.join(sorted(left))} import one another in a circle")
        for room in ready:
            rank[room] = max((rank[each] + 1 for each in left.pop(room)), default=0)
    rows: list[list[str]] = [[] for _ in range(max(rank.values()) + 1)]
    for room in sorted(rank):
        rows[rank[room]].append(room)
    return rows


def reduced(arrows: Arrows) -> Arrows:
    """Without the arrows that follow from two or more others."""
    reach: dict[str, set[str]] = {}
    for row in levels(arrows):
        for room in row:
            reach[room] = arrows[room].union(*(reach[below] for below in arrows[room]))
    return {
        room: {each for each in below if not any(each in reach[other] for other in below)}
        for room, below in arrows.items()
    }


def arranged(rows: list[list[str]], arrows: Arrows) -> list[list[str]]:
    """Each row in an order that puts rooms above what they import."""
    place: dict[str, float] = {}
    for row in rows:
        weight = {
            room: sum(place[below] for below in sorted(arrows[room])) / len(arrows[room]) if arrows[room] else 0.5
            for room in row
        }
        row.sort(key=lambda room: (weight[room], room))
        place |= {room: (at + 1) / (len(row) + 1) for at, room in enumerate(row)}
    return rows


def _picture(rows: list[list[str]], arrows: Arrows) -> str:
    width = max(sum(_width(room) + GAP for room in row) for row in rows) + 2 * EDGE + 120
    boxes: dict[str, Box] = {}
    for depth, row in enumerate(reversed(rows)):
        free = width - sum(_width(room) for room in row)
        space = free / (len(row) + 1)
        x = space
        for room in row:
            boxes[room] = Box(x, EDGE + depth * ROW, _width(room), TALL, room)
            x += _width(room) + space
    lines = []
    for room in sorted(arrows):
        for below in sorted(arrows[room]):
            start, end = boxes[room], boxes[below]
            top, bottom = start.y + TALL, end.y
            bend = (bottom - top) / 2
            lines.append(
                arrow(
                    f"M{start.middle:.0f} {top:.0f} C{start.middle:.0f} {top + bend:.0f} "
                    f"{end.middle:.0f} {bottom - bend:.0f} {end.middle:.0f} {bottom - 2:.0f}"
                )
            )
    title = "The rooms of Combray: each imports only from rooms below it"
    height = len(rows) * ROW + EDGE
    return picture(title, width, height, [*lines, *(box(each) for _, each in sorted(boxes.items()))])


def _width(room: str) -> float:
    return len(room) * LETTER + 22


def _name(module: str) -> str:
    return module.removeprefix(f"{PACKAGE}.")
