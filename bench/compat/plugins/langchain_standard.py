"""The standard tests of LangChain for retrievers and tools, inherited as its owners document.

https://docs.langchain.com/oss/python/contributing/standard-tests-langchain
"""

from __future__ import annotations

from typing import Any

from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests

import combray
from combray.integrations.langchain import CombrayRetriever, tools

ENGINE = combray.open(":memory:", namespace="langchain")
for _text in ("Ana grows red tomatoes.", "Ben grows green tomatoes.", "Cleo buys tomatoes.", "Dan paints boats."):
    ENGINE.remember(_text)
FORGETTABLE = ENGINE.remember("Eva sells kites.").id
REMEMBER, RECALL, FORGET = tools(ENGINE)


class TestRetriever(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return CombrayRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"engine": ENGINE}

    @property
    def retriever_query_example(self) -> str:
        return "tomatoes"


class Remember:
    @property
    def tool_constructor(self) -> BaseTool:
        return REMEMBER

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"text": "Finn prefers tea."}


class Recall:
    @property
    def tool_constructor(self) -> BaseTool:
        return RECALL

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"query": "Who paints boats?", "limit": 2}


class Forget:
    @property
    def tool_constructor(self) -> BaseTool:
        return FORGET

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"memory_id": FORGETTABLE}


class TestRememberUnit(Remember, ToolsUnitTests):
    pass


class TestRemember(Remember, ToolsIntegrationTests):
    pass


class TestRecallUnit(Recall, ToolsUnitTests):
    pass


class TestRecall(Recall, ToolsIntegrationTests):
    pass


class TestForgetUnit(Forget, ToolsUnitTests):
    pass


class TestForget(Forget, ToolsIntegrationTests):
    pass
