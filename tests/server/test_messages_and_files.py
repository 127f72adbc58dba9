"""Messages with role and content, and files of other tools, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Served

import combray
from combray.errors import InvalidInputError
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
    assert report.left == ("links to what the file does not have (1)",)
    assert remote.store.import_from(read_file(VAULT), dry_run=False).skipped == 4


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_an_import_reports_the_same_as_a_local_one(served: Served, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    rows = {
        "a.csv": "text,importance\nTea is hot,2\n,3\nMilk is cold,99\nAnts are small,1\n",
        "a.jsonl": '{"content": "Tea is hot"}\n[]\n{"content": "Milk", "importance": 99}\n{"content": "Ants"}\n',
    }
    path.write_text(rows[name])
    with (
        combray.open(f"http://127.0.0.1:{served.port}", namespace=name.replace(".", "-")) as remote,
        combray.open(":memory:") as local,
    ):
        engines = (local, remote)
        dry = [each.store.import_from(read_file(path)) for each in engines]
        assert dry[0] == dry[1]
        assert (dry[0].memories, len(dry[0].problems)) == (2, 2)
        for each in engines:
            with pytest.raises(InvalidInputError):
                each.store.import_from(read_file(path), dry_run=False)
            assert each.list(limit=1).total == 0
        done = [each.store.import_from(read_file(path), dry_run=False, skip_bad=True) for each in engines]
        assert done[0] == done[1]
        assert [each.list(limit=1).total for each in engines] == [2, 2]


def test_the_schema_describes_messages(served: Served) -> None:
    paths = served.client.get("/v1/openapi.json").json()["paths"]

    def each(path: str, name: str) -> Any:
        body = paths[path]["post"]["requestBody"]["content"]["application/json"]["schema"]
        return body["properties"][name]["items"]

    own, message = each("/v1/memories/batch", "items")["anyOf"]
    assert "importance" in own["properties"]
    assert message["required"] == ["role", "content"]
    turn = each("/v1/conversations/{session}/turns/batch", "turns")
    assert turn["required"] == ["content"]
    assert set(turn["properties"]) == {"role", "content", "name"}
