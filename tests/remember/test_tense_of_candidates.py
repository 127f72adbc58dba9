"""What a new text may change is what an earlier one says about the present, not what was, or another plan."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import combray
from combray import Engine


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with combray.open(":memory:", embedder=request.param, worker=False) as opened:
        yield opened


def likeliest(engine: Engine, *texts: str) -> str:
    """Remember the texts, a week apart; what the last one most probably changes."""
    for number, text in enumerate(texts):
        done = engine.remember(text, author="Ana", occurred_at=f"2026-01-{1 + 7 * number:02}")
    return engine.related(done.id, type="may_revise", depth=1)[0].memory.content


@pytest.mark.parametrize(
    ("texts", "changed"),
    [
        (
            (
                "Backups are stored in Paris.",
                "The shop is in Mill Street.",
                "On 2 May we move the shop to Station Road.",
                "Plan: on 15 April we move the backups to Warsaw.",
            ),
            "Backups are stored in Paris.",
        ),
        (
            (
                "I live in Berlin, near the canal.",
                "I used to live in Lisbon.",
                "They say I might live in Rome one day.",
                "I live in Porto now.",
            ),
            "I live in Berlin, near the canal.",
        ),
        (
            (
                "The move to Warsaw is on 15 April.",
                "We will move to the new office on 2 May.",
                "The move to the new office is put off to 9 May.",
            ),
            "We will move to the new office on 2 May.",
        ),
    ],
)
def test_what_a_text_may_change_says_how_things_are_or_is_put_off(
    engine: Engine, texts: tuple[str, ...], changed: str
) -> None:
    assert likeliest(engine, *texts) == changed
