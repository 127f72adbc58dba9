"""The phrases of en.json, vi.json and zh.json, with hand-checked ranges seen from Wednesday 17 May 2023."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from combray.language.dates import resolve

NOW = datetime(2023, 5, 17, 14, 30)
LANGUAGES = ("en", "vi", "zh")
REQUIRED_SHARE = 0.95


def wrong_phrases(code: str) -> tuple[int, list[str]]:
    """The number of phrases of a language, and a note for each that does not resolve as written."""
    cases = json.loads((Path(__file__).parent / f"{code}.json").read_text(encoding="utf-8"))
    wrong = []
    for case in cases:
        found = [(e.start, e.end, e.kind, e.explicit) for e in resolve(case["text"], NOW)]
        wanted = []
        if "start" in case:
            start, end = datetime.fromisoformat(case["start"]), datetime.fromisoformat(case["end"])
            wanted = [(start, end, case["kind"], case["explicit"])]
        if found != wanted:
            wrong.append(f"{case['text']}: {found}")
    return len(cases), wrong


@pytest.mark.parametrize("code", LANGUAGES)
def test_phrases_resolve_to_the_hand_checked_range(code: str) -> None:
    count, wrong = wrong_phrases(code)
    assert count >= 70
    assert len(wrong) <= (1 - REQUIRED_SHARE) * count, "\n".join(wrong)
