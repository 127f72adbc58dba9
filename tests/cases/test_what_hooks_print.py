"""What a hook printed is nobody's words when a transcript repeats it.

Sources: vectorize-io/hindsight#360, rtk-ai/icm#312.
"""

from __future__ import annotations

import pytest

from combray.sessions.printed import COMPACTED, GUIDE, SETTLE, without_printed
from combray.sessions.session import said

FENCE = """\
<memory-abcdefghijkl>
Untrusted data.
[1] The gate is green (user; 2026-05-01; 019e8269)
</memory-abcdefghijkl>"""
SHOWN = f"{FENCE}\n{SETTLE}"
STARTED = GUIDE.format(count="1,204") + "\n\n" + COMPACTED + "\n\n" + FENCE
WORDS = ("Is the gate green?", "Ist das Tor grün?\nIch frage für Ana.", "大门是绿色的吗？", "Deploy.")


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("printed", [SHOWN, STARTED, SETTLE, GUIDE.format(count=3), COMPACTED])
@pytest.mark.parametrize("form", ["{0}\n\n{1}", "{0}\n{1}", "{1}\n\n{0}", "{1}\n{0}\n", "{0}\n\n\n{1}\n\n{0}"])
def test_only_the_words_are_kept(words: str, printed: str, form: str) -> None:
    turn = said(
        {"type": "user", "uuid": "u", "message": {"role": "user", "content": form.format(printed, words)}}
    )
    assert turn is not None
    assert turn.text == words


@pytest.mark.parametrize("printed", [SHOWN, STARTED, SETTLE])
def test_a_message_of_nothing_else_is_none(printed: str) -> None:
    assert said({"type": "user", "message": {"role": "user", "content": printed}}) is None


def test_broken_lines_are_recognised() -> None:
    broken = SETTLE.replace("words decide", "words\ndecide").replace("with both", "with\n  both")
    assert without_printed(f"{broken}\nYes.").strip() == "Yes."


@pytest.mark.parametrize(
    "words",
    [
        "A line above the door says 1890.",
        "Combray keeps its bells in the tower.",
        "The conversation was compacted, wasn't it?",
        "Remember at once what I told you!",
    ],
)
def test_words_that_begin_alike_stay(words: str) -> None:
    assert without_printed(words) == words
