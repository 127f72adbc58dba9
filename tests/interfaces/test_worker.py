"""The verb `worker`: once, until it is stopped, for another embedder."""

from __future__ import annotations

import json
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from shell import Shell

import combray

FACTS = ("The user tends gardens in Lisbon", "Ann writes compilers at night", "Bob repairs old violins")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A store with three facts that wait for their vectors."""
    made = Shell(tmp_path, monkeypatch)
    monkeypatch.setenv("COMBRAY_EMBEDDER", "wordllama")
    monkeypatch.setenv("COMBRAY_PRESET", "semantic-facts")
    for text in FACTS:
        made.remember(text)
    return made


def test_a_worker_does_what_waits_and_leaves(shell: Shell) -> None:
    (queue,) = shell.json("status")["queue"]
    assert (queue["model"], queue["waiting"], queue["failed"]) == ("wordllama:256", 3, 0)
    assert shell.json("worker", "--once") == {"embedded": 3, "failed": 0, "left": 0, "error": ""}
    status = shell.json("status")
    assert (status["by_status"], status["queue"], status["without_vector"]) == ({"active": 3}, [], 0)
    assert shell.json("worker", "--once")["embedded"] == 0


def test_in_a_terminal_it_says_what_it_did(shell: Shell) -> None:
    assert "queue" in shell.in_terminal("status")
    assert shell.in_terminal("worker", "--once").endswith("3 embedded, 0 failed, 0 left.\n")


def test_it_works_in_one_namespace_or_everywhere(shell: Shell) -> None:
    shell.remember("Carl bakes bread", "--namespace", "other")
    assert shell.json("worker", "--once", "--namespace", "other")["embedded"] == 1
    assert shell.json("status")["by_status"] == {"pending_embed": 3}
    assert shell.json("worker", "--once", "--everywhere", "--namespace", "other")["embedded"] == 3


def test_without_an_embedder_it_refuses(shell: Shell) -> None:
    refused = shell.run("worker", "--once", "--embedder", "none")
    assert refused.exit_code == 2
    assert "is not set, so no vectors can be made" in refused.output


def test_a_standing_worker_follows_the_store_until_ctrl_c(shell: Shell) -> None:
    with subprocess.Popen(
        shell.command("worker", "--reembed"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        assert worker.stderr is not None
        assert json.loads(worker.stdout.readline()) == {"embedded": 3, "failed": 0, "left": 0, "error": ""}
        shell.remember("Carl bakes bread")
        assert json.loads(worker.stdout.readline())["embedded"] == 1
        # Stored without a vector by somebody who has none to make: --reembed sees to it.
        shell.remember("Dora sails", "--embedder", "none")
        assert json.loads(worker.stdout.readline())["embedded"] == 1
        worker.send_signal(signal.SIGINT)
        assert (worker.wait(90), worker.stderr.read()) == (130, "")
    assert shell.json("status")["by_status"] == {"active": 5}


def test_a_model_that_is_down_is_told_with_exit_code_1(shell: Shell) -> None:
    dead = "ollama:all-minilm#384@http://127.0.0.1:9"
    down = shell.run("worker", "--once", "--embedder", dead, "--reembed")
    assert down.exit_code == 1
    told = json.loads(down.stdout)
    assert (told["embedded"], told["failed"], told["left"]) == (0, 3, 3)
    assert "127.0.0.1:9" in told["error"]
    models = {each["model"]: each["waiting"] for each in shell.json("status")["queue"]}
    assert models.pop("wordllama:256") == 3
    (waiting,) = models.values()
    assert waiting == 3


def test_vectors_of_another_model_are_dropped_alone(shell: Shell) -> None:
    refused = shell.run("worker", "--drop", "old:1")
    assert refused.exit_code == 2
    assert "3 memories have no vector of wordllama:256 yet" in refused.output
    shell.json("worker", "--once")
    assert shell.json("worker", "--drop", "old:1") == {
        "model": "wordllama:256",
        "memories": 3,
        "lacking": 0,
        "queued": 0,
        "dropped": 0,
    }
    assert shell.run("worker", "--drop", "old:1", "--once").exit_code == 2


def test_what_was_given_up_is_tried_again(shell: Shell) -> None:
    path = shell.folder / "default.db"
    with (
        combray.open(path, embedder="wordllama", worker=False) as engine,
        engine.runtime.store.transaction("default") as tx,
    ):
        given_up = tx.queue.take("wordllama:256", "me", engine.runtime.clock(), engine.runtime.clock(), 2)
        tx.queue.update([replace(job, holder="", failed=True, error="too long") for job in given_up])
    (finding,) = [each for each in json.loads(shell.run("doctor").stdout) if each["name"] == "queue"]
    assert finding["detail"] == (
        "1 memories wait for a vector, 2 failed (too long); 'combray worker --once --retry-failed' retries them"
    )
    assert shell.json("worker", "--once")["embedded"] == 1
    assert shell.json("worker", "--once", "--retry-failed")["embedded"] == 2


def test_the_command_of_the_hint_makes_the_vectors(shell: Shell) -> None:
    shell.json("--preset", "semantic-facts", "remember", "Ana drinks coffee", "--embedder", "wordllama")
    asked = ("recall", "coffee", "--preset", "semantic-facts", "--embedder", "wordllama")
    reason = shell.json(*asked)["meta"]["reason"]
    assert "have no vector of wordllama:256" in reason
    hint = reason.partition("'combray ")[2].partition("'")[0].split()
    shell.json(*hint, "--embedder", "wordllama")
    assert "no vector" not in shell.json(*asked)["meta"].get("reason", "")
