"""Fetching from a hub that refuses, is slow, breaks off or lies: said in words, and nothing wrong is used."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hub_case import MODEL, NEXT, NOBODY, WORDS, constants, nothing_is_used, point, refused, served
from hub_server import Fault, Hub
from onnx_file import model

from combray.engine.models import fetch
from combray.errors import ModelError
from combray.models import embedder, fetching


@pytest.fixture
def colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with served(tmp_path, monkeypatch) as hub:
        yield hub


# -- refusals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault("list", status=401), "status 401: check HF_TOKEN and what it may read"),
        (Fault("list", status=403), "status 403: check HF_TOKEN"),
        (Fault("list", status=403, headers={"X-Error-Code": "GatedRepo"}), "granted by its owners: ask for it"),
        (Fault("list", status=429, headers={"Retry-After": "3600"}), "too many requests from here (status 429)"),
        (Fault("list", status=503), "answers with status 503"),
        (Fault("list", body=b"<html>Sign in to the hotel's network</html>"), "does not answer as a hub does"),
        (Fault("list", body=b"[1, 2"), "does not answer as a hub does"),
        (Fault("list", body=b"[]"), "does not answer as a hub does"),
        (Fault("list", body=b'{"id": "ada/colours"}'), "does not answer as a hub does"),
        (Fault("list", body=b'{"id": "x", "sha": "../../..", "siblings": []}'), "gives no commit"),
        (Fault("head", status=403, headers={"X-Error-Code": "GatedRepo"}), "granted by its owners: ask for it"),
        (Fault("head", status=500), "status 500"),
        (Fault("get", status=404), "has no such model, or a private one"),
    ],
)
def test_a_refusal_says_what_to_do_and_nothing_is_used(colours: Hub, fault: Fault, said: str) -> None:
    colours.faults = [fault]
    message = refused()
    assert said in message
    assert message.startswith("onnx:ada/colours: ")
    nothing_is_used()


def test_what_the_repository_lacks_is_named(colours: Hub) -> None:
    assert "has no such model, or a private one; check the name" in refused("onnx:ada/nothing")
    assert "the repository has no branch, tag or commit v9" in refused("onnx:ada/colours@v9")
    assert (
        "has no big.onnx; it has onnx/model.onnx, onnx/model_int8.onnx: name one, onnx:ada/colours/FILE.onnx"
        in refused("onnx:ada/colours/big.onnx")
    )
    colours.files.pop("onnx/model.onnx")
    assert "has no model.onnx or onnx/model.onnx; it has onnx/model_int8.onnx: name one" in refused()
    colours.files |= {f"onnx/m{number}.onnx": b"" for number in range(9)}
    assert "onnx/m4.onnx and 5 more: name one" in refused()
    colours.files.pop("tokenizer.json")
    assert "has no tokenizer.json" in refused("onnx:ada/colours/onnx/model_int8.onnx")
    colours.files.clear()
    assert "it has no ONNX file at all" in refused()


def test_a_token_is_sent_to_the_hub(colours: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    colours.faults = [Fault("list", status=401)]
    assert "hf_secret" not in refused()
    assert colours.tokens == ["Bearer hf_secret"]


def test_nobody_there_and_forbidden_to_ask(colours: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    point(monkeypatch, NOBODY)
    assert f"{NOBODY} cannot be reached" in refused()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert refused() == "onnx:ada/colours: HF_HUB_OFFLINE forbids asking the hub; unset it to fetch a model"


# -- slow, broken, lying -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["list", "head", "get"])
def test_a_silent_hub_is_given_up(colours: Hub, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "_PATIENCE", 0.2)
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 0.2)
    until = threading.Event()
    colours.faults = [Fault(kind, wait=until)]
    try:
        assert "cannot be reached" in refused()
    finally:
        until.set()
    nothing_is_used()


def test_a_download_that_breaks_goes_on_where_it_was(colours: Hub) -> None:
    colours.faults = [Fault("get", "model.onnx", cut=100, times=2)]
    done = fetch("onnx:ada/colours")
    assert done.files[0].sha256 == hashlib.sha256(MODEL).hexdigest()
    # The second time 100 more came; then the tokenizer, from its beginning.
    assert colours.begun == [0, 100, 200, 0]


def test_a_server_that_begins_anew_and_breaks_each_time_is_left(colours: Hub) -> None:
    colours.faults = [Fault("get", "model.onnx", cut=200, whole=True)]
    assert "more bytes came than its 284; the download was left" in refused()
    # 200 bytes each time: in the fifth answer more than three times the 284, which is 852.
    assert len(colours.begun) == 5
    nothing_is_used()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            Fault("get", "model.onnx", body=b"<html>" + b" " * (len(MODEL) - 6)),
            "is not the file that the hub lists",
        ),
        (Fault("get", "tokenizer.json", body=b"{}" + WORDS[2:]), "is not the file that the hub lists"),
        (Fault("get", "model.onnx", body=MODEL[:-1]), "file should be of size 284 but has size 283"),
        (Fault("get", "model.onnx", body=MODEL * 9), "more bytes came than its 284"),
        (Fault("head", "model.onnx", headers={"Content-Length": "999"}), "two sizes, 284 bytes and 999 bytes"),
        (Fault("head", "model.onnx", headers={"ETag": '"../../../../../../out"'}), "cannot be trusted"),
        (Fault("head", "model.onnx", headers={"ETag": ""}), "cannot be trusted"),
        (Fault("head", "model.onnx", headers={"X-Repo-Commit": NEXT}), "cannot be trusted"),
        (Fault("head", "model.onnx", headers={"X-Repo-Commit": "../../../.."}), "cannot be trusted"),
    ],
)
def test_a_lie_is_found_and_its_file_removed(colours: Hub, tmp_path: Path, fault: Fault, said: str) -> None:
    colours.faults = [fault]
    assert said in refused()
    nothing_is_used()
    assert [each for each in tmp_path.iterdir() if each.name != "cache"] == []
    colours.faults = []
    assert fetch("onnx:ada/colours").files[0].sha256 == hashlib.sha256(MODEL).hexdigest()


@pytest.mark.parametrize("large", [0, 10_000], ids=["SHA-256", "SHA-1 of git"])
def test_both_kinds_of_hashes_are_compared(colours: Hub, large: int) -> None:
    colours.large = large
    assert fetch("onnx:ada/colours").files[0].size == len(MODEL)
    colours.commit = NEXT
    colours.files["onnx/model.onnx"] = model(pooled=True)
    colours.faults = [Fault("get", body=bytes(len(model(pooled=True))))]
    assert "is not the file that the hub lists" in refused()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("onnx/model.onnx", b"<html>404</html>", "model.onnx in .* is not a readable ONNX model"),
        ("tokenizer.json", b"<html>404</html>", "tokenizer.json in .* is not a readable tokenizer"),
    ],
)
def test_what_is_listed_as_it_is_and_still_no_model_is_not_used(
    colours: Hub, name: str, content: bytes, said: str
) -> None:
    colours.files[name] = content
    with pytest.raises(ModelError, match=said):
        fetch("onnx:ada/colours")
    nothing_is_used()


def test_a_failed_fetch_leaves_the_last_good_one_in_use(colours: Hub) -> None:
    fetch("onnx:ada/colours")
    colours.commit = NEXT
    colours.files["onnx/model.onnx"] = model(pooled=True)
    colours.faults = [Fault("get", "model.onnx", body=bytes(len(colours.files["onnx/model.onnx"])))]
    assert "is not the file that the hub lists" in refused()
    made: Any = embedder("onnx:ada/colours")
    assert made.name == f"onnx:ada/colours:{hashlib.sha256(MODEL).hexdigest()[:8]}"
