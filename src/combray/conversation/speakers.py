"""Who speaks in a conversation, and how far each is trusted."""

from __future__ import annotations

from collections.abc import Mapping

from combray.types import Trust

SPEAKERS: Mapping[str, Trust] = {"user": "owner", "assistant": "agent", "tool": "untrusted"}
"""Role -> trust of what it says. What an assistant said is no evidence for itself."""
