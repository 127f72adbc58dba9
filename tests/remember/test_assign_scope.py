from __future__ import annotations

import pytest

import combray
from combray import InvalidInputError
from combray.forms.remembering import Draft, Remembering
from combray.remember.validate import AssignScope
from combray.testing.fakes import FakeClock, memory


def scoped(*tags: str) -> tuple[str, ...]:
    engine = combray.open(":memory:", embedder="none", clock=FakeClock())
    state = Remembering(engine.namespace, [], engine.runtime.clock(), drafts=[Draft(memory("a text", tags=tags))])
    return AssignScope()(state, engine.runtime).drafts[0].memory.tags


def test_a_memory_without_a_scope_is_global() -> None:
    """Notes 3.1.1: "scope "global"" is the default of `store`."""
    assert scoped("harvest") == ("harvest", "scope:global")


@pytest.mark.parametrize("scope", ["scope:global", "scope:agent:a-1", "scope:project:x.y", "scope:user:u_1",
                                   "scope:custom:a:b", "Scope:agent:A"])  # fmt: skip
def test_a_scope_that_is_given_stays_alone(scope: str) -> None:
    """Notes 3.2: "`global, agent:<id>, custom:<x>, project:<x>, user:<x>`"."""
    assert scoped("harvest", scope) == ("harvest", scope)


@pytest.mark.parametrize("scope", ["scope:", "scope:agent:", "scope:team:x", "scope:agent:a b", "scope:globally",
                                   "scope:user:" + "x" * 96])  # fmt: skip
def test_another_name_is_refused_with_the_names_there_are(scope: str) -> None:
    """Notes 3.2: "names <= 100 chars `[a-zA-Z0-9._:-]+`"; "user:" and 96 characters are 101."""
    with pytest.raises(InvalidInputError, match="scope:global, or scope:agent:ID"):
        scoped(scope)
