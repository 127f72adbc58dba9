"""The memory tools of a CrewAI agent. The calls are those that the model would make."""

import combray
from combray.integrations.crewai import tools

with combray.open(":memory:") as engine:
    # Agent(role=…, goal=…, backstory=…, tools=tools(engine.within("user-42")))
    remember, recall, forget = tools(engine.within("user-42"))
    print(remember.run(text="The billing service moved to PostgreSQL in May."))
    print(recall.run(query="Which database does billing use?"))
