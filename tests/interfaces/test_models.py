"""`combray models`, the options that name models, and the tier in `status`."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell import Shell

KEY = "sk-very-secret-1234567890"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name in ("OPENAI_API_KEY", "JINA_API_KEY", "VOYAGE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return Shell(tmp_path, monkeypatch)


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address where nobody listens. It stays taken: a free one could be another test's a moment later."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_models_lists_what_can_be_configured_and_never_a_key(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    told = shell.json("models")
    assert told["in_use"] == {
        "embedder": "none",
        "reranker": "none",
        "judge": "none",
        "guard_model": "none",
        "language_model": "none",
        "peers": "none",
    }
    offers = {(each["kind"], each["spec"]): each for each in told["offers"]}
    openai = offers["embedder", "openai:MODEL@URL"]
    assert (openai["key_variable"], openai["key_is_set"]) == ("OPENAI_API_KEY", True)
    jina = offers["reranker", "jina:MODEL"]
    assert (jina["key_variable"], jina["key_is_set"]) == ("JINA_API_KEY", False)
    assert offers["embedder", "onnx:PATH"]["extra"] == "onnx"
    assert offers["peer", "mem0:NAME=URL"]["key_variable"] == "COMBRAY_PEER_KEY_MEM0"
    models = {"embedder", "late_interaction", "reranker", "judge", "guard_model", "language_model"}
    assert {kind for kind, _ in offers} == models | {"peer"}
    assert all(each["about"] for each in told["offers"])
    shown = shell.in_terminal("models", width=140)
    assert "OPENAI_API_KEY: set" in shown
    assert "JINA_API_KEY: not set" in shown
    assert "In use: embedder none" in shown
    assert KEY not in json.dumps(told) + shown


def test_nothing_configured_says_what_is_in_use(shell: Shell) -> None:
    tried = shell.json("models", "test")
    assert [(each["kind"], each["name"], each["ok"]) for each in tried] == [
        ("embedder", "none", None),
        ("reranker", "none", None),
        ("judge", "none", None),
        ("guard_model", "none", None),
        ("language_model", "none", None),
        ("peer", "none", None),
    ]
    assert "none is configured" in shell.in_terminal("models", "test")


def test_the_default_embedder_is_tried(shell: Shell) -> None:
    embedder = shell.json("models", "test", "--embedder", "wordllama")[0]
    assert (embedder["ok"], embedder["remedy"]) == (True, "")
    assert embedder["detail"].startswith("256 dimensions; cat/kitten 0.")
    assert embedder["milliseconds"] > 0
    assert shell.json("--embedder", "wordllama", "models", "test")[0]["name"] == "wordllama"


def test_a_missing_key_is_a_failure_with_code_1(shell: Shell) -> None:
    result = shell.run("models", "test", "--reranker", "jina:jina-reranker-v3")
    assert result.exit_code == 1
    reranker = json.loads(result.stdout)[1]
    assert (reranker["ok"], reranker["detail"]) == (False, "jina:jina-reranker-v3: no key; set JINA_API_KEY")
    assert reranker["remedy"] == "export JINA_API_KEY=…"


def test_a_server_that_is_not_there_is_told_with_its_remedy(shell: Shell, nobody: str) -> None:
    result = shell.run("models", "test", "--language-model", f"openai:m@{nobody}")
    assert result.exit_code == 1
    model = json.loads(result.stdout)[4]
    assert "cannot be reached" in model["detail"]
    assert model["remedy"].startswith("Start the server, or give its address")


def test_a_spec_that_does_not_exist_is_bad_for_that_model_only(shell: Shell) -> None:
    result = shell.run("models", "test", "--embedder", "oracle:delphi")
    assert result.exit_code == 1
    tried = json.loads(result.stdout)
    assert tried[0]["detail"].startswith("embedder: 'oracle:delphi' is not known.")
    assert [each["ok"] for each in tried[1:]] == [None] * 5


def test_the_models_of_a_recall_can_be_named(shell: Shell, nobody: str) -> None:
    shell.remember("The fox is red")
    meta = shell.json("recall", "fox", "--language-model", f"openai:m@{nobody}")["meta"]
    # Configured, and not down: nobody has called it.
    assert meta["tier"] == {"tier": "BASIC", "why": "no embedder is configured"}
    refused = shell.run("recall", "fox", "--reranker", "oracle:delphi")
    assert refused.exit_code == 2
    assert "'--reranker'" in refused.stderr
    assert shell.run("compare", "fox", "--language-model", "oracle:delphi").exit_code == 2


def test_a_verb_without_pipelines_opens_no_model(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that is missing must not keep `log` from showing the log."""
    shell.remember("The fox is red")
    monkeypatch.setenv("COMBRAY_RERANKER", "jina:jina-reranker-v3")
    monkeypatch.setenv("COMBRAY_JUDGE", "onnx:/nowhere")
    assert shell.json("log")


def test_status_says_the_tier_and_what_models_did(shell: Shell) -> None:
    shell.remember("The fox is red")
    told = shell.json("status", "--embedder", "wordllama")
    assert (told["tier"]["tier"], told["tier"]["why"]) == ("STANDARD", "no language model is configured")
    assert [(each["kind"], each["name"], each["state"]) for each in told["models"]] == [
        ("embedder", "wordllama:256", "closed")
    ]
    shown = shell.in_terminal("status", "--embedder", "wordllama", width=120)
    assert "STANDARD" in shown
    assert "no language model is configured" in shown
    assert "embedder wordllama:256: ready" in shown
