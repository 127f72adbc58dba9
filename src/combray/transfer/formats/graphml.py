"""GraphML of memories and their edges, for Gephi, yEd and NetworkX. Source: http://graphml.graphdrawing.org."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from combray.types import Edge, Memory

_NODE = {
    "content": "string",
    "kind": "string",
    "category": "string",
    "importance": "int",
    "recorded_at": "string",
    "author": "string",
    "tags": "string",
    "entities": "string",
}
_EDGE = {"type": "string", "weight": "double", "subtype": "string", "reason": "string"}
_MISSING = "\ufffd"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(path: Path, memories: Iterable[Memory], edges: Iterable[Edge]) -> tuple[int, tuple[str, ...]]:
    """Write a directed graph. Return the number of memories. Characters that XML does not have are replaced."""
    listed = list(memories)
    known = {each.id for each in listed}
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        )
        for kind, names in (("node", _NODE), ("edge", _EDGE)):
            for name, type_ in names.items():
                file.write(f'<key id="{kind}.{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>\n')
        file.write('<graph id="memories" edgedefault="directed">\n')
        for each in listed:
            file.write(f"<node id={quoteattr(each.id)}>{_data('node', _NODE, each)}</node>\n")
        for edge in edges:
            if edge.source in known and edge.target in known:
                ends = f"source={quoteattr(edge.source)} target={quoteattr(edge.target)}"
                file.write(f"<edge {ends}>{_data('edge', _EDGE, edge)}</edge>\n")
        file.write("</graph>\n</graphml>\n")
    return len(listed), ()


def _data(kind: str, names: Iterable[str], of: Any) -> str:
    values = ((name, getattr(of, name)) for name in names)
    texts = ((name, ", ".join(each) if isinstance(each, tuple) else each) for name, each in values)
    return "".join(
        f'<data key="{kind}.{name}">{escape(_NOT_XML.sub(_MISSING, str(each)))}</data>'
        for name, each in texts
        if each not in (None, "")
    )
