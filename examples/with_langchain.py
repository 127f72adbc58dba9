"""A LangChain chain that answers from memory. The model is LangChain's own fake one."""

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate

import combray
from combray.integrations.langchain import CombrayRetriever, tools

with combray.open(":memory:") as engine:
    remember, recall, forget = tools(engine)
    print(remember.invoke({"text": "The billing service moved to PostgreSQL in May."}))

    retriever = CombrayRetriever(engine=engine, k=3)
    prompt = ChatPromptTemplate.from_template("Memories: {memories}\n\nQuestion: {question}")
    model = FakeListChatModel(responses=["It has run on PostgreSQL since May."])
    question = "Which database does billing use?"
    memories = "\n".join(each.page_content for each in retriever.invoke(question))
    print((prompt | model).invoke({"memories": memories, "question": question}).content)
