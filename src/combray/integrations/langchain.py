"""LangChain: a retriever over an engine, and tools for an agent. Needs the extra `langchain`.

https://docs.langchain.com/oss/python/integrations/retrievers
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from combray.engine import Engine
from combray.errors import MissingExtraError
from combray.integrations.tool_calls import ToolCalls
from combray.types import Hit

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool, StructuredTool
    from pydantic import ConfigDict
except ImportError as error:
    raise MissingExtraError("The LangChain integration", "langchain") from error

__all__ = ["CombrayRetriever", "tools"]


class CombrayRetriever(BaseRetriever):
    """A retriever whose documents are memories, best first.

    `k` is the largest number of documents. It and every option of `engine.recall` can be given to `invoke` too.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    engine: Any
    """An open `combray.Engine`."""
    k: int = 10
    options: Mapping[str, Any] = {}
    """Options of `engine.recall`: `where`, `since`, `tags`, `min_score` and the others."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, **options: Any
    ) -> list[Document]:
        del run_manager
        answer = self.engine.recall(query, limit=self.k if k is None else k, **{**self.options, **options})
        return [as_document(hit) for hit in answer]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        return await asyncio.to_thread(
            self._get_relevant_documents, query, run_manager=run_manager.get_sync(), **options
        )


def as_document(hit: Hit) -> Document:
    """Return a hit as a document: the text, its id, and in the metadata the score and what to judge it by."""
    memory = hit.memory
    told = {
        "score": hit.score,
        "via": hit.via,
        "kind": memory.kind,
        "category": memory.category,
        "source": memory.source,
        "author": memory.author,
        "session": memory.session,
        "trust": memory.trust,
        "tags": list(memory.tags),
        "moment": memory.moment.isoformat(),
        "outdated_by": hit.outdated_by or hit.may_be_outdated_by,
    }
    own = {name: value for name, value in memory.metadata.items() if name not in told}
    return Document(
        id=memory.id,
        page_content=memory.content,
        metadata=own | {name: value for name, value in told.items() if value is not None},
    )


def tools(engine: Engine) -> list[BaseTool]:
    """Return the tools `remember`, `recall` and `forget` for an agent."""
    return [StructuredTool.from_function(call) for call in ToolCalls(engine).functions]
