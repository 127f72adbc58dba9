"""What hooks print around the fence of memories. Transcripts repeat it: it is nobody's words.

Hooks print these texts and no other outside the fence, so that all of it is recognised when it comes back. A text
that changes stays here among `EARLIER`: old transcripts hold it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

GUIDE = """\
Combray keeps long-term memory of earlier sessions; {count} memories. Its tools: recall searches them, remember \
stores one statement. Memories that fit a message are added to it.
Remember at once what the user asks to keep, and statements that last: preferences, decisions with their reason, \
facts about people and projects. Not: secrets, what files or commands can tell again, unfinished steps. \
Give source "user" for what the user said.
If one memory is the cause of another, link them: link(source=CAUSE, target=EFFECT, type="causal").
If remember or a line marks a memory as "may be outdated", and the user's words decide it, call \
settle_memories(new, old, "supersedes" or "both"). Ask the user if you are not sure."""
COMPACTED = "The conversation was compacted. Recall what you miss, and remember what was decided in it."
SETTLE = (
    "A line above may be outdated. If the user's words decide which holds, call settle_memories with both ids; "
    "do not guess."
)
EARLIER: tuple[str, ...] = ()
"""Texts of earlier versions."""


def _pattern(text: str) -> str:
    """Return a pattern of the text, whatever stands for its count and wherever its lines are broken."""
    words = (re.escape(each).replace(re.escape("{count}"), r"[\d,.]+") for each in text.split())
    return r"[\s>|]+".join(words)


_LINES = [line for text in (GUIDE, COMPACTED, SETTLE, *EARLIER) for line in text.splitlines()]
_PRINTED = re.compile(rf"^[ \t>|]*(?:{'|'.join(map(_pattern, _LINES))})[ \t]*\n?", re.MULTILINE)
"""From the start of a line: within one it is quoted by somebody."""
_ANSWER = re.compile(r'\{\s*"(?:hookSpecificOutput|additional_context)"\s*:')
"""Beginning of a hook's answer in JSON, which some clients write as it is."""
_NEEDED = tuple(" ".join(line.split()[:2]) for line in _LINES)
"""The first words of the lines, one of which every match holds: a cheap first test."""


def without_printed(text: str) -> str:
    """Return the text of a message, whose fences were cut out, without what hooks printed outside of them."""
    text = _without_answers(text) if _ANSWER.search(text) else text
    return _PRINTED.sub("", text) if any(each in text for each in _NEEDED) else text


def _without_answers(text: str) -> str:
    """Cut out answers in JSON that hold nothing but what hooks printed."""
    kept, at = "", 0
    while found := _ANSWER.search(text, at):
        try:
            answer, end = json.JSONDecoder().raw_decode(text, found.start())
        except (ValueError, RecursionError):
            answer, end = {}, found.end()
        kept += text[at : found.start() if _is_printed(answer) else end]
        at = end
    return kept + text[at:]


def _is_printed(answer: Mapping[str, Any]) -> bool:
    inner = answer.get("hookSpecificOutput", answer)
    said = inner.get("additionalContext", inner.get("additional_context")) if isinstance(inner, Mapping) else None
    return isinstance(said, str) and not without_printed(said).strip()
