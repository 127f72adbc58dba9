"""The calls that CrewAI documents for custom tools. The package has no tests to inherit.

https://docs.crewai.com/en/learn/create-custom-tools
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import BaseTool

import combray
from combray.integrations.crewai import tools


@pytest.fixture
def engine() -> Iterator[combray.Engine]:
    with combray.open(":memory:") as opened:
        yield opened


def test_tools_have_names_descriptions_and_arguments(engine: combray.Engine) -> None:
    found = tools(engine)
    assert all(isinstance(each, BaseTool) for each in found)
    assert [each.name for each in found] == ["remember", "recall", "forget"]
    assert all("ToolCalls" not in each.description and len(each.description) > 80 for each in found)
    schemas = [each.args_schema.model_json_schema() for each in found]
    assert [list(each["properties"]) for each in schemas] == [["text"], ["query", "limit"], ["memory_id"]]
    assert schemas[1]["required"] == ["query"]


def test_a_fact_is_stored_found_and_hidden(engine: combray.Engine) -> None:
    remember, recall, forget = tools(engine)
    name = remember.run(text="Ana owns the billing service.").split()[1]
    assert engine.get(name).trust == "agent"
    assert "Ana owns" in recall.run(query="Who owns the billing service?", limit=1)
    assert forget.run(memory_id=name) == f"forgotten: {name}"
    assert recall.run(query="Who owns the billing service?") == "Nothing was found."


def test_a_wrong_call_is_a_text_that_the_model_can_act_on(engine: combray.Engine) -> None:
    remember, _, forget = tools(engine)
    assert remember.run(text=" ").startswith("Not stored.")
    assert forget.run(memory_id="unknown").startswith("Not forgotten.")


class Model(BaseLLM):
    """Asks memory first, then answers with what the tool returned."""

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        said = str(messages)
        if "Observation:" in said.rpartition("Thought: search first")[2] and "allergic to peanuts" in said:
            return "Thought: I now know the final answer\nFinal Answer: Ana is allergic to peanuts."
        return 'Thought: search first\nAction: recall\nAction Input: {"query": "What is Ana allergic to?"}'

    def supports_function_calling(self) -> bool:
        return False


def test_an_agent_of_a_crew_recalls(engine: combray.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREWAI_DISABLE_TELEMETRY", "true")
    engine.remember("Ana is allergic to peanuts.")
    agent = Agent(role="cook", goal="cook", backstory="A cook.", llm=Model(model="fake"), tools=tools(engine))
    task = Task(description="What is Ana allergic to?", expected_output="An allergy.", agent=agent)
    assert "peanuts" in str(Crew(agents=[agent], tasks=[task]).kickoff())
