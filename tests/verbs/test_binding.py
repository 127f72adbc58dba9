"""Arguments of a verb from a mapping: forms, errors, schemas, and the call."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

import combray
from combray.errors import InvalidInputError
from combray.verbs import CALLS, VERBS
from combray.verbs.binding import bind, schema
from combray.verbs.declaration import Verb
from combray.verbs.signature import parameters


@pytest.fixture
def engine() -> Iterator[combray.Engine]:
    with combray.open(":memory:", embedder="none") as opened:
        yield opened


def test_a_call_runs_the_engines_verb(engine: combray.Engine) -> None:
    made = bind(VERBS["remember"], {"text": "The well is deep.", "tags": ["garden"]})(engine)
    answer = bind(VERBS["recall"], {"query": "well", "limit": 3, "tags": ["garden"]})(engine)
    assert [hit.memory.id for hit in answer] == [made.id]
    bind(VERBS["alias"], {"name": "Kubernetes", "others": ["k8s", "kube"]})(engine)
    assert bind(VERBS["entities"], {})(engine)[0].aliases == ("k8s", "kube")
    bind(VERBS["conversation.add"], {"session": "s", "text": "Hello.", "author": "user"})(engine)
    assert len(bind(VERBS["conversation.turns"], {"session": "s"})(engine)) == 1
    assert bind(VERBS["forget"], {"memory_id": made.id})(engine).ids == (made.id,)
    written = io.StringIO()
    assert bind(VERBS["export"], {})(engine, stream=written) == 3
    assert "The well is deep." in written.getvalue()


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("recall", {"query": "x", "limit": None, "categories": None, "where": None}, {"query": "x"}),
        ("recall", {"query": "x", "categories": "fact"}, {"query": "x", "categories": ["fact"]}),
        ("recall", {"query": "x", "tags": '["a", "b"]'}, {"query": "x", "tags": ["a", "b"]}),
        ("recall", {"query": "x", "tags": "[a"}, {"query": "x", "tags": ["[a"]}),
        ("recall", {"query": "x", "limit": "5"}, {"query": "x", "limit": 5}),
        ("recall", {"query": "x", "limit": 5.0, "basic": "true"}, {"query": "x", "limit": 5, "basic": True}),
        (
            "recall",
            {"query": "x", "where": '{"category": "fact"}'},
            {"query": "x", "where": {"category": "fact"}},
        ),
        ("recall", {"query": "x", "min_importance": 2}, {"query": "x", "min_importance": 2}),
        ("remember", {"text": "x", "entities": "Bob"}, {"text": "x", "entities": ["Bob"]}),
        (
            "remember",
            {"text": "x", "entities": {"Robert": "Bob"}},
            {"text": "x", "entities": {"Robert": ["Bob"]}},
        ),
        ("forget", {"about": "Acme", "include": "ID"}, {"about": "Acme", "include": ["ID"]}),
        ("unsettled", {"left_open": True}, {"left_open": True}),
    ],
)
def test_arguments_take_the_form_of_their_parameters(
    name: str, given: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert bind(VERBS[name], given).arguments == expected


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("recall", {}, "query: is missing. Give a text."),
        ("recall", {"query": None}, "query: is missing."),
        ("recall", {"query": 7}, "query: must be a text, got 7."),
        ("recall", {"query": "x", "limit": 0}, "limit: must be between 1 and 1000, got 0."),
        ("recall", {"query": "x", "limit": True}, "limit: must be a whole number, got True."),
        ("recall", {"query": "x", "limit": float("nan")}, "limit: must be a whole number, got nan."),
        ("recall", {"query": "x", "limit": 1.5}, "limit: must be a whole number, got 1.5."),
        ("recall", {"query": "x", "keep": 2}, "keep: must be between 0 and 1, got 2."),
        ("recall", {"query": "x", "categories": ["rumour"]}, "categories: must be one of preference, decision"),
        ("recall", {"query": "x", "tags": [1]}, "tags: must be a list, each a text, got 1."),
        ("recall", {"query": "x", "basic": "perhaps"}, "basic: must be true or false, got 'perhaps'."),
        ("recall", {"query": "x", "where": "red"}, "where: must be an object, got 'red'."),
        ("recall", {"query": "x", "colour": "red"}, "recall: has no argument 'colour'. Use only query, limit,"),
        ("remember", {"text": "x", "entities": 5}, "entities: must be a list of names, got 5."),
        ("recall", {"query": "x", "explain": True}, "recall: has no argument 'explain'."),
        ("think", {"question": "x", "budget": 5}, "budget: must be at least 100, got 5."),
    ],
)
def test_a_wrong_argument_is_named_with_its_value_and_the_remedy(
    name: str, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        bind(VERBS[name], given)
    assert said in str(caught.value)


def test_any_json_gives_a_call_or_an_error_for_people() -> None:
    values: list[Any] = [
        None,
        True,
        0,
        -1,
        1.5,
        10**400,
        "",
        "x",
        "[",
        "[1]",
        [],
        ["a"],
        [[]],
        [None],
        {},
        {"a": {"b": 1}},
    ]
    for verb in CALLS.values():
        for name in parameters(verb):
            for value in values:
                try:
                    bind(verb, {name: value})
                except InvalidInputError:
                    continue


@pytest.mark.parametrize("verb", CALLS.values(), ids=lambda verb: verb.name)
def test_every_verb_has_a_schema(verb: Verb) -> None:
    made = schema(parameters(verb))
    jsonschema.Draft202012Validator.check_schema(made)
    assert made["additionalProperties"] is False
    for name, each in made["properties"].items():
        if "default" in each:
            jsonschema.validate(each["default"], each)
        assert (name in made.get("required", ())) == ("default" not in each)
