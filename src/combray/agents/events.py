"""What a client passes to a hook, and what it expects back. Unknown fields are ignored.

Sources: https://docs.claude.com/en/docs/claude-code/hooks, https://developers.openai.com/codex/hooks,
https://cursor.com/docs/agent/hooks, https://geminicli.com/docs/hooks/reference. The plugins that `combray setup`
writes for OpenClaw and opencode pass the fields of Claude Code, and `messages`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from combray.records import dataclass

CLIENTS = ("claude-code", "codex", "cursor", "openclaw", "gemini-cli", "opencode")
VERBS = ("session-start", "prompt", "tool", "pre-compact", "stop", "session-end")
"""Verbs of `combray hook`, in the order of a session."""
CAPTURING = ("tool", "pre-compact", "stop", "session-end")
"""Verbs that print nothing for most clients and store what was said."""

EVENTS: Mapping[str, Mapping[str, str]] = {
    "claude-code": {
        "session-start": "SessionStart",
        "prompt": "UserPromptSubmit",
        "tool": "PostToolUse",
        "pre-compact": "PreCompact",
        "stop": "Stop",
        "session-end": "SessionEnd",
    },
    "cursor": {
        "session-start": "sessionStart",
        "prompt": "beforeSubmitPrompt",
        "tool": "postToolUse",
        "pre-compact": "preCompact",
        "stop": "stop",
        "session-end": "sessionEnd",
    },
    "gemini-cli": {
        "session-start": "SessionStart",
        "prompt": "BeforeAgent",
        "tool": "AfterTool",
        "pre-compact": "PreCompress",
        "stop": "AfterAgent",
        "session-end": "SessionEnd",
    },
}
"""A client's names of the verbs. Codex, OpenClaw and opencode use those of Claude Code."""
CHECK = "combray-check"
"""The session of `combray setup --check`, which leaves no trace."""
MOST_CHARACTERS = 8_000
"""Of memories. Claude Code shows at most 10,000 characters of what a hook adds; a digest begins with a guide."""


@dataclass(frozen=True, slots=True)
class Event:
    """One call of a hook. Texts are "" where the client passes none.

    `source`: why a session starts (startup, resume, clear, compact). `messages`: turns that the client passes
    itself, as mappings with role and content.
    """

    verb: str
    client: str
    session: str = ""
    prompt: str = ""
    transcript: str = ""
    source: str = ""
    name: str = ""
    folder: str = ""
    messages: Sequence[Mapping[str, Any]] = ()

    @property
    def shows(self) -> bool:
        """Whether the client shows what this hook prints to the model."""
        return self.verb in ("session-start", "prompt") or (self.verb == "tool" and self.client == "cursor")


def read_event(verb: str, client: str, given: str) -> Event:
    """Read the JSON that a client writes to the hook. What is no JSON object is an event without fields."""
    try:
        fields = json.loads(given)
    except (ValueError, RecursionError):
        fields = {}
    if not isinstance(fields, dict):
        fields = {}

    def text(*names: str) -> str:
        return next((fields[name] for name in names if isinstance(fields.get(name), str)), "")

    session = _name(text("session_id", "conversation_id", "sessionId", "sessionKey"))
    return Event(
        verb=verb,
        client=client,
        session="" if session == CHECK else session,
        prompt=text("prompt"),
        transcript=text("transcript_path", "transcriptPath", "agent_transcript_path"),
        source=text("source"),
        name=text("hook_event_name"),
        folder=text("cwd") or _first(fields.get("workspace_roots")),
        messages=tuple(_messages(verb, fields)),
    )


def _name(session: str) -> str:
    """Return a session's name as one that can be stored: a turn that cannot would stop the queue behind it."""
    return session.replace("\x00", "").encode("utf-8", "replace").decode().strip()[:200].rstrip()


def _first(listed: Any) -> str:
    return listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], str) else ""


def _messages(verb: str, fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the turns in the fields: those listed, a tool's result, or the answer that ends a turn."""
    listed = fields.get("messages")
    if isinstance(listed, list):
        return [each for each in listed if isinstance(each, dict)]
    if verb == "tool":
        return _tool(fields)
    turn = str(fields.get("turn_id") or fields.get("generation_id") or "")
    said = [("user", fields.get("prompt")), ("assistant", fields.get("prompt_response"))]
    said += [("assistant", fields.get("last_assistant_message"))]
    return [
        {"role": role, "content": text, "id": f"{turn}:{role}" if turn else ""}
        for role, text in said
        if isinstance(text, str) and text and verb != "session-start"
    ]


def _tool(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    name = fields.get("tool_name")
    if not isinstance(name, str) or not name:
        return []
    given, result = fields.get("tool_input"), fields.get("tool_response", fields.get("tool_output"))
    text = f"{name}({_plain(given)}): {_plain(result)}"
    return [{"role": "tool", "content": text, "id": str(fields.get("tool_use_id") or "")}]


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def written(event: Event, text: str) -> str:
    """Return what to print so that the client shows the text to the model, or goes on without one."""
    if event.client == "cursor":
        if event.verb == "prompt":
            # Cursor shows a model nothing from this hook; the next use of a tool does.
            return json.dumps({"continue": True})
        return json.dumps({"additional_context": text} if text and event.shows else {})
    if not text or not event.shows:
        return ""
    names = EVENTS["gemini-cli" if event.client == "gemini-cli" else "claude-code"]
    answer = {"hookEventName": event.name or names[event.verb], "additionalContext": text}
    return json.dumps({"hookSpecificOutput": answer}, ensure_ascii=False)
