"""Compare npm `@modelcontextprotocol/server-memory` with `--tools official` in one session, field by field.

npm install --prefix DIR @modelcontextprotocol/server-memory
python -m bench.official_memory DIR/node_modules/@modelcontextprotocol/server-memory/dist/index.js
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

_ANA = {"name": "Ana", "entityType": "person", "observations": ["likes tea", "Größe 38, 京都"]}
_BO = {"name": "Bo", "entityType": "person", "observations": []}
_KNOWS = {"from": "Ana", "to": "Bo", "relationType": "knows"}
_OPEN = {"from": "Bo", "to": "Nobody", "relationType": "waits for"}
SESSION: list[tuple[str, dict[str, Any]]] = [
    ("read_graph", {}),
    ("create_entities", {"entities": [_ANA, _BO]}),
    ("create_entities", {"entities": [_ANA]}),
    ("create_relations", {"relations": [_KNOWS, _OPEN]}),
    ("create_relations", {"relations": [_KNOWS]}),
    ("add_observations", {"observations": [{"entityName": "Ana", "contents": ["likes tea", "reads"]}]}),
    ("add_observations", {"observations": [{"entityName": "Zed", "contents": ["x"]}]}),
    ("read_graph", {}),
    ("search_nodes", {"query": "TEA"}),
    ("search_nodes", {"query": "person"}),
    ("search_nodes", {"query": "absent"}),
    ("open_nodes", {"names": ["Bo", "Missing"]}),
    ("delete_observations", {"deletions": [{"entityName": "Ana", "observations": ["reads", "never said"]}]}),
    ("delete_relations", {"relations": [_OPEN]}),
    ("read_graph", {}),
    ("delete_entities", {"entityNames": ["Ana", "Missing"]}),
    ("read_graph", {}),
]
_URI = "memory://knowledge-graph"
_TOOL_FIELDS = ("name", "title", "description", "annotations")


async def session(server: StdioServerParameters) -> dict[str, Any]:
    """Return what each step answered: text, structured content and error flag; and tools and resource."""
    seen: dict[str, Any] = {}
    async with Client(server) as client:
        for tool in (await client.list_tools()).tools:
            shown = tool.model_dump(mode="json", exclude_none=True)
            seen |= {f"tool {tool.name}: {field}": shown.get(field) for field in _TOOL_FIELDS}
        for at, (name, arguments) in enumerate(SESSION):
            done = await client.call_tool(name, arguments)
            seen[f"{at} {name}: text"] = [getattr(block, "text", None) for block in done.content]
            seen[f"{at} {name}: structured"] = done.structured_content
            seen[f"{at} {name}: error"] = bool(done.is_error)
        seen["resource"] = [getattr(each, "text", None) for each in (await client.read_resource(_URI)).contents]
    return seen


async def compare(script: str, folder: Path) -> int:
    """Print each field that differs and the counts. Returns the number of differences."""
    memory_file = {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")}
    theirs = await session(StdioServerParameters(command="node", args=[script], env=memory_file))
    arguments = ["-m", "combray", "mcp", "--tools", "official", "--db", str(folder / "a.db")]
    environment = {"PYTHONPATH": ":".join(each for each in sys.path if each), "COMBRAY_HOME": str(folder)}
    ours = await session(StdioServerParameters(command=sys.executable, args=arguments, env=environment))
    differ = [key for key in sorted(theirs | ours) if theirs.get(key) != ours.get(key)]
    for key in differ:
        print(f"{key}\n  reference: {theirs.get(key)}\n  combray:   {ours.get(key)}")
    print(f"{len(theirs | ours)} fields, {len(differ)} differ")
    return len(differ)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        sys.exit(min(1, anyio.run(compare, sys.argv[1], Path(made))))
