"""A Haystack pipeline that puts memories into a prompt. A generator would follow the prompt builder."""

from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder

import combray
from combray.integrations.haystack import CombrayDocumentRetriever, CombrayDocumentStore

with combray.open(":memory:") as engine:
    store = CombrayDocumentStore(engine=engine)
    store.write_documents(
        [
            Document(content="The billing service runs on PostgreSQL since May.", meta={"team": "billing"}),
            Document(content="The search service runs on SQLite.", meta={"team": "search"}),
        ]
    )
    pipeline = Pipeline()
    pipeline.add_component("memory", CombrayDocumentRetriever(store, top_k=1))
    pipeline.add_component("prompt", PromptBuilder("{{ documents[0].content }}\n\n{{ question }}"))
    pipeline.connect("memory.documents", "prompt.documents")
    question = "Which database does billing use?"
    print(pipeline.run({"memory": {"query": question}, "prompt": {"question": question}})["prompt"]["prompt"])
