"""Answers that follow a JSON schema, where the service can give them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from service import Reply, serving

import combray
from combray.conversation.extraction_prompt import SCHEMA
from combray.errors import ModelError
from combray.models import language_model

FACTS = json.dumps({"facts": [{"fact": "User lives in Porto", "lines": [1]}], "known": []})


def chat(text: str, **more: Any) -> dict[str, Any]:
    choice = {"message": {"content": text}, "finish_reason": "stop", **more}
    return {"choices": [choice], "usage": {"total_tokens": 100}}


def test_openai_gets_the_schema_and_extraction_the_facts() -> None:
    with serving(Reply(chat(FACTS))) as service:
        spec = f"openai:small@{service.url}"
        with combray.open(":memory:", embedder="none", language_model=spec, worker=False) as engine:
            done = engine.extract([{"role": "user", "content": "I live in Porto."}])
            assert (len(done.facts), done.calls, done.tokens) == (1, 1, 100)
        (asked,) = service.asked
        bound = asked.body["response_format"]
        assert (bound["type"], bound["json_schema"]["schema"]) == ("json_schema", SCHEMA)


@pytest.mark.parametrize(
    "message", ["unknown field response_format", "this model supports no json_schema", "guided decoding is off"]
)
def test_a_service_without_schemas_is_asked_again_without(message: str) -> None:
    refusal = Reply({"error": {"message": message}}, 400)
    with serving(refusal, Reply(chat(f"```json\n{FACTS}\n```"))) as service:
        model: Any = language_model(f"openai:small@{service.url}")
        for _ in range(2):
            assert FACTS in model.complete_json("s", "p", SCHEMA)
        assert ["response_format" in each.body for each in service.asked] == [True, False, False]


def test_anthropic_answers_by_a_tool() -> None:
    used = {"type": "tool_use", "name": "answer", "input": json.loads(FACTS)}
    answer = {"content": [used], "stop_reason": "tool_use", "usage": {"input_tokens": 60, "output_tokens": 40}}
    with serving(Reply(answer)) as service:
        model: Any = language_model(f"anthropic:small@{service.url}")
        assert json.loads(model.complete_json("s", "p", SCHEMA)) == json.loads(FACTS)
        (asked,) = service.asked
        assert asked.body["tool_choice"] == {"type": "tool", "name": "answer"}
        assert asked.body["tools"][0]["input_schema"] == SCHEMA


def test_gemini_gets_the_schema_beside_its_other_options() -> None:
    answer = {"candidates": [{"content": {"parts": [{"text": FACTS}]}, "finishReason": "STOP"}]}
    with serving(Reply(answer)) as service:
        model: Any = language_model(f"gemini:small@{service.url}")
        assert model.complete_json("s", "p", SCHEMA, max_tokens=9) == FACTS
        options = service.asked[0].body["generationConfig"]
        assert (options["maxOutputTokens"], options["responseJsonSchema"]) == (9, SCHEMA)


@pytest.mark.parametrize(
    ("body", "request_only"),
    [
        (chat(FACTS, finish_reason="length"), True),
        (chat(FACTS, finish_reason="content_filter"), True),
        (chat(""), True),
        ({"choices": []}, False),
    ],
)
def test_an_error_says_whether_the_service_works(body: Any, request_only: bool) -> None:
    with serving(Reply(body)) as service:
        model: Any = language_model(f"openai:small@{service.url}")
        with pytest.raises(ModelError) as caught:
            model.complete_json("s", "p", SCHEMA)
        assert caught.value.request_only == request_only
