"""Letta's agent files (`.af`).

Sources: letta 0.16.8, `AgentFileSchema` (`schemas/agent_file.py`), the counters that
`AgentSerializationManager` gives as ids, and the envelopes of `letta/system.py`; the older layout of one agent,
`serialize_schemas/pydantic_agent_schema.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from combray.sessions.messages import PROMPTS, SPEAKERS, text_of
from combray.sessions.session import decoded
from combray.transfer.formats.drafts import Drafts, loaded_object, objects

_READ = {"core_memory", "messages", "blocks", "agents", "name", "id", "agent_type", "created_at", "updated_at"}
_READ |= {"in_context_message_ids", "in_context_message_indices", "version"}
_COUNTER = re.compile(r"[a-z_]+-\d{1,9}")
"""An id such as message-0. Another file gives it to something else."""
_SPEAKS = "send_message"
"""The tool by which an agent talks to its user."""


def is_agent_file(value: Any) -> bool:
    """Return whether a JSON value is an agent file of one agent or of several."""
    if not isinstance(value, Mapping):
        return False
    return ("agents" in value and "blocks" in value) or ("core_memory" in value and "messages" in value)


def read(path: Path) -> Drafts:
    """Read memory blocks as facts and messages as turns. Settings, tools and files are counted."""
    value = loaded_object(path)
    drafts, seen = Drafts("letta"), Counter[str]()
    agents = list(objects(drafts, value.get("agents"), "agent")) or [("agent", value)]
    owners = "+".join(str(agent.get("name") or "") for _, agent in agents)
    for place, block in objects(drafts, value.get("blocks", value.get("core_memory")), "block"):
        label = str(block.get("label") or "")
        key = _key(seen, block, owners, label, str(block.get("value")))
        about = {"block": label, "id": block.get("id"), "limit": block.get("limit"), **_metadata(block)}
        drafts.add(
            key,
            block.get("value"),
            place,
            tags=[f"block:{label}"[:100]] if label else None,
            metadata={name: what for name, what in about.items() if what},
            recorded_at=block.get("created_at"),
            context=block.get("description"),
        )
    for place, agent in agents:
        session = str(agent.get("name") or agent.get("id") or place)
        for at, message in objects(drafts, agent.get("messages"), f"{place}: message"):
            _message(drafts, seen, session, at, message)
        _settings(drafts, agent, " of an agent")
    if agents[0][1] is not value:
        _settings(drafts, value, "")
    return drafts


def _settings(drafts: Drafts, given: Mapping[str, Any], of: str) -> None:
    for name, what in given.items():
        if name not in _READ and what not in (None, "", [], {}, False):
            listed = isinstance(what, list)
            drafts.left(f"{name if listed else 'settings'}{of}", len(what) if listed else 1)


def _key(seen: Counter[str], given: Mapping[str, Any], *said: str) -> str:
    """Return what identifies an entry in every file: its id, or what it says if the id counts within the file."""
    name = str(given.get("id") or "")
    key = ":".join(said) if not name or _COUNTER.fullmatch(name) else name
    seen[key] += 1
    return key if seen[key] == 1 else f"{key}:{seen[key]}"


def _metadata(given: Mapping[str, Any]) -> dict[str, Any]:
    found = given.get("metadata") or given.get("metadata_")
    return dict(found) if isinstance(found, Mapping) else {}


def _message(drafts: Drafts, seen: Counter[str], session: str, place: str, message: Mapping[str, Any]) -> None:
    role = str(message.get("role") or "user")
    content = message.get("content") if message.get("content") is not None else message.get("text")
    text = text_of(content)
    text = "" if role in PROMPTS else _opened(role, text)
    wordless = [each for each in content if not text_of([each])] if isinstance(content, list) else []
    drafts.left("parts of messages that are not text", len(wordless))
    given = message.get("tool_calls")
    calls = [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
    said = list(_said(calls))
    drafts.left("tool calls", len(calls) - len(said))
    texts = [each for each in (text, *said) if each.strip()]
    if not texts:
        drafts.left("messages of a program, without words")
    for each in texts:
        drafts.add(
            _key(seen, message, session, str(message.get("created_at")), role, each),
            each,
            place,
            kind="episode",
            author=str(message.get("name") or role),
            session=session,
            trust=SPEAKERS.get(role, "untrusted"),
            occurred_at=message.get("created_at"),
            metadata={"role": role, **({"id": message["id"]} if message.get("id") else {})},
        )


def _opened(role: str, text: str) -> str:
    """Return the text of a message in an envelope: `{"type": "user_message", "message": …, "time": …}`.

    Other types, such as a heartbeat, a login or an alert, are of the program. A tool's envelope has a status.
    """
    envelope = decoded(text) if role in ("user", "tool") and text.lstrip().startswith("{") else None
    if not isinstance(envelope, dict) or "time" not in envelope or not {"type", "status"} & envelope.keys():
        return text
    said = envelope.get("message")
    if role == "user":
        return str(said or "") if envelope.get("type") == "user_message" else ""
    # A tool that returns nothing, such as `send_message`, returns Python's None as a text.
    return said if isinstance(said, str) and said != "None" else "" if said in (None, "None") else text


def _said(calls: list[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what an agent said to its user by calling a tool."""
    for call in calls:
        function = call.get("function")
        if isinstance(function, Mapping) and function.get("name") == _SPEAKS:
            given = decoded(str(function.get("arguments")))
            if isinstance(given, dict) and isinstance(given.get("message"), str) and given["message"].strip():
                yield given["message"]
