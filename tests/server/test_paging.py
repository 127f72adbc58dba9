"""Pages of lists: nothing is repeated or skipped, and a cursor works with its own list only."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Served, serving

from combray import open as open_engine
from combray.server.routes import PREFIX, routes

LISTS = [each for each in routes() if each.paged]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("pages") / "a.db") as served:
        for number in range(7):
            made = served.remember(f"Note {number} is about the harbour.", entities=[f"Harbour{number}"])
        for number in range(5):
            served.client.patch(f"{PREFIX}/memories/{made}", json={"importance": 1 + number % 5})
            served.client.post(f"{PREFIX}/conversations/s/turns", json={"content": f"Turn {number}."})
        served.client.made = made  # type: ignore[attr-defined]
        served.client.post(f"{PREFIX}/consolidation/runs", json={})
        (run,) = served.client.get(f"{PREFIX}/consolidation/runs").json()["results"]
        served.client.run = run["id"]  # type: ignore[attr-defined]
        yield served


def pages(served: Served, path: str, limit: int, **query: Any) -> list[list[Any]]:
    """The pages of a list, by its cursors."""
    found, after = [], ""
    while True:
        answer = served.client.get(
            PREFIX + path, params={"limit": limit, **query, **({"after": after} if after else {})}
        )
        assert answer.status_code == 200, answer.text
        found.append(answer.json()["results"])
        after = answer.json()["cursor"]
        assert ("link" in answer.headers) == (after is not None)
        if after is None:
            return found


def path_of(route: Any, served: Served) -> str:
    made: Any = served.client
    return str(route.path.format(memory_id=made.made, session="s", run_id=made.run))


@pytest.mark.parametrize("route", LISTS, ids=lambda each: each.operation)
def test_every_list_has_pages_and_refuses_forged_cursors(route: Any, filled: Served) -> None:
    # Reads of the audit and the log are written to the log.
    path = path_of(route, filled)
    if route.operation not in ("audit_show", "log"):
        whole = filled.client.get(PREFIX + path, params={"limit": 1000}).json()
        assert whole["cursor"] is None
        parts = pages(filled, path, 2)
        assert [each for part in parts for each in part] == whole["results"]
        assert all(len(part) == 2 for part in parts[:-1])
    foreign = base64.urlsafe_b64encode(json.dumps(["0" * 16, 1, "0" * 16]).encode()).decode()
    for cursor in ("x", "e30", "é", foreign, base64.urlsafe_b64encode(b'["a", -1, 2]').decode()):
        answer = filled.client.get(PREFIX + path, params={"after": cursor})
        assert 400 <= answer.status_code < 500
        assert "cursor" in answer.json()["detail"]


def test_lists_that_are_long_have_several_pages(filled: Served) -> None:
    counts = {
        each.operation: len(pages(filled, path_of(each, filled), 2))
        for each in LISTS
        if each.operation in ("history", "conversation_turns", "entities", "related")
    }
    assert all(count >= 2 for count in counts.values()), counts


def test_a_cursor_belongs_to_its_list_and_namespace(filled: Served) -> None:
    cursor = filled.client.get(f"{PREFIX}/entities", params={"limit": 2}).json()["cursor"]
    for path, more in ((f"{PREFIX}/quarantine", {}), (f"{PREFIX}/entities", {"namespace": "other"})):
        answer = filled.client.get(path, params={"after": cursor, **more})
        assert answer.status_code == 422
        assert "another list" in answer.json()["detail"]


def test_what_is_written_in_between_neither_repeats_nor_skips(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db") as served:
        for number in range(6):
            served.remember(f"Note {number}.")
        known = [each["seq"] for each in served.client.get(f"{PREFIX}/audit?limit=100").json()["results"]]
        first = served.client.get(f"{PREFIX}/audit", params={"limit": 3}).json()
        for number in range(4):
            served.remember(f"Later note {number}.")
        second = served.client.get(f"{PREFIX}/audit", params={"limit": 3, "after": first["cursor"]}).json()
        seen = [each["seq"] for each in (*first["results"], *second["results"])]
        assert seen == sorted(seen, reverse=True)
        assert [each for each in seen if each <= known[0]] == known[: len([x for x in seen if x <= known[0]])]


def test_an_engine_of_a_server_gives_whole_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path / "a.db") as served, open_engine(f"http://127.0.0.1:{served.port}") as remote:
        talk = remote.conversation("s")
        talk.add_many([{"content": f"Turn {number}."} for number in range(1005)])
        assert [each.content for each in talk.turns()] == [f"Turn {number}." for number in range(1005)]
