"""Questions that a tool puts to a person through the client (elicitation), in the way of either protocol era."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver.context import Context
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import is_version_at_least
from pydantic import PrivateAttr

from combray.records import dataclass

State = dict[str, Any]
Filled = dict[str, Any] | None
"""The filled form; None if the person declined, cancelled or did not answer in time."""
Decide = Callable[[State, Filled], CallToolResult]

_KEY = "decision"
_BY_RETRY = "2026-07-28"
"""From this revision on a server asks with its result, and the client calls again with the answer."""


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
