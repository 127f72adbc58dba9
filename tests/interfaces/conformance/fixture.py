"""The tools, prompts and resources that the protocol's conformance suite calls, on Combray's own server code.

Run: `python tests/interfaces/conformance/fixture.py PORT FOLDER` serves http://127.0.0.1:PORT/mcp. Everything but
the content of the answers is the code of `combray mcp`: the factory, the transport, argument checks, errors,
progress, questions to a person and subscriptions.

Source of what must be there: the descriptions of the scenarios in npm `@modelcontextprotocol/conformance`.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import content
import rounds
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp_types import (
    Completion,
    EmbeddedResource,
    ImageContent,
    TextResourceContents,
    ToolAnnotations,
)

import combray
from combray.interfaces.mcp.offered import Offered
from combray.interfaces.mcp.server import Http, run, server_with

PLAIN = ToolAnnotations(read_only_hint=True)


def simple() -> str:
    """A prompt without arguments."""
    return "This is a simple prompt for testing."


def with_arguments(arg1: str, arg2: str) -> str:
    """A prompt with two arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


def with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803 - the suite's name
    """A prompt with a resource in it."""
    text = TextResourceContents(
        uri=resourceUri, mime_type="text/plain", text="Embedded resource content for testing."
    )
    return [
        UserMessage(EmbeddedResource(type="resource", resource=text)),
        UserMessage("Please process the embedded resource above."),
    ]


def with_image() -> list[UserMessage]:
    """A prompt with an image in it."""
    image = ImageContent(type="image", data=content.PNG, mime_type="image/png")
    return [UserMessage(image), UserMessage("Please analyze the image above.")]


def prompts() -> list[Prompt]:
    made: dict[str, Callable[..., Any]] = {
        "test_simple_prompt": simple,
        "test_prompt_with_arguments": with_arguments,
        "test_prompt_with_embedded_resource": with_embedded_resource,
        "test_prompt_with_image": with_image,
        "test_input_required_result_prompt": rounds.prompt,
    }
    return [Prompt.from_function(call, name=name, description=call.__doc__) for name, call in made.items()]


def add_resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text", description="A text.", mime_type="text/plain")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", description="An image.", mime_type="image/png")
    def static_binary() -> bytes:
        return base64.b64decode(content.PNG)

    @server.resource("test://watched-resource", description="A text to subscribe to.", mime_type="text/plain")
    def watched() -> str:
        return "Watched resource content"

    @server.resource("test://template/{id}/data", description="A template.", mime_type="application/json")
    def from_template(id: str) -> str:
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(*_: Any) -> Completion:
        return Completion(values=["paris", "park", "party"], total=3, has_more=False)


def tools() -> list[Offered]:
    made = [Offered.of(call, call.__name__, PLAIN) for call in (*content.TOOLS, *rounds.TOOLS)]
    for tool in made:
        tool.parameters = content.SCHEMAS.get(tool.name, tool.parameters)
    return made


def main(port: int, folder: Path) -> None:
    engine = combray.open(folder / "conformance.db", embedder="none")
    server = server_with(tools(), "A test server.", prompts(), lambda: 0)
    add_resources(server)
    content.serve_logging(server)
    run(server, engine, Http(port))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
