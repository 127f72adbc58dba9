"""Tools of the conformance fixture that take several rounds (`InputRequiredResult`, protocol 2026-07-28)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from content import Called, answer
from mcp_types import (
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)

Round = CallToolResult | InputRequiredResult


def _form(message: str, name: str, kind: str = "string") -> ElicitRequest:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(text: str, most: int) -> CreateMessageRequest:
    said = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[said], max_tokens=most))


def _needs(requests: Mapping[str, InputRequest], state: str | None = None) -> InputRequiredResult:
    return InputRequiredResult(input_requests=dict(requests), request_state=state)


def _filled(ctx: Called, key: str, name: str) -> Any:
    """Return a field of the form that a person accepted; None if there is none."""
    said = (ctx.input_responses or {}).get(key)
    return (said.content or {}).get(name) if isinstance(said, ElicitResult) else None


async def test_input_required_result_elicitation(ctx: Called) -> Round:
    """Greet by name."""
    name = _filled(ctx, "user_name", "name")
    if not isinstance(name, str):
        return _needs({"user_name": _form("What is your name?", "name")})
    return answer(f"Hello, {name}!")


async def test_streaming_elicitation(ctx: Called) -> Round:
    """Ask after some progress."""
    await ctx.report_progress(1, 2)
    return await test_input_required_result_elicitation(ctx)


async def test_input_required_result_sampling(ctx: Called) -> Round:
    """Ask the client's model."""
    said = (ctx.input_responses or {}).get("capital_question")
    if not isinstance(said, CreateMessageResult):
        return _needs({"capital_question": _sample("What is the capital of France?", 100)})
    return answer(getattr(said.content, "text", ""))


async def test_input_required_result_list_roots(ctx: Called) -> Round:
    """Ask for the client's roots."""
    said = (ctx.input_responses or {}).get("client_roots")
    if not isinstance(said, ListRootsResult):
        return _needs({"client_roots": ListRootsRequest()})
    return answer(", ".join(str(root.uri) for root in said.roots))


async def test_input_required_result_request_state(ctx: Called) -> Round:
    """Ask with a state."""
    if ctx.request_state != "asked" or _filled(ctx, "confirm", "ok") is None:
        return _needs({"confirm": _form("Please confirm", "ok", "boolean")}, "asked")
    return answer("state-ok")


async def test_input_required_result_tampered_state(ctx: Called) -> Round:
    """Ask with a state that must come back as it was."""
    return await test_input_required_result_request_state(ctx)


async def test_input_required_result_multiple_inputs(ctx: Called) -> Round:
    """Ask three things at once."""
    asked: dict[str, InputRequest] = {
        "user_name": _form("What is your name?", "name"),
        "greeting": _sample("Generate a greeting", 50),
        "client_roots": ListRootsRequest(),
    }
    if not asked.keys() <= (ctx.input_responses or {}).keys():
        return _needs(asked, "asked")
    return answer("done")


async def test_input_required_result_multi_round(ctx: Called) -> Round:
    """Ask twice."""
    if ctx.request_state == "one" and (name := _filled(ctx, "step1", "name")):
        return _needs({"step2": _form("Step 2: What is your favorite color?", "color")}, f"two {name}")
    if (ctx.request_state or "").startswith("two ") and (color := _filled(ctx, "step2", "color")):
        return answer(f"{(ctx.request_state or '')[4:]} likes {color}")
    return _needs({"step1": _form("Step 1: What is your name?", "name")}, "one")


async def test_input_required_result_capabilities(ctx: Called) -> Round:
    """Ask what the client can answer."""
    declared = ctx.client_capabilities
    asked: dict[str, InputRequest] = {}
    if declared and declared.elicitation:
        asked["user_name"] = _form("What is your name?", "name")
    if declared and declared.sampling:
        asked["greeting"] = _sample("Generate a greeting", 50)
    return _needs(asked) if asked and not ctx.input_responses else answer("done")


async def prompt(ctx: Called) -> Any:
    """A prompt that asks for its context."""
    context = _filled(ctx, "user_context", "context")
    if context is None:
        return _needs({"user_context": _form("What context should the prompt use?", "context")})
    return f"Use this context: {context}"


TOOLS = [value for name, value in list(globals().items()) if name.startswith("test_")]
