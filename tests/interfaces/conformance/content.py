"""Tools of the conformance fixture that answer in one round, and those of earlier protocol revisions."""

from __future__ import annotations

import json
from typing import Any

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    SamplingMessage,
    SetLevelRequestParams,
    TextContent,
    TextResourceContents,
)

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
Called = Context[Any, Any]


def answer(*blocks: ContentBlock | str) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=each) if isinstance(each, str) else each for each in blocks]
    )


def _image() -> ImageContent:
    return ImageContent(type="image", data=PNG, mime_type="image/png")


def _resource(uri: str, mime_type: str, text: str) -> EmbeddedResource:
    found = TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return EmbeddedResource(type="resource", resource=found)


def test_simple_text() -> CallToolResult:
    """Return a text."""
    return answer("This is a simple text response for testing.")


def test_image_content() -> CallToolResult:
    """Return an image."""
    return answer(_image())


def test_audio_content() -> CallToolResult:
    """Return a sound."""
    return answer(AudioContent(type="audio", data=WAV, mime_type="audio/wav"))


def test_embedded_resource() -> CallToolResult:
    """Return a resource."""
    return answer(_resource("test://embedded-resource", "text/plain", "This is an embedded resource content."))


def test_multiple_content_types() -> CallToolResult:
    """Return a text, an image and a resource."""
    data = _resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    return answer("Multiple content types test:", _image(), data)


def test_error_handling() -> CallToolResult:
    """Fail."""
    raise ToolError("This tool intentionally returns an error for testing")


async def test_tool_with_progress(ctx: Called) -> CallToolResult:
    """Report 0, 50 and 100 of 100."""
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100)
        await anyio.sleep(0.05)
    return answer("done")


async def test_tool_with_logging(ctx: Called) -> CallToolResult:
    """Send three log messages."""
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.log("info", said)
        await anyio.sleep(0.05)
    return answer("done")


async def test_logging_tool(ctx: Called) -> CallToolResult:
    """Send a log message, which arrives only if the request asks for it."""
    await ctx.log("info", "logged")
    return answer("done")


async def test_missing_capability(ctx: Called) -> CallToolResult:
    """Need the capability of sampling."""
    declared = ctx.client_capabilities
    if declared is None or declared.sampling is None:
        raise MCPError(
            MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling is required", {"requiredCapabilities": {"sampling": {}}}
        )
    return answer("done")


async def test_trigger_tool_change(ctx: Called) -> CallToolResult:
    """Announce that the list of tools changed."""
    await ctx.notify_tools_changed()
    return answer("done")


async def test_trigger_prompt_change(ctx: Called) -> CallToolResult:
    """Announce that the list of prompts changed."""
    await ctx.notify_prompts_changed()
    return answer("done")


# -- requests of the server to the client, until protocol revision 2025-11-25 ---------------------------


async def test_sampling(prompt: str, ctx: Called) -> CallToolResult:
    """Ask the client's model."""
    asked = [SamplingMessage(role="user", content=TextContent(type="text", text=prompt))]
    made = await ctx.session.create_message(asked, max_tokens=100, related_request_id=ctx.request_id)
    return answer(f"LLM response: {getattr(made.content, 'text', '')}")


async def test_elicitation(message: str, ctx: Called) -> CallToolResult:
    """Ask the person for a text."""
    form = {"response": {"type": "string", "description": "User's response"}}
    return await _elicited(ctx, message, form, ["response"])


async def test_elicitation_sep1034_defaults(ctx: Called) -> CallToolResult:
    """Ask with a default for each primitive type."""
    form = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    return await _elicited(ctx, "Please review", form)


async def test_elicitation_sep1330_enums(ctx: Called) -> CallToolResult:
    """Ask with each kind of choice."""
    options = ["option1", "option2", "option3"]
    titled = [{"const": f"value{n}", "title": f"Title {n}"} for n in (1, 2, 3)]
    form: dict[str, Any] = {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": options, "enumNames": ["One", "Two", "Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return await _elicited(ctx, "Please choose", form)


async def _elicited(
    ctx: Called, message: str, properties: dict[str, Any], required: list[str] | None = None
) -> CallToolResult:
    form = {"type": "object", "properties": properties, "required": required or []}
    said = await ctx.session.elicit_form(message, form, ctx.request_id)
    return answer(f"User response: action={said.action}, content={json.dumps(said.content or {})}")


# -- schemas ------------------------------------------------------------------------------------------


def json_schema_2020_12_tool(name: str = "", address: dict[str, str] | None = None) -> CallToolResult:
    """Take arguments with JSON Schema 2020-12 features."""
    return answer(f"{name} {address or {}}")


def test_custom_headers(region: str) -> CallToolResult:
    """Take an argument that the client repeats in a header."""
    return answer(region)


SCHEMAS: dict[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
    "test_custom_headers": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    },
}
"""Tool -> its input schema, where a signature cannot say it."""


def serve_logging(server: MCPServer[Any]) -> None:
    """Combray's server sends no log messages, so it does not serve the method that sets their level."""

    async def set_level(*_: Any) -> EmptyResult:
        return EmptyResult()

    server._lowlevel_server.add_request_handler("logging/setLevel", SetLevelRequestParams, set_level)


TOOLS = [value for name, value in list(globals().items()) if name.startswith("test_")]
TOOLS.append(json_schema_2020_12_tool)
