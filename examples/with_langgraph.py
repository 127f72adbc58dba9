"""A LangGraph agent with a long-term memory: one namespace a user. The model is LangChain's own fake one."""

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

import combray
from combray.integrations.langgraph import CombrayStore

model = FakeListChatModel(responses=["Noted.", "You are allergic to peanuts."])


def answer(state: MessagesState, *, store: BaseStore) -> dict[str, object]:
    said = state["messages"][-1].content
    known = [each for each in store.search(("ana", "memories"), query=said, limit=3) if each.score]
    store.put(("ana", "memories"), str(len(state["messages"]) + len(known)), {"text": said})
    prompt = f"Memories: {[each.value['text'] for each in known]}\n\n{said}"
    print(prompt)
    return {"messages": [model.invoke(prompt)]}


with combray.open(":memory:") as engine:
    graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer")
    agent = graph.compile(store=CombrayStore(engine))
    agent.invoke({"messages": [("user", "I am allergic to peanuts.")]})
    print(agent.invoke({"messages": [("user", "Am I allergic to anything?")]})["messages"][-1].content)
