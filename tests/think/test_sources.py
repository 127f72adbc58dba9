"""What `think` takes as sources besides the hits."""

from __future__ import annotations

from pathlib import Path

import pytest

import combray
from combray.testing.fakes import FakeClock, FakeEmbedder

OLD, NEW = "The rate limit is 100/min.", "The rate limit is 200/min."


@pytest.mark.parametrize(("required", "told"), [("untrusted", [NEW, OLD]), ("agent", [NEW])])
def test_what_was_replaced_is_told_as_far_as_the_namespace_trusts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, required: str, told: list[str]
) -> None:
    monkeypatch.setenv("COMBRAY_REQUIRE_TRUST", required)
    with combray.open(tmp_path / "a.db", embedder=FakeEmbedder(), clock=FakeClock()) as engine:
        old = engine.remember(OLD, trust="untrusted", occurred_at="2024-03-01")
        assert engine.remember(NEW, occurred_at="2024-04-01", supersedes=old.id).action == "replaced"
        assert [hit.memory.content for hit in engine.think("What is the rate limit?").sources] == told
