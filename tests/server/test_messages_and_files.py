"""Messages with role and content, and files of other tools, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Served

import combray
from combray.transfer import read_file

VAULT = Path(__file__).parents[1] / "transfer" / "golden" / "vault"
MESSAGES: list[Any] = [
    {"role": "user", "content": "My sister Ana moved to Lisbon."},
    {"role": "assistant", "content": [{"type": "text", "text": "How does she like it?"}]},
]


@pytest.fixture
def remote(served: Served) -> Iterator[combray.Engine]:
    with combray.open(f"http://127.0.0.1:{served.port}", namespace="messages") as engine:
        yield engine


def test_messages_are_stored_by_both_engines_alike(remote: combray.Engine) -> None:
    turns = remote.conversation("talk").add_many([{"role": "system", "content": "Be kind."}, *MESSAGES])
    assert [(each.author, each.content, each.trust) for each in turns] == [
        ("user", "My sister Ana moved to Lisbon.", "owner"),
        ("assistant", "How does she like it?", "agent"),
    ]
    ids = [each.id for each in remote.remember_many(MESSAGES)]
    assert [remote.get(each).author for each in ids] == ["user", "assistant"]


def test_messages_over_http(served: Served) -> None:
    client = served.client
    body: dict[str, Any] = {"turns": MESSAGES}
    answer = client.post("/v1/conversations/http/turns/batch", json=body)
    assert answer.status_code == 200, answer.text
    answer = client.post("/v1/memories/batch", json={"items": MESSAGES})
    assert answer.status_code == 200, answer.text
    answer = client.post("/v1/memories/batch", json={"items": [{"role": "system", "content": "x"}]})
    assert answer.status_code == 422
    assert "items[0].role" in answer.text


def test_a_file_is_imported_into_a_server(remote: combray.Engine) -> None:
    report = remote.store.import_from(read_file(VAULT), dry_run=False)
    assert (report.memories, report.problems) == (4, ())
    assert remote.store.import_from(read_file(VAULT), dry_run=False).skipped == 4
