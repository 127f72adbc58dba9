"""One session through a client that is installed beside: `python clients.py fastmcp|langchain SERVER`.

SERVER is a URL or a command line. Prints one line of JSON per step. Run it with a virtual environment that has
the client: `pip install fastmcp` or `pip install langchain-mcp-adapters`. It does not import Combray.
"""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from typing import Any

TEXT = "Kites fly at the beach"


async def fastmcp(server: str) -> None:
    from fastmcp import Client  # type: ignore[import-not-found, unused-ignore]
    from fastmcp.client.transports import StdioTransport  # type: ignore[import-not-found, unused-ignore]

    program, *arguments = shlex.split(server)
    transport: Any = server if server.startswith("http") else StdioTransport(program, arguments)
    async with Client(transport) as client:
        show("tools", sorted(each.name for each in await client.list_tools()))
        made = await client.call_tool("remember", {"content": TEXT})
        show("remember", made.structured_content["action"])
        found = await client.call_tool("recall", {"query": "kites"})
        show("recall", [each["content"] for each in found.structured_content["results"]])
        show("resources", sorted(str(each.uri) for each in await client.list_resources()))
        read = await client.read_resource("memory://recent")
        show("read", TEXT in read[0].text)
        prompt = await client.get_prompt("recall", {"topic": "kites"})
        show("prompt", "kites" in prompt.messages[0].content.text)


async def langchain(server: str) -> None:
    from langchain_mcp_adapters.client import MultiServerMCPClient  # type: ignore[import-not-found, unused-ignore]
    from langchain_mcp_adapters.prompts import load_mcp_prompt  # type: ignore[import-not-found, unused-ignore]
    from langchain_mcp_adapters.resources import load_mcp_resources  # type: ignore[import-not-found, unused-ignore]
    from langchain_mcp_adapters.tools import load_mcp_tools  # type: ignore[import-not-found, unused-ignore]

    program, *arguments = shlex.split(server)
    web = {"transport": "streamable_http", "url": server}
    process = {"transport": "stdio", "command": program, "args": arguments}
    connection: Any = web if server.startswith("http") else process
    async with MultiServerMCPClient({"memory": connection}).session("memory") as session:
        tools = {each.name: each for each in await load_mcp_tools(session)}
        show("tools", sorted(tools))
        made = await tools["remember"].ainvoke({"content": TEXT})
        show("remember", "added" in str(made) or "skipped" in str(made))
        show("recall", TEXT in str(await tools["recall"].ainvoke({"query": "kites"})))
        read = await load_mcp_resources(session, uris=["memory://recent"])
        show("read", TEXT in read[0].as_string())
        prompt = await load_mcp_prompt(session, "recall", arguments={"topic": "kites"})
        show("prompt", "kites" in str(prompt[0].content))


def show(step: str, value: Any) -> None:
    print(json.dumps({step: value}), flush=True)


if __name__ == "__main__":
    asyncio.run({"fastmcp": fastmcp, "langchain": langchain}[sys.argv[1]](sys.argv[2]))
