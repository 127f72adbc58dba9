"""Pictures show what is stored, and nothing stored can break out of them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest

from combray import picture
from combray.picture import CATEGORY_COLOURS, EDGE_COLOURS, embedded, quoted, shortened
from combray.runtime import Arrival, Link
from combray.testing.fakes import memory
from combray.testing.reference import ReferenceStore
from combray.types import CATEGORIES, EDGE_TYPES

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    '"];\n evil [label="x',
    "back\\slash\\",
    '\\" -> \\N \\E',
    "a\u2028b\u2029c\u202e\x07",
    "<img src=x onerror=alert(2)>&lt;",
    "/*DATA*/ POLICY",
    "${alert(3)} `x`",
]


def stored(texts: list[str], **fields: Any) -> ReferenceStore:
    store = ReferenceStore()
    with store.transaction("default") as tx:
        keys = tx.insert([Arrival(memory(text, at, **fields)) for at, text in enumerate(texts)])
        for at, key in enumerate(keys[1:]):
            tx.link([Link(keys[at], key, EDGE_TYPES[at % 5], 0.5, texts[at], texts[at + 1])], 0.0)
    return store


class Page(HTMLParser):
    """What a browser would see: the elements, and the text of each script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "script":
            self.scripts[-1] += data

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def page(store: ReferenceStore, **options: Any) -> tuple[Page, dict[str, Any]]:
    parsed = Page(picture.html(store.reader("default"), **options))
    data: dict[str, Any] = json.loads(parsed.scripts[0])
    return parsed, data


def test_hostile_text_stays_text_in_the_page() -> None:
    store = stored(HOSTILE, author="</script>", tags=("<b>",), session="<!--")
    parsed, data = page(store)
    plain, _ = page(stored(["harmless"]))
    assert [tag for tag, _ in parsed.elements] == [tag for tag, _ in plain.elements]
    assert [each["content"] for each in data["nodes"]] == HOSTILE
    assert [edge[4:] for edge in data["edges"]] == [list(each) for each in pairwise(HOSTILE)]
    assert parsed.scripts[1] == plain.scripts[1]


def test_embedded_json_cannot_end_its_element() -> None:
    text = embedded({"<a>": "&\u2028</script>"})
    assert not re.search("[<>&\u2028]", text)
    assert json.loads(text) == {"<a>": "&\u2028</script>"}


def test_the_page_needs_nothing_from_elsewhere_and_allows_nothing_else() -> None:
    text = picture.html(stored(["a"]).reader("default"))
    parsed = Page(text)
    assert "http://" not in text
    assert "https://" not in text
    assert [each for _, each in parsed.elements if {"src", "href"} & set(each)] == []
    # No handler in an attribute: the policy would refuse it.
    assert [each for _, each in parsed.elements if any(name.startswith("on") for name in each)] == []
    policy = next(each["content"] for each in parsed.attributes("meta") if "http-equiv" in each) or ""
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    digest = base64.b64encode(hashlib.sha256(parsed.scripts[1].encode()).digest()).decode()
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert "unsafe" not in policy


def test_the_script_writes_text_only() -> None:
    script = Page(picture.html(stored(["a"]).reader("default"))).scripts[1]
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
        assert way not in script


def test_the_newest_are_shown_and_only_edges_between_them() -> None:
    _, data = page(stored(["a", "b", "c"]), limit=2)
    assert [each["content"] for each in data["nodes"]] == ["b", "c"]
    assert data["left_out"] == 1
    assert data["edges"] == [[0, 1, EDGE_TYPES[1], 0.5, "b", "c"]]
    assert page(stored(["a"]), limit=0)[1]["nodes"] == []


def test_every_status_is_shown_but_nothing_quarantined() -> None:
    store = stored(["old"], status="superseded")
    with store.transaction("default") as tx:
        tx.insert(
            [Arrival(memory("gone", 1, status="forgotten")), Arrival(memory("bad", 2, trust="quarantined"))]
        )
    _, data = page(store)
    assert [(each["content"], each["status"]) for each in data["nodes"]] == [
        ("old", "superseded"),
        ("gone", "forgotten"),
    ]


def test_an_engine_is_drawn_by_its_reader() -> None:
    class Engine:
        reader = stored(["a"]).reader("default")

    assert picture.dot(Engine()) == picture.dot(Engine.reader)
    assert picture.html(Engine()) == picture.html(Engine.reader)


def test_every_category_and_edge_type_has_a_colour_of_its_own() -> None:
    assert set(CATEGORY_COLOURS) == set(CATEGORIES)
    assert set(EDGE_COLOURS) == set(EDGE_TYPES)
    colours = [*CATEGORY_COLOURS.values(), *EDGE_COLOURS.values()]
    assert len(set(map(str.casefold, colours))) == len(colours)


def test_the_dot_of_two_memories() -> None:
    store = ReferenceStore()
    with store.transaction("default") as tx:
        a, b = tx.insert(
            [
                Arrival(memory("a", category="decision")),
                Arrival(memory("b", 1, status="forgotten", category="?")),
            ]
        )
        tx.link([Link(a, b, "causal", 0.5, "causes", "why")], 0.0)
    lines = picture.dot(store.reader("default")).splitlines()
    assert lines[4:] == [
        '  m0 [label="a", tooltip="decision, importance 3, active: a", fillcolor="#D55E00", '
        'style="rounded,filled"];',
        '  m1 [label="b", tooltip="?, importance 3, forgotten: b", fillcolor="#7A8594", '
        'style="rounded,filled,dashed"];',
        '  m0 -> m1 [label="causes", tooltip="why", color="#C0392B", fontcolor="#C0392B", penwidth=1.25];',
        "}",
    ]


TOKEN = re.compile(r'"(?:[^"\\\n]|\\["\\])*"|[A-Za-z_][\w]*|-?[\d.]+|->|[{}\[\];,=]|\s+')


def test_hostile_text_stays_inside_its_label() -> None:
    drawn = picture.dot(stored(HOSTILE).reader("default"))
    tokens = TOKEN.findall(drawn)
    assert "".join(tokens) == drawn
    names = {each for each in tokens if re.fullmatch(r"[A-Za-z_]\w*", each)}
    assert "evil" not in names
    assert sum(each == "->" for each in tokens) == len(HOSTILE) - 1


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('a"b', '"a\\"b"'),
        ("a\\", '"a\\\\"'),
        ("\\N", '"\\\\N"'),
        ("a\nb\x00c\u202e", '"a b c "'),
        ("数据 é", '"数据 é"'),
    ],
)
def test_quoting(text: str, label: str) -> None:
    assert quoted(text) == label


def test_shortening() -> None:
    assert shortened(" a \n b ", 5) == "a b"
    assert shortened("abc def", 5) == "abc…"
