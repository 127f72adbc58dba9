"""What a person decides through a form (elicitation): which memory holds, and whether many are forgotten."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver.context import Context
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
)
from mcp_types.version import is_version_at_least
from pydantic import PrivateAttr

from combray.interfaces.mcp import lines
from combray.interfaces.mcp.results import Tools
from combray.records import dataclass
from combray.types import Memory, Remembered, Verdict

State = dict[str, Any]
Filled = dict[str, Any] | None
"""The filled form; None if the person declined, cancelled or did not answer in time."""
Decide = Callable[[State, Filled], CallToolResult]

_KEY = "decision"
_BY_RETRY = "2026-07-28"
"""From this revision on a server asks with its result, and the client calls again with the answer."""
_REPLACES, _BOTH, _OLD, _LATER = "new replaces old", "both are true", "old still holds", "decide later"
_CHOICES: dict[str, tuple[Verdict, bool]] = {
    _REPLACES: ("supersedes", False),
    _BOTH: ("both", False),
    # The earlier statement corrects the later one.
    _OLD: ("corrects", True),
}
"""Choice -> the verdict, and whether it runs from the earlier memory to the later one."""
_SHOWN = 5
_NOBODY = "No person decided; nothing was changed."


@dataclass(frozen=True)
class Question:
    """A form for a person, and what the call needs to go on.

    `state` is JSON; it goes through the client, sealed by the SDK.
    """

    message: str
    form: dict[str, Any]
    state: State

    @staticmethod
    def answered(state: str, responses: Mapping[str, Any] | None) -> tuple[State, Filled]:
        """Return the state and the answer that a client brings back."""
        return json.loads(state), _accepted((responses or {}).get(_KEY))


class Asked(CallToolResult):
    """A result that stands if nobody can be asked, and the question."""

    _question: Question = PrivateAttr()

    @classmethod
    def of(cls, result: CallToolResult, question: Question) -> Asked:
        """Add a question to a result."""
        made = cls.model_validate(result.model_dump())
        made._question = question
        return made


async def ask(
    asked: Asked, decide: Decide, context: Context[Any, Any], patience: float
) -> CallToolResult | InputRequiredResult:
    """Ask the person behind a client that can show a form, for at most `patience` seconds."""
    question = asked._question
    if patience <= 0 or not _shows_forms(context):
        return asked
    if is_version_at_least(context.protocol_version or "", _BY_RETRY):
        params = ElicitRequestFormParams(message=question.message, requested_schema=question.form)
        return InputRequiredResult(
            input_requests={_KEY: ElicitRequest(params=params)}, request_state=json.dumps(question.state)
        )
    answer: Filled = None
    with anyio.move_on_after(patience):
        try:
            said = await context.session.elicit_form(question.message, question.form, context.request_id)
        except MCPError:
            # A client may declare forms and still refuse one. Count that as unanswered.
            return await anyio.to_thread.run_sync(decide, question.state, None)
        answer = _accepted(said)
    return await anyio.to_thread.run_sync(decide, question.state, answer)


def _shows_forms(context: Context[Any, Any]) -> bool:
    declared = context.client_capabilities
    can = declared.elicitation if declared else None
    # Before modes existed, an empty capability meant forms.
    return can is not None and (can.form is not None or can.url is None)


def _accepted(said: Any) -> Filled:
    return dict(said.content or {}) if isinstance(said, ElicitResult) and said.action == "accept" else None


class Decisions(Tools):
    """Questions to a person, and what follows from the answers."""

    def _which_holds(self, done: Remembered, told: CallToolResult) -> CallToolResult:
        """Ask which of a new memory and the earlier ones that it may change holds."""
        new = self._engine.get(done.id)
        earlier = {f"old_{at}": each for at, each in enumerate(done.may_revise, 1)}
        form = {name: _choice(f"{lines.moment(each.at)} {_cut(each.content)}") for name, each in earlier.items()}
        question = Question(
            f"New memory: “{_cut(new.content)}”. It may change earlier memories. Which is true?",
            _form(form),
            {"new": new.id, "old": {name: each.id for name, each in earlier.items()}, "told": _dumped(told)},
        )
        return Asked.of(told, question)

    def _which_of(self, new: str, old: str) -> CallToolResult:
        """Ask which of two memories holds."""
        later, earlier = self._engine.get(new), self._engine.get(old)
        message = f"Which is true? New: {_described(later)}. Old: {_described(earlier)}."
        why = "settle_memories needs a verdict: supersedes, corrects, same, both or open. Nobody could be asked."
        otherwise = CallToolResult(content=[TextContent(type="text", text=why)], is_error=True)
        state = {"new": later.id, "old": {"decision": earlier.id}}
        return Asked.of(otherwise, Question(message, _form({"decision": _choice("Which is true?")}), state))

    def _whether_to_forget(
        self, call: Mapping[str, Any], ids: Sequence[str], told: CallToolResult
    ) -> CallToolResult:
        """Ask whether the memories of a preview are forgotten."""
        shown = "; ".join(_described(self._engine.get(each)) for each in ids[:_SHOWN])
        more = f"; and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        form = {"forget": {"type": "boolean", "title": f"Forget {len(ids)} memories", "default": False}}
        question = Question(
            f"Forget {len(ids)} memories? They can be restored. {shown}{more}",
            _form(form),
            {"call": {**call, "confirm": len(ids)}, "told": _dumped(told)},
        )
        return Asked.of(told, question)

    def remember_decided(self, state: State, answer: Filled) -> CallToolResult:
        """Settle the new memory and each earlier one as a person chose; else leave them open."""
        return self._with(state, *self._settled(state, answer))

    def settle_memories_decided(self, state: State, answer: Filled) -> CallToolResult:
        """Settle the two memories as a person chose."""
        said, settled = self._settled(state, answer)
        new, old = state["new"], state["old"]["decision"]
        verdict = settled[0] if settled else {"new": new, "old": old, "verdict": "open", "undone": None}
        return CallToolResult(
            content=[TextContent(type="text", text="\n".join(said))], structured_content=verdict
        )

    def _settled(self, state: State, answer: Filled) -> tuple[list[str], list[dict[str, Any]]]:
        said, settled = [], []
        for name, old in state["old"].items():
            choice = _CHOICES.get(str((answer or {}).get(name)))
            if choice is None:
                continue
            verdict, backwards = choice
            pair = (old, state["new"]) if backwards else (state["new"], old)
            done = self._engine.settle(*pair, verdict, "decided by a person")
            names = self._short(pair)
            said.append(f"A person decided: [{names[done.new]}] {done.verdict} [{names[done.old]}].")
            settled.append({"new": done.new, "old": done.old, "verdict": done.verdict, "undone": done.undone})
        return said or [_NOBODY], settled

    def _with(self, state: State, said: Sequence[str], settled: Sequence[Mapping[str, Any]]) -> CallToolResult:
        """Return the result of the first round, without the questions that a person answered."""
        told = CallToolResult.model_validate(state["told"])
        text = "\n".join(getattr(each, "text", "") for each in told.content)
        structured = dict(told.structured_content or {})
        if settled:
            ends = {end for each in settled for end in (each["new"], each["old"])}
            open_still = [each for each in structured["may_revise"] if each["id"] not in ends]
            structured |= {"may_revise": open_still, "settled": list(settled)}
            text = text.splitlines()[0]
        return CallToolResult(
            content=[TextContent(type="text", text="\n".join([text, *said]))], structured_content=structured
        )


def _form(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": []}


def _choice(title: str) -> dict[str, Any]:
    # Plain values: titles of values differ between protocol revisions.
    return {"type": "string", "title": title, "enum": [*_CHOICES, _LATER], "default": _LATER}


def _cut(text: str) -> str:
    return lines.one_line(text, lines.WIDTH)


def _described(memory: Memory) -> str:
    if memory.trust == "quarantined":
        return f"{lines.moment(memory.moment)} (quarantined)"
    return f"{lines.moment(memory.moment)} “{_cut(memory.content)}”"


def _dumped(result: CallToolResult) -> dict[str, Any]:
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)
