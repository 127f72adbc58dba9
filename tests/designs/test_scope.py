from __future__ import annotations

import numpy as np

import combray
from combray.designs.mnemo.search import FilterScope
from combray.forms.recalling import Recalling
from combray.runtime import Filter
from combray.testing.fakes import FakeClock


def test_only_the_scopes_asked_for_stay_in_their_order() -> None:
    """Stage 8: "Filters results to only include memories from the requested scopes"."""
    engine = combray.open(":memory:", embedder="none", clock=FakeClock())
    scopes = ["scope:agent:a1", "scope:agent:a2", "scope:global", "scope:agent:a1"]
    made = [engine.remember(f"note{n}", tags=[scope], diff=False) for n, scope in enumerate(scopes)]
    keys = np.array([engine._at.key_of(each.id) for each in reversed(made)], dtype=np.int64)
    where = Filter(tags=("scope:agent:a1", "scope:global"))
    state = Recalling("note", engine.namespace, engine.reader, engine.runtime.clock(), where=where, keys=keys)
    state.scores = np.array([0.4, 0.3, 0.2, 0.1])
    state = FilterScope()(state, engine.runtime)
    assert engine.reader.contents(state.keys) == ["note3", "note2", "note0"]
    assert state.scores.tolist() == [0.4, 0.3, 0.1]
    assert state.reason == ""
    state.where = Filter(tags=("scope:agent:a2",))
    assert len(FilterScope()(state, engine.runtime).keys) == 0
    assert state.reason == "nothing that matches is in the scopes and has the tags asked for"


def test_another_tag_opens_no_scope() -> None:
    """A filter by tags passes who has one of them; a scope must not be one among others."""
    engine = combray.open(":memory:", embedder="none", clock=FakeClock())
    tags = [["scope:agent:a1", "harvest"], ["scope:agent:a2", "harvest"], ["scope:agent:a1"]]
    made = [engine.remember(f"note{n}", tags=each, diff=False) for n, each in enumerate(tags)]
    keys = np.array([engine._at.key_of(each.id) for each in made], dtype=np.int64)
    where = Filter(tags=("harvest", "scope:agent:a1"))
    state = Recalling("note", engine.namespace, engine.reader, engine.runtime.clock(), where=where, keys=keys)
    assert engine.reader.contents(FilterScope()(state, engine.runtime).keys) == ["note0"]
