"""Minimal edits of JSON and TOML texts: hand-worked examples, and properties on generated texts."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from combray.agents.clients.jsonedit import append, remove, set_value, value_at
from combray.agents.clients.jsonsource import JSON, JSON5, JSON_WITH_COMMENTS, JSONC, Dialect, SourceError, read
from combray.agents.clients.tomledit import TableError, remove_table, set_table


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "b": 2\n}'),
        ("{\n}\n", '{\n  "b": 2\n}\n'),
        ('{"a": 1}', '{"a": 1, "b": 2}'),
        ('{\n  "a": 1\n}', '{\n  "a": 1,\n  "b": 2\n}'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"b": 2\n}'),
        ('{\r\n    "a": 1\r\n}\r\n', '{\r\n    "a": 1,\r\n    "b": 2\r\n}\r\n'),
        ('{\n  "a": 1, // one\n}', '{\n  "a": 1, // one\n  "b": 2,\n}'),
        ('{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "b": 2\n}'),
        ("{ // none\n}", '{ // none\n  "b": 2\n}'),
        ("", '{\n  "b": 2\n}\n'),
        ("// none\n", '// none\n{\n  "b": 2\n}\n'),
    ],
)
def test_a_member_is_added_in_the_style_of_the_file(before: str, after: str) -> None:
    assert set_value(before, ["b"], 2, JSONC) == after
    if before.strip() and "{" in before and before != "{}":
        assert remove(after, ["b"], JSONC) == before


def test_a_comment_above_a_removed_member_stays() -> None:
    text = '{\n  "a": 1,\n  // about b\n  "b": 2,\n  "c": 3\n}'
    assert remove(text, ["b"], JSONC) == '{\n  "a": 1,\n  // about b\n  "c": 3\n}'


def test_the_last_of_two_members_with_one_name_counts() -> None:
    text = '{"a": {"x": 1}, "a": {"y": 2}}'
    assert value_at(text, ["a"], JSON) == {"y": 2}
    assert set_value(text, ["a", "z"], 3, JSON) == '{"a": {"x": 1}, "a": {"y": 2, "z": 3}}'


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("{'a': 1}", JSONC),
        ("{a: 1}", JSONC),
        ('{"a": 1,}', JSON_WITH_COMMENTS),
        ('{"a": 1} // x', JSON),
        ('{"a": 01}', JSON),
        ('{"a": "\n"}', JSON),
        ('{"a" 1}', JSON5),
        ("[1 2]", JSON5),
        ("[,]", JSON5),
        ('{"a": "\\x"}', JSON),
        ("[" * 1000, JSON),
        ("{} []", JSON),
    ],
)
def test_what_a_dialect_does_not_allow_is_an_error(text: str, dialect: Dialect) -> None:
    with pytest.raises(SourceError, match="line"):
        read(text, dialect)


def test_json5_values_are_read() -> None:
    text = "{a: 'it\\'s', b: 0x1F, c: .5, d: +1, e: Infinity, 'f': \"x\\\ny\", $g: null, h: [1,],}"
    expected = {"a": "it's", "b": 31, "c": 0.5, "d": 1, "e": float("inf"), "f": "xy", "$g": None, "h": [1]}
    assert value_at(text, [], JSON5) == expected


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
_OBJECTS = st.dictionaries(st.text(max_size=5), _VALUES, max_size=4)


@given(_OBJECTS, st.sampled_from([None, 0, 1, 2, 4, "\t"]), _VALUES)
def test_adding_and_removing_gives_the_text_back(
    value: dict[str, object], indent: int | str | None, new: object
) -> None:
    value.pop("the new", None)
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    added = set_value(text, ["the new"], new, JSON)
    assert json.loads(added) == {**value, "the new": new}
    removed = remove(added, ["the new"], JSON)
    assert json.loads(removed) == value
    if value:
        assert removed == text


@given(st.lists(_VALUES, max_size=4), st.sampled_from([None, 2, "\t"]), _VALUES)
def test_appending_adds_one_element(values: list[object], indent: int | str | None, new: object) -> None:
    text = json.dumps({"a": values, "b": 1}, indent=indent)
    assert json.loads(append(text, ["a"], new, JSON)) == {"a": [*values, new], "b": 1}


@given(_OBJECTS)
def test_what_json_reads_is_read_alike_in_every_dialect(value: dict[str, object]) -> None:
    text = json.dumps(value)
    for dialect in (JSON, JSON_WITH_COMMENTS, JSONC, JSON5):
        assert value_at(text, [], dialect) == value


def test_a_toml_table_is_added_and_removed() -> None:
    before = "# mine\na = 1\n\n[b]\nc = 2\n"
    after = set_table(before, ["mcp_servers", "combray"], {"command": "combray", "args": ["mcp"]})
    assert after == before + '\n[mcp_servers.combray]\ncommand = "combray"\nargs = ["mcp"]\n'
    assert remove_table(after, ["mcp_servers", "combray"]) == before


def test_a_toml_table_between_others_is_removed_with_its_subtables() -> None:
    text = '[a]\nx = 1\n\n[s.c]\ncommand = "c"\n\n[s.c.env]\nK = "v"\n\n# about d\n[s.d]\ny = 2\n'
    assert remove_table(text, ["s", "c"]) == "[a]\nx = 1\n\n# about d\n[s.d]\ny = 2\n"


def test_keys_of_a_toml_table_are_replaced_one_by_one() -> None:
    text = '[s.c]\ncommand = "old" # mine\nargs = [\n  "a", # first\n  "b",\n]\nenabled = true\n[z]\n'
    made = set_table(text, ["s", "c"], {"command": "new", "args": ["mcp"]})
    assert made == '[s.c]\ncommand = "new"\nargs = ["mcp"]\nenabled = true\n[z]\n'
    assert tomllib.loads(made)["s"]["c"] == {"command": "new", "args": ["mcp"], "enabled": True}


@pytest.mark.parametrize(
    "text", ['s = {c = {command = "x"}}\n', 's.c.command = "x"\n', '[s]\nc = {command = "x"}\n']
)
def test_a_toml_table_without_a_header_is_refused(text: str) -> None:
    with pytest.raises(TableError):
        set_table(text, ["s", "c"], {"command": "new"})
