"""What a `where` may say, and what is told about one that cannot be used."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from combray.errors import InvalidInputError
from combray.testing.fakes import START
from combray.where import And, Compare, Not, Or, fields_of, parse

NOW = START.timestamp()


def test_a_plain_value_means_equality_and_several_keys_mean_and() -> None:
    assert parse({"category": "decision", "importance": {"gte": 4, "lt": 5}}, NOW) == And(
        (
            Compare("category", "eq", "text", ("decision",)),
            And((Compare("importance", "gte", "number", (4,)), Compare("importance", "lt", "number", (5,)))),
        )
    )


def test_conditions_nest() -> None:
    found = parse({"or": [{"tags": "A"}, {"not": {"metadata.a.b": True}}]}, NOW)
    assert found == Or(
        (
            Compare("tags", "eq", "label", ("a",)),
            Not(Compare("metadata", "eq", "flag", (True,), ("a", "b"))),
        )
    )
    assert fields_of(found) == {"tags", "metadata"}


def test_values_of_several_sorts_in_one_in_are_kept_apart() -> None:
    found = parse({"metadata.x": {"in": ["1", 1, True, 1.0]}}, NOW)
    assert found == Or(
        (
            Compare("metadata", "in", "text", ("1",), ("x",)),
            Compare("metadata", "in", "number", (1,), ("x",)),
            Compare("metadata", "in", "flag", (True,), ("x",)),
        )
    )


@pytest.mark.parametrize(
    "given", [datetime(2024, 4, 28, 12, tzinfo=UTC), "2024-04-28T14:00:00+02:00", "3 days ago"]
)
def test_times_are_datetimes_iso_texts_or_words(given: Any) -> None:
    found = parse({"recorded_at": {"gte": given}}, NOW)
    assert isinstance(found, Compare)
    (value,) = found.values
    assert isinstance(value, datetime)
    assert value.date() == datetime(2024, 4, 28, tzinfo=UTC).date()


@pytest.mark.parametrize("where", [None, {}])
def test_nothing_asked_lets_everything_through(where: Any) -> None:
    assert parse(where, NOW) is None


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ([], "where: [] is not a mapping. Give fields and values"),
        ("x", "where: 'x' is not a mapping."),
        ({"colour": "red"}, "where: 'colour' is not a field. Fields: id, content,"),
        ({3: "red"}, "where: 3 is not a field. Name fields with texts."),
        ({"metadata": {"a": 1}}, "where: 'metadata' names no entry. Name one, such as metadata.user"),
        ({"metadata.": 1}, "where: 'metadata.' is not a path."),
        ({"metadata..a": 1}, "where: 'metadata..a' is not a path. Join names with dots"),
        ({'metadata."a"b': 1}, "is not a path."),
        ({'metadata."a\\x"': 1}, "is not a path."),
        (
            {"importance": {"between": [1, 2]}},
            "importance 'between' is not an operator of this field. Operators: eq,",
        ),
        ({"kind": {"gt": "fact"}}, "kind 'gt' is not an operator of this field. Operators: eq, ne, in, exists."),
        ({"kind": "facts"}, "kind eq 'facts' is not known. Use one of: episode, fact,"),
        ({"status": {"in": ["live"]}}, "status in 'live' is not known. Use one of: active,"),
        ({"importance": {"gte": "4"}}, "importance gte '4' is not a number. Give a number."),
        ({"importance": True}, "importance eq True is not a number."),
        ({"importance": 2**63}, "is out of range. Give a finite number of at most 64 bits."),
        ({"confidence": float("nan")}, "confidence eq nan is out of range."),
        ({"author": 3}, "author eq 3 is not a text. Give a text."),
        ({"author": None}, 'author eq None is not a value. Use {"exists": false} for what is missing.'),
        ({"author": {"exists": 1}}, "author exists 1 is not true or false."),
        ({"author": {}}, "author {} names no operator. Operators: eq, ne, in,"),
        ({"author": {"in": "Ann"}}, "author in 'Ann' is not a list. Give in a list of values."),
        ({"author": {"in": []}}, "author in has 0 values. Give 1 to 10000."),
        ({"author": "a\x00"}, "where: contains a NUL character"),
        ({"author": "\ud800"}, "where: is not valid Unicode"),
        ({"valid_to": "not a day"}, "valid_to eq 'not a day' is not a time:"),
        ({"valid_to": True}, "valid_to eq True is not a time:"),
        ({"metadata.x": [1]}, "metadata.x eq [1] cannot be compared. Give a text, a number, true or false."),
        ({"metadata.x": {"gt": True}}, "metadata.x gt True has no order."),
        ({"and": {}}, "and {} is not a list of conditions."),
        ({"or": []}, "or [] is not a list of conditions."),
        ({"not": {}}, "an empty mapping stands inside and, or or not."),
        ({"or": [3]}, "3 is not a mapping."),
        (
            {"and": [{"importance": 1}] * 201},
            "it has more than 200 comparisons. Use in for many values of one field.",
        ),
    ],
)
def test_what_cannot_be_used_is_named(where: Any, message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse(where, NOW)
    assert message in str(caught.value)
    assert caught.value.field == "where"


def test_depth_is_limited() -> None:
    where: dict[str, Any] = {"importance": 1}
    for _ in range(100):
        where = {"not": where}
    with pytest.raises(InvalidInputError, match="nested more than 20 levels"):
        parse(where, NOW)
