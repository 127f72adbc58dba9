"""Language models over HTTP: their requests, and answers good, empty, cut off, withheld and wrong."""

from __future__ import annotations

from typing import Any

import pytest
from service import Hands, Reply, Service, serving

import combray
from combray.errors import InvalidInputError, ModelError
from combray.models import LANGUAGE_MODELS, language_model
from combray.models.chat import FORMS, PostedLanguageModel
from combray.models.services import SERVICES, Spec, connect

KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in KEYS.values():
        monkeypatch.setenv(variable, f"key-of-{variable}")


def made(service: Service, provider: str, *, hosted: bool = False) -> PostedLanguageModel:
    """At the service's address; `hosted`: in the form of the provider's own address."""
    client = connect(SERVICES[provider], Spec("m", url=service.url), timing=Hands().timing())
    return PostedLanguageModel(FORMS[provider], Spec("m", url="" if hosted else service.url), client)


def said(provider: str, text: Any, reason: Any) -> Reply:
    """The provider's answer with a text and a reason why it ended."""
    if provider == "openai":
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": reason}
        return Reply({"choices": [choice], "usage": {"total_tokens": 12}})
    if provider == "anthropic":
        blocks = [] if text is None else [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}]
        usage = {"input_tokens": 9, "output_tokens": 3}
        return Reply({"content": blocks, "stop_reason": reason, "usage": usage})
    parts = [] if text is None else [{"text": "hm", "thought": True}, {"text": text}]
    candidate = {"content": {"parts": parts, "role": "model"}, "finishReason": reason}
    return Reply({"candidates": [candidate], "usageMetadata": {"totalTokenCount": 12}})


ENDED = {"openai": "stop", "anthropic": "end_turn", "gemini": "STOP"}
CUT = {"openai": "length", "anthropic": "max_tokens", "gemini": "MAX_TOKENS"}
WITHHELD = {"openai": "content_filter", "anthropic": "refusal", "gemini": "SAFETY"}


@pytest.mark.parametrize("provider", FORMS)
def test_a_good_answer_is_stripped_and_counted(provider: str) -> None:
    with serving(said(provider, " Paris.\n", ENDED[provider])) as service:
        model = made(service, provider)
        assert model.complete("Be short.", "Capital of France?") == "Paris."
    assert model.usage.snapshot() == {"calls": 1, "failures": 0, "tokens": 12}


def test_openai_asks() -> None:
    with serving(said("openai", "x", "stop")) as service:
        made(service, "openai").complete("Be short.", "Q", max_tokens=7)
        made(service, "openai", hosted=True).complete("", "Q", max_tokens=7)
        compatible, hosted = service.asked
    assert (compatible.path, compatible.headers["Authorization"]) == (
        "/chat/completions",
        "Bearer key-of-OPENAI_API_KEY",
    )
    assert compatible.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Q"}],
        "temperature": 0,
        "max_tokens": 7,
    }
    assert hosted.body["max_completion_tokens"] == 7
    assert "max_tokens" not in hosted.body
    assert [each["role"] for each in hosted.body["messages"]] == ["user"]


def test_anthropic_asks() -> None:
    with serving(said("anthropic", "x", "end_turn")) as service:
        made(service, "anthropic").complete("Be short.", "Q", max_tokens=7)
        (asked,) = service.asked
    assert (asked.path, asked.headers["x-api-key"]) == ("/messages", "key-of-ANTHROPIC_API_KEY")
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert asked.body == {
        "model": "m",
        "max_tokens": 7,
        "messages": [{"role": "user", "content": "Q"}],
        "temperature": 0,
        "system": "Be short.",
    }


def test_gemini_asks() -> None:
    with serving(said("gemini", "x", "STOP")) as service:
        made(service, "gemini").complete("Be short.", "Q", max_tokens=7)
        (asked,) = service.asked
    assert (asked.path, asked.headers["x-goog-api-key"]) == ("/models/m:generateContent", "key-of-GEMINI_API_KEY")
    assert asked.body == {
        "contents": [{"role": "user", "parts": [{"text": "Q"}]}],
        "generationConfig": {"temperature": 0, "maxOutputTokens": 7},
        "systemInstruction": {"parts": [{"text": "Be short."}]},
    }


@pytest.mark.parametrize("provider", FORMS)
@pytest.mark.parametrize(
    ("text", "reasons", "message"),
    [
        ("Par", CUT, "the answer was truncated after 512 tokens"),
        ("I", WITHHELD, r"the answer was withheld \((content_filter|refusal|SAFETY)\)"),
        ("", ENDED, "the answer is empty"),
        (" \n", ENDED, "the answer is empty"),
        (None, ENDED, "the answer is empty"),
    ],
    ids=["cut off", "withheld", "empty", "blank", "none"],
)
def test_half_an_answer_is_none(provider: str, text: Any, reasons: dict[str, str], message: str) -> None:
    with serving(said(provider, text, reasons[provider])) as service:
        model = made(service, provider)
        with pytest.raises(ModelError, match=f"{provider}:m: {message}"):
            model.complete("", "Q")
    # It has cost what it has cost.
    assert model.usage.snapshot()["tokens"] == 12


def test_a_refusal_and_a_blocked_question_are_told() -> None:
    message = {"content": None, "refusal": "I cannot"}
    refused = {"choices": [{"message": message, "finish_reason": "stop"}]}
    with serving(Reply(refused)) as service, pytest.raises(ModelError, match="refused by the model"):
        made(service, "openai").complete("", "Q")
    blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"totalTokenCount": 5}}
    with serving(Reply(blocked)) as service, pytest.raises(ModelError, match="PROHIBITED_CONTENT"):
        made(service, "gemini").complete("", "Q")


@pytest.mark.parametrize("provider", FORMS)
@pytest.mark.parametrize(
    "body", [[], {}, "x", None, {"choices": []}, {"choices": [None]}, {"content": [None]}, {"candidates": 3}]
)
def test_another_shape_is_an_error(provider: str, body: Any) -> None:
    with serving(Reply(body)) as service, pytest.raises(ModelError, match="not of the expected shape"):
        made(service, provider).complete("", "Q")


@pytest.mark.parametrize("text", [7, ["a"], {"a": 1}])
@pytest.mark.parametrize("provider", FORMS)
def test_a_text_that_is_no_text_is_an_error(provider: str, text: Any) -> None:
    with (
        serving(said(provider, text, ENDED[provider])) as service,
        pytest.raises(ModelError, match="expected shape"),
    ):
        made(service, provider).complete("", "Q")


def test_reasoning_in_front_of_the_answer_is_left_out() -> None:
    with serving(said("openai", "<think>\nhm <b>\n</think>\n\nParis", "stop")) as service:
        assert made(service, "openai").complete("", "Q") == "Paris"
    with serving(said("openai", "Write <think>x</think>", "stop")) as service:
        assert made(service, "openai").complete("", "Q") == "Write <think>x</think>"


def test_fields_that_a_model_refuses_are_left_out_from_then_on() -> None:
    """The messages are OpenAI's and Anthropic's own."""
    wanted = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    cold = (
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported."
    )
    replies = [Reply({"error": {"message": message}}, 400) for message in (wanted, cold)]
    with serving(*replies, said("openai", "x", "stop")) as service:
        model = made(service, "openai")
        assert [model.complete("", "Q", max_tokens=7), model.complete("", "Q", max_tokens=8)] == ["x", "x"]
        sent = [
            {name: asked.body.get(name) for name in ("temperature", "max_tokens", "max_completion_tokens")}
            for asked in service.asked
        ]
    assert [tuple(each.values()) for each in sent] == [
        (0, 7, None),
        (0, None, 7),
        (None, None, 7),
        (None, None, 8),
    ]
    gone = Reply({"error": {"message": "`temperature` is deprecated for this model."}}, 400)
    with serving(gone, said("anthropic", "x", "end_turn")) as service:
        assert made(service, "anthropic").complete("", "Q") == "x"
        assert "temperature" not in service.asked[1].body


@pytest.mark.parametrize(
    ("status", "message"),
    [(400, "max_tokens is too large: 512"), (400, "prompt is too long"), (404, "no temperature here")],
)
def test_other_refusals_are_final(status: int, message: str) -> None:
    with serving(Reply({"error": {"message": message}}, status)) as service:
        with pytest.raises(ModelError, match=f"openai:m: status {status}: {message}"):
            made(service, "openai").complete("", "Q")
        assert len(service.asked) == 1


def test_a_field_refused_again_ends_it() -> None:
    with serving(Reply({"error": "temperature"}, 400)) as service:
        with pytest.raises(ModelError, match="status 400"):
            made(service, "openai").complete("", "Q")
        assert len(service.asked) == 2


@pytest.mark.parametrize(
    ("spec", "name", "url"),
    [
        ("openai:gpt-5.4-mini", "openai:gpt-5.4-mini", "https://api.openai.com/v1"),
        ("openai:qwen3:4b@http://127.0.0.1:11434/v1", "openai:qwen3:4b", "http://127.0.0.1:11434/v1"),
        ("anthropic:claude-haiku-4-5", "anthropic:claude-haiku-4-5", "https://api.anthropic.com/v1"),
        (
            "gemini:gemini-2.5-flash",
            "gemini:gemini-2.5-flash",
            "https://generativelanguage.googleapis.com/v1beta",
        ),
    ],
)
def test_a_spec_names_model_and_address(spec: str, name: str, url: str) -> None:
    model = language_model(spec)
    assert isinstance(model, PostedLanguageModel)
    assert (model.name, model._client.url, model._client.patience) == (name, url, 60.0)


@pytest.mark.parametrize("provider", FORMS)
def test_a_missing_key_is_named(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEYS[provider])
    with pytest.raises(ModelError, match=f"no key; set {KEYS[provider]}"):
        language_model(f"{provider}:m")


@pytest.mark.parametrize("spec", ["", "none:x", "openai", "openai:", "claude:x", "gemini:two words"])
def test_a_wrong_spec_is_explained(spec: str) -> None:
    with pytest.raises(InvalidInputError, match="language_model"):
        language_model(spec)


def test_none_is_none_and_all_are_listed() -> None:
    assert language_model("none") is None
    with pytest.raises(InvalidInputError) as caught:
        language_model("?")
    assert all(each in str(caught.value) for each in LANGUAGE_MODELS)


def test_the_setting_names_the_engines_language_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_LANGUAGE_MODEL", "openai:m@http://127.0.0.1:9/v1")
    with combray.open(":memory:", embedder="none") as engine:
        assert engine.runtime.language_model is not None
        assert engine.runtime.language_model.name == "openai:m"
