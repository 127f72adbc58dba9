"""A language model's JSON is read in a code fence, inside text, and in an object that wraps the array."""

from __future__ import annotations

import json

import msgspec
import pytest

from combray.consolidate.prompt import decoded


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One decision."""

    pair: int
    decision: str


ONE = {"pair": 1, "decision": "MERGE"}
TOLD = json.dumps([ONE])


@pytest.mark.parametrize(
    "answer",
    [
        TOLD,
        f"```json\n{TOLD}\n```",
        f"```\n{TOLD}\n```",
        f"~~~JSON\n{TOLD}\n~~~",
        f"Here is the JSON you asked for:\n\n```json\n{TOLD}\n```\nLet me know if it helps [or not].",
        f"Sure! {TOLD}",
        f"{TOLD}\n\nI merged {{both}}, since they say the same.",
        json.dumps({"decisions": [ONE]}),
        f"```json\n{json.dumps({'result': [ONE]}, indent=2)}\n```",
        f"好的，结果如下：\n{TOLD}\n以上。",
        f"Voici [le résultat] : {TOLD}",
        f"{TOLD}\n{TOLD}",
        f"\ufeff{TOLD}",
    ],
)
def test_the_value_is_found(answer: str) -> None:
    assert decoded(answer, list[Shape]) == [Shape(1, "MERGE")]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "MERGE",
        TOLD[:-1],
        json.dumps([ONE | {"also": 2}]),
        json.dumps([ONE | {"pair": "1"}]),
        json.dumps({"a": [ONE], "b": [ONE]}),
        json.dumps(ONE),
        f"{TOLD} or rather {json.dumps([ONE | {'decision': 'KEEP_BOTH'}])}",
        "[" * 100_000,
        "{" * 5_000 + "}" * 5_000,
    ],
)
def test_what_is_not_of_the_shape_or_not_one_answer_is_no_answer(answer: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        decoded(answer, list[Shape])
