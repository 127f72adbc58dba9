"""Claude's memory tool over an engine. The commands are those that the model would send."""

import combray
from combray.integrations.anthropic import CombrayMemoryTool

with combray.open(":memory:") as engine:
    memory = CombrayMemoryTool(engine.within("user-42"))
    # client.beta.messages.run_tools(model=…, messages=…, tools=[memory]) makes these calls.
    commands = [
        {"command": "create", "path": "/memories/team.md", "file_text": "Ana owns billing.\n"},
        {"command": "insert", "path": "/memories/team.md", "insert_line": 1, "insert_text": "Ben owns search."},
        {"command": "view", "path": "/memories/team.md"},
    ]
    for command in commands:
        print(memory.call(command))
    print([hit.memory.content for hit in engine.within("user-42").recall("Who owns billing?")])
