from __future__ import annotations

import pytest

from combray.language.intent import CausalLink, read_signals, signal


@pytest.mark.parametrize(
    ("text", "sub_type"),
    [
        ("We chose it because it is fast", "causes"),
        ("We cached it so that it is fast", "enables"),
        ("The firewall blocked it because of a rule", "prevents"),
        ("in order to win, because we must", "enables"),
        ("因为很快", "causes"),
        ("为了速度", "enables"),
        ("Mặc dù chậm", "prevents"),
        ("We chose it", None),
        ("The thusly named becauses", None),
    ],
)
def test_prevents_comes_before_enables_before_causes(text: str, sub_type: str | None) -> None:
    assert signal(text) == sub_type


def link(new: str, old: str) -> CausalLink | None:
    return read_signals(signal(new), signal(old))


def test_the_text_with_the_signal_is_the_effect() -> None:
    assert link("chosen because it is fast", "Qdrant is fast") == ("new", "causes")
    assert link("Qdrant is fast", "chosen because it is fast") == ("old", "causes")
    assert link("because A", "so that B") == ("new", "causes")
    assert link("A", "B") is None
