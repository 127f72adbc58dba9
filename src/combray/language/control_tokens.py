"""Control tokens of published chat templates, and how a text is shown without them.

A server that builds a prompt from a template reads such a token as the start or the end of a turn, wherever it
stands. The class is closed: ChatML, Llama 2 to 4, Phi and Zephyr, Gemma, Mistral, Command R and DeepSeek.
"""

from __future__ import annotations

import re

CONTROL_TOKEN = re.compile(
    r"<[|｜][^|｜<>\n]{1,40}[|｜]>"
    r"|\[/?INST\]|\[/?SYSTEM_PROMPT\]|\[/?AVAILABLE_TOOLS\]|\[/?TOOL_(?:CALLS|RESULTS)\]"
    r"|<</?SYS>>|<(?:start|end)_of_turn>|<(?:bos|eos)>|</?s>",
    re.IGNORECASE,
)
_SHOWN = str.maketrans("<>[]", "‹›⁅⁆")


def disarmed(text: str) -> str:
    """Return the text with other brackets around its control tokens: "‹|im_start|›" for "<|im_start|>"."""
    if "<" not in text and "[" not in text:
        return text
    return CONTROL_TOKEN.sub(lambda token: token[0].translate(_SHOWN), text)
