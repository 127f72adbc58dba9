"""An OpenAI agent whose session is in an engine. The model is a fake one."""

import asyncio

from agents import Agent, Model, ModelResponse, Runner, Usage
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

import combray
from combray.integrations.openai_agents import CombraySession


class FakeModel(Model):
    async def get_response(self, system_instructions, input, *args, **options):
        text = ResponseOutputText(text=f"I see {len(input)} messages.", type="output_text", annotations=[])
        fields = {"id": "1", "role": "assistant", "status": "completed", "type": "message"}
        return ModelResponse([ResponseOutputMessage(content=[text], **fields)], Usage(), None)

    def stream_response(self, *args, **options):
        raise NotImplementedError


with combray.open(":memory:") as engine:
    session = CombraySession("conversation-1", engine.within("user-42"))
    agent = Agent("assistant", model=FakeModel())
    for text in ("I am allergic to peanuts.", "What may I eat?"):
        print(asyncio.run(Runner.run(agent, text, session=session)).final_output)
