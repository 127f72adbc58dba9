"""The graph as one HTML page with its data and script inline; the page makes no request."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files

import msgspec

from combray.picture.graph import CATEGORY_COLOURS, EDGE_COLOURS, Graph, HasReader, graph
from combray.runtime import Reader
from combray.types import LIVE_STATUSES, STATUSES

_TEMPLATE = files("combray.picture").joinpath("graph.html")
_DATA = "/*DATA*/"
_POLICY = "POLICY"
_INLINE = {
    "script-src": re.compile(r"<script>(.*?)</script>", re.DOTALL),
    "style-src": re.compile(r"<style>(.*?)</style>", re.DOTALL),
}
_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def html(source: HasReader | Reader, *, limit: int = 800) -> str:
    """Render a page with the newest `limit` memories and the edges between them.

    Stored text is embedded as JSON with <, > and & escaped, and the script inserts it as text only. The content
    security policy allows only the page's own script and style, by hash.
    """
    template = _TEMPLATE.read_text(encoding="utf-8")
    page = template.replace(_POLICY, _policy(template), 1)
    return page.replace(_DATA, embedded(_data(graph(source, limit))), 1)


def embedded(data: object) -> str:
    """Encode data as JSON that is safe inside a script element."""
    return msgspec.json.encode(data).decode().translate(_ESCAPES)


def _policy(template: str) -> str:
    """Return a content security policy with the SHA-256 of the template's script and style."""
    rules = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    for rule, pattern in _INLINE.items():
        hashes = [hashlib.sha256(found.encode()).digest() for found in pattern.findall(template)]
        rules.append(" ".join([rule, *(f"'sha256-{base64.b64encode(each).decode()}'" for each in hashes)]))
    return "; ".join(rules)


def _data(drawn: Graph) -> dict[str, object]:
    places = {memory.id: number for number, memory in enumerate(drawn.memories)}
    fields = ("id", "content", "category", "importance", "status", "kind", "source", "author", "session")
    shown = (*fields, "moment", "tags", "entities")
    return {
        "categories": CATEGORY_COLOURS,
        "types": EDGE_COLOURS,
        "statuses": STATUSES,
        "live": LIVE_STATUSES,
        "left_out": drawn.left_out,
        "nodes": [{name: getattr(memory, name) for name in shown} for memory in drawn.memories],
        "edges": [
            [
                places[each.source],
                places[each.target],
                each.type,
                round(each.weight, 3),
                each.subtype,
                each.reason,
            ]
            for each in drawn.edges
        ],
    }
