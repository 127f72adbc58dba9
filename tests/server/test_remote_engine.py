"""`combray.open("http://…")`: the engine of a server, with the tests of the engine itself."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from ports import free_port
from serving import SECONDS, Served, serving, started
from tiers import nightly

import combray
from combray.errors import InvalidInputError, NotFoundError, StoreError
from combray.remote import connection
from combray.remote.connection import Connection

TESTS = Path(__file__).parents[1]
FILES = [
    "test_engine test_several_namespaces",
    *nightly(["test_managing test_requests"], "every route is called anyway"),
]
"""Files of tests of the engine. `test_every_route` calls each verb on a server."""
WORDED_BY_THE_SERVER = (
    # The server checks arguments by their declarations, before the engine's own sentence.
    "test_ids_may_be_cut_to_a_prefix",
    "test_mistakes_are_told_and_nothing_is_written",
    "test_what_a_list_cannot_use_is_named",
    "test_an_update_that_cannot_be_writes_nothing",
    "test_what_many_cannot_mean_is_named",
    "test_what_remember_many_takes_is_sent_there",
    # The path of the store is not told.
    "test_locations",
)


@pytest.fixture
def remote(served: Served) -> Iterator[combray.Engine]:
    with combray.open(f"http://127.0.0.1:{served.port}", namespace="remote") as engine:
        yield engine


@pytest.mark.parametrize("names", FILES)
def test_the_tests_of_the_engine_pass_on_a_server(names: str) -> None:
    files = [f"{TESTS}/engine/{file}.py" for file in names.split()]
    # An embedder is the server's own matter: what is sent is the same without.
    left_out = " and ".join(f"not {name}" for name in (*WORDED_BY_THE_SERVER, "wordllama"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "over_http", *files, "-k", left_out],
        cwd=TESTS.parent,
        env={**os.environ, "PYTHONPATH": f"{TESTS / 'server'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) >= 40


def test_the_same_types_come_back(remote: combray.Engine) -> None:
    made = remote.remember("Ana moved to Porto in May 2026.", importance=4, author="Ana")
    answer = remote.recall("Where did Ana move?")
    assert isinstance(answer, combray.Answer)
    assert answer[0].memory == remote.get(made.id)
    assert answer[0].memory.importance == 4
    assert answer[0].signals
    assert isinstance(remote.list(), combray.Page)
    assert remote.update(made.id, importance=2).importance == 2
    assert [each.number for each in remote.history(made.id)] == [1]
    assert remote.conversation("s").add("Hello.", author="Bo").author == "Bo"


def test_a_conversation_knows_what_became_of_its_turns(remote: combray.Engine) -> None:
    talk = remote.conversation("turns")
    talk.add("I prefer the window seat.", author="user", extract="rules")
    assert [remote.get(each.id).category for each in talk.saved] == ["preference"]
    talk.add("Good.", author="user", extract="off")
    assert talk.saved == ()
    added = talk.add_many([{"content": "One."}, {"content": ""}, {"content": "Two."}])
    assert [each.content for each in added] == ["One.", "Two."]
    assert talk.refused.keys() == {1}
    assert "One." in talk.context(timeout=5).text
    remote.remember("The standup is at nine.", author="Ana")
    new = remote.remember("The standup is at ten now.", author="Ana")
    pairs = remote.unsettled()
    assert pairs.due == 0
    assert all(each.new.id == new.id for each in pairs if each.new.author == "Ana")


def test_ids_and_the_revision_are_those_of_the_store(remote: combray.Engine) -> None:
    before = remote.store.revision()
    made = remote.remember("The attic is dry.")
    assert remote.store.revision() > before
    assert remote.store.known([made.id, made.id[:13], "0000"]) == [made.id, made.id[:13]]


def test_errors_are_the_engines_own(remote: combray.Engine) -> None:
    with pytest.raises(InvalidInputError, match="content: is empty"):
        remote.remember(" ")
    with pytest.raises(NotFoundError, match="no memory 'nothing'"):
        remote.get("nothing")
    remote.remember("One.")
    with pytest.raises(InvalidInputError, match=r"confirm: is not given, but the filter matches"):
        remote.forget(where={"status": "active"})
    with pytest.raises(combray.CombrayError, match=r"documents\.index is not served over HTTP"):
        remote.documents.index(".")


def test_an_option_that_nobody_gave_is_not_refused(remote: combray.Engine) -> None:
    """The shell passes every option of `erase`, also `--also`, which is a file of the store's machine."""
    made = remote.remember("The attic has a skylight.")
    done = remote.erase([made.id], prove=False, also=[])
    assert done.count == 1
    with pytest.raises(InvalidInputError, match="also: is not served over HTTP"):
        remote.erase([made.id], also=["copy.db"])


def test_many_texts_are_sent_in_batches(remote: combray.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server ends a long request, and bounds its body: 5,000 lines of a file exceed both."""
    sent: list[int] = []
    ask = Connection.ask

    def asked(self: Connection, *given: Any, **named: Any) -> bytes:
        sent.append(len(named["body"]["items"]))
        return ask(self, *given, **named)

    monkeypatch.setattr(Connection, "ask", asked)
    texts = [f"Crate {number} holds lamp {number * 7}." for number in range(600)]
    counts: list[int] = []
    done = remote.remember_many(texts, progress=counts.append)
    assert [each.action for each in done] == ["added"] * 600
    assert counts == [256, 512, 600]
    remote.remember_many(iter(texts[:300]), atomic=True)
    assert remote.remember_many([]) == []
    assert sent == [256, 256, 88, 300, 0]


def test_a_call_that_waits_for_a_server_says_so_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMBRAY_BUSY_TIMEOUT", "9")
    # Time passes only while it sleeps: a slow machine would have no try between silence and the end.
    passed = [0.0]
    slept = SimpleNamespace(monotonic=lambda: sum(passed), sleep=passed.append)
    monkeypatch.setattr(connection, "time", slept)
    with (
        combray.open(f"http://127.0.0.1:{free_port()}") as engine,
        pytest.raises(StoreError, match="cannot be reached"),
    ):
        engine.recall("Where is the safe?")
    waits = [each.getMessage() for each in caplog.records if "Trying for up to 9 s" in each.getMessage()]
    assert len(waits) == 1
    assert 0 < sum(passed) <= 9


def test_a_namespace_sees_nothing_of_another(remote: combray.Engine) -> None:
    remote.remember("The safe is behind the mirror.")
    other = remote.within("elsewhere")
    assert len(other.recall("Where is the safe?")) == 0
    assert other.namespace == "elsewhere"


def test_an_engine_for_asyncio(served: Served) -> None:
    async def run() -> list[str]:
        url = f"http://127.0.0.1:{served.port}"
        async with await combray.AsyncEngine.open(url, namespace="later") as engine:
            await asyncio.gather(*(engine.remember(f"Number {each} is a tree.") for each in range(8)))
            return sorted(each.content for each in await engine.list())

    assert asyncio.run(run()) == [f"Number {each} is a tree." for each in range(8)]


def test_a_server_that_is_started_again_is_found_again(tmp_path: Path) -> None:
    port = free_port()
    process, _ = started(tmp_path / "a.db", port=port)
    with combray.open(f"http://127.0.0.1:{port}") as engine:
        engine.remember("Before.")
        process.kill()
        process.wait(SECONDS)
        later: list[str] = []
        waiting = threading.Thread(target=lambda: later.append(engine.remember("After.").action))
        waiting.start()
        process, _ = started(tmp_path / "a.db", port=port)
        waiting.join(SECONDS)
        assert later == ["added"]
        assert sorted(each.content for each in engine.list()) == ["After.", "Before."]
    process.terminate()
    process.wait(SECONDS)


def whole(side: socket.socket) -> bytes:
    """A request or an answer with its body."""
    got = side.recv(65536)
    while b"\r\n\r\n" not in got:
        got += side.recv(65536)
    head, _, body = got.partition(b"\r\n\r\n")
    length = int(re.findall(rb"(?i)content-length: (\d+)", head)[0])
    while len(body) < length:
        body += side.recv(65536)
    return head + b"\r\n\r\n" + body


def test_a_write_whose_answer_is_lost_is_stored_once(tmp_path: Path) -> None:
    """Between client and server stands a program that cuts the first answer."""
    with serving(tmp_path / "a.db") as served, closing(socket.create_server(("127.0.0.1", 0))) as proxy:
        cut: list[bool] = []

        def carry() -> None:
            while True:
                try:
                    client, _ = proxy.accept()
                except OSError:
                    return
                with client, socket.create_connection(("127.0.0.1", served.port)) as server:
                    server.sendall(whole(client))
                    answer = whole(server)
                    # Counted first: the client may be gone on before this thread is.
                    cut.append(True)
                    if len(cut) > 1:
                        client.sendall(answer)

        threading.Thread(target=carry, daemon=True).start()
        with combray.open(f"http://127.0.0.1:{proxy.getsockname()[1]}") as engine:
            made = engine.remember("Once.")
        assert len(cut) == 2
        assert [each.id for each in served.engine.list()] == [made.id]


@pytest.mark.parametrize("url", ["http://", "https://me:secret@host", "http://host:port", "https://host/?a=b"])
def test_an_address_that_is_none_is_told(url: str) -> None:
    with pytest.raises(InvalidInputError, match="is no address of a server") as told:
        combray.open(url)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(("scheme", "checked"), [("http", False), ("https", True), ("HTTPS", True)])
def test_the_certificate_of_a_server_is_checked(
    monkeypatch: pytest.MonkeyPatch, scheme: str, *, checked: bool
) -> None:
    made = []
    monkeypatch.setattr(httpx2, "Client", lambda **options: made.append(options["verify"]))
    Connection(f"{scheme}://memory.example.com")
    assert made == [checked]


def test_a_key_is_not_sent_in_clear_text_to_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_SERVER_KEY", "cmb_1_secret")
    with pytest.raises(InvalidInputError, match="clear text") as told:
        combray.open("http://192.0.2.1:8765")
    assert "secret" not in str(told.value)
    monkeypatch.setenv("COMBRAY_PLAIN_HTTP", "1")
    combray.open("http://192.0.2.1:8765").close()


def test_a_server_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_BUSY_TIMEOUT", "0.1")
    with (
        combray.open(f"http://127.0.0.1:{free_port()}") as engine,
        pytest.raises(StoreError, match=r"cannot be reached .* combray serve"),
    ):
        engine.recall("anything")


def test_models_of_this_process_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="objects work in this process"):
        combray.open("http://127.0.0.1:1", clock=lambda: 0.0)


def test_an_export_is_the_one_of_the_store(served: Served, tmp_path: Path) -> None:
    with combray.open(f"http://127.0.0.1:{served.port}", namespace="exported") as remote:
        # Characters that end a line for Python, and not in JSON lines.
        remote.remember("One\u2028two\u2029three\u0085four\x0cfive.")
        remote.remember("Six.")
        places = tmp_path / "remote.jsonl", tmp_path / "own.jsonl"
        for place, engine in zip(places, (remote, served.engine.within("exported")), strict=True):
            with place.open("w", encoding="utf-8", newline="\n") as stream:
                assert engine.store.export_to(stream) == 2
    assert places[0].read_bytes() == places[1].read_bytes()
