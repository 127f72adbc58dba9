"""CrewAI: the tools `remember`, `recall` and `forget`. Needs the extra `crewai`.

Its storage backends are given a vector and no text, so recall could not be used there.
https://docs.crewai.com/en/learn/create-custom-tools
"""

from __future__ import annotations

from combray.engine import Engine
from combray.errors import MissingExtraError
from combray.integrations.tool_calls import ToolCalls

try:
    from crewai.tools import BaseTool, tool
except ImportError as error:
    raise MissingExtraError("The CrewAI tools", "crewai") from error

__all__ = ["tools"]


def tools(engine: Engine) -> list[BaseTool]:
    """Return the tools `remember`, `recall` and `forget` for the `tools` of an agent."""
    calls = ToolCalls(engine)

    def remember(text: str) -> str:
        return calls.remember(text)

    def recall(query: str, limit: int = 5) -> str:
        return calls.recall(query, limit)

    def forget(memory_id: str) -> str:
        return calls.forget(memory_id)

    made = []
    for function in (remember, recall, forget):
        # CrewAI takes plain functions only; the docstring is what the model reads.
        function.__doc__ = getattr(ToolCalls, function.__name__).__doc__
        made.append(tool(function))
    return made
