"""Models by their id on the hub: what is an id, what is fetched, and that it is then used without a network."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hub_case import MODEL, NEXT, NOBODY, REPOSITORY, WORDS, nothing_is_used, point, refused, served
from hub_server import COMMIT, Hub, hub_of
from onnx_file import folder, model

from combray.engine.models import fetch
from combray.errors import InvalidInputError
from combray.models import embedder, reranker
from combray.models.onnx import OnnxEmbedder
from combray.models.onnx_files import hub_id


@pytest.fixture
def colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with served(tmp_path, monkeypatch) as hub:
        yield hub


# -- ids -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ada/colours", ("ada/colours", "main", "")),
        ("ada/colours@v1.0", ("ada/colours", "v1.0", "")),
        ("ada/colours/onnx/model_int8.onnx", ("ada/colours", "main", "onnx/model_int8.onnx")),
        (f"ada/colours@{COMMIT}/m.onnx", ("ada/colours", COMMIT, "m.onnx")),
        ("colours", None),
        ("/ada/colours", None),
        ("./ada/colours", None),
        ("~/ada/colours", None),
        ("ada/colours/onnx", None),
        ("ada/colours@", None),
        ("ada/colours@https://hub.example", None),
        ("ada/../colours", None),
        ("ada/colours/../../m.onnx", None),
        ("ada/colours@../../m", None),
        ("ada/colours/pytorch_model.bin", None),
        ("ada/colours\n", None),
    ],
)
def test_what_is_an_id(text: str, expected: tuple[str, str, str] | None) -> None:
    read = hub_id(text)
    assert (read and (read.repository, read.revision, read.file)) == expected
    assert read is None or str(read) == text


def test_a_spec_that_names_no_model_of_the_hub_is_refused() -> None:
    for spec in ("onnx:colours", "openai:m", "onnx:", "", "ada/colours"):
        with pytest.raises(InvalidInputError, match="Write onnx:ORG/NAME"):
            fetch(spec)


# -- fetched, then used without a network ---------------------------------------------------------------


def test_only_what_is_needed_is_fetched_and_then_used_offline(
    colours: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing_is_used()
    assert colours.asked == []
    steps: list[tuple[int, int]] = []
    done = fetch("onnx:ada/colours", lambda *step: steps.append(step))
    size = len(MODEL) + len(WORDS)
    assert (done.repository, done.commit, done.note) == ("ada/colours", COMMIT, "")
    assert [(each.name, each.size, each.sha256) for each in done.files] == [
        (name, len(REPOSITORY[name]), hashlib.sha256(REPOSITORY[name]).hexdigest())
        for name in ("onnx/model.onnx", "tokenizer.json")
    ]
    assert steps[-1] == (size, size)
    assert steps == sorted(steps)
    assert {path.rpartition("/")[2] for kind, path in colours.asked if kind != "list"} == {
        "model.onnx",
        "tokenizer.json",
    }
    colours.asked.clear()
    point(monkeypatch, NOBODY)
    for spec in ("onnx:ada/colours", done.spec, f"onnx:ada/colours@{COMMIT}"):
        made = embedder(spec)
        assert made is not None
        assert made.embed(["red"]).tolist() == [[1, 0, 0]]
        # Pinning the commit gives the same vectors, so the same name.
        assert made.name == f"onnx:ada/colours:{hashlib.sha256(MODEL).hexdigest()[:8]}"
    assert colours.asked == []


def test_a_cross_encoder_is_used_by_its_id(colours: Hub) -> None:
    """Logits by hand: red 1 + red 1 = 2; relevance 1 / (1 + e^-2) = 0.880797."""
    colours.files["onnx/model.onnx"] = model(pooled=True, rows=[[0.0], [0.0], [1.0], [-2.0], [0.5]])
    fetch("onnx:ada/colours")
    made = reranker("onnx:ada/colours")
    assert made is not None
    assert made.name == "onnx:ada/colours"
    assert made.rerank("red", ["red"]) == pytest.approx([0.880797], abs=1e-6)


def test_a_file_and_a_revision_can_be_named(colours: Hub) -> None:
    done = fetch("onnx:ada/colours@v1/onnx/model_int8.onnx")
    assert [each.name for each in done.files] == ["onnx/model_int8.onnx", "tokenizer.json"]
    assert done.spec == f"onnx:ada/colours@{COMMIT}/onnx/model_int8.onnx"
    for spec in ("onnx:ada/colours@v1/onnx/model_int8.onnx", done.spec):
        assert embedder(spec)
    # It was never asked for as the model of the repository, nor as that of main.
    nothing_is_used()


def test_weights_beside_the_model_and_its_pooling_come_along(colours: Hub) -> None:
    """[CLS] first: the row of the first token alone, red; the mean would be (1, 1, 0) / sqrt(2)."""
    names = ("onnx/model.onnx_data", "onnx/model.onnx_data_1", "1_Pooling/config.json")
    colours.files |= dict.fromkeys(names[:2], b"weights")
    colours.files |= {"onnx/model.onnx_datasheet.txt": b"", "onnx/model.onnx.bin": b""}
    colours.files[names[2]] = b'{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}'
    done = fetch("onnx:ada/colours")
    assert [each.name for each in done.files] == ["onnx/model.onnx", *names[:2], "tokenizer.json", names[2]]
    made = embedder("onnx:ada/colours")
    assert made is not None
    assert made.embed(["red blue"]).tolist() == [[1, 0, 0]]
    assert made.name.endswith(":cls")


def test_a_folder_wins_over_an_id_of_the_same_name(
    colours: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch("onnx:ada/colours")
    (tmp_path / "ada").mkdir()
    folder(tmp_path / "ada" / "colours", model(pooled=False, rows=[[0.0], [0.0], [3.0], [4.0], [5.0]]), "mean")
    monkeypatch.chdir(tmp_path)
    made = OnnxEmbedder("ada/colours")
    assert (made.dimensions, made.name.startswith("onnx:colours:")) == (1, True)


def test_a_second_fetch_downloads_what_has_changed_only(colours: Hub) -> None:
    fetch("onnx:ada/colours")
    colours.asked.clear()
    fetch("onnx:ada/colours")
    assert [kind for kind, _ in colours.asked if kind == "get"] == []
    colours.commit = NEXT
    colours.files["onnx/model.onnx"] = model(pooled=True)
    done = fetch("onnx:ada/colours")
    assert [path for kind, path in colours.asked if kind == "get"] == [
        f"/ada/colours/resolve/{NEXT}/onnx/model.onnx"
    ]
    made = embedder("onnx:ada/colours")
    assert made is not None
    assert made.name.rpartition(":")[2] == done.files[0].sha256[:8]


def test_without_a_network_the_cache_is_told_with_a_note(colours: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fetch("onnx:ada/colours")
    point(monkeypatch, NOBODY)
    after = fetch("onnx:ada/colours")
    assert (after.commit, after.files, after.spec) == (before.commit, before.files, before.spec)
    assert f"{NOBODY} cannot be reached" in after.note
    assert after.note.endswith("this is what the cache has")
    assert "cannot be reached" in refused("onnx:ada/others")


@pytest.mark.skipif(not os.environ.get("COMBRAY_TEST_ONNX"), reason="COMBRAY_TEST_ONNX names no model folder")
def test_a_real_model_by_its_id_gives_the_vectors_of_its_folder(colours: Hub) -> None:
    place = Path(os.environ["COMBRAY_TEST_ONNX"])
    colours.files.clear()
    colours.files |= {name: (place / name).read_bytes() for name in ("model.onnx", "tokenizer.json")}
    done = fetch("onnx:ada/colours")
    assert [each.name for each in done.files] == ["model.onnx", "tokenizer.json"]
    texts = ["The cat sleeps on the sofa", "Interest rates rose again"]
    by_id, by_folder = embedder("onnx:ada/colours"), OnnxEmbedder(str(place))
    assert by_id is not None
    assert np.array_equal(by_id.embed(texts), by_folder.embed(texts))
    assert by_id.name.rpartition(":")[2] == by_folder.name.rpartition(":")[2]


# -- the verb ------------------------------------------------------------------------------------------


def read_all(screen: int, drawn: list[bytes]) -> None:
    """What is drawn until nobody has the terminal open any more."""
    try:
        while part := os.read(screen, 4096):
            drawn.append(part)
    except OSError:
        os.close(screen)


def test_the_verb_fetches_with_a_bar_and_the_model_works_offline(tmp_path: Path) -> None:
    """Processes of their own, set up by the environment alone; the bar is drawn where a terminal is."""
    home = {"HF_HOME": str(tmp_path), "COMBRAY_HOME": str(tmp_path), "COMBRAY_EMBEDDER": "none"}

    def run(url: str, *arguments: str, errors: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "combray", *arguments],
            env={**os.environ, **home, "HF_ENDPOINT": url, "TERM": "xterm"},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            timeout=180,
            check=False,
        )

    screen, terminal = os.openpty()
    drawn: list[bytes] = []
    watching = threading.Thread(target=read_all, args=(screen, drawn))
    watching.start()
    # A process of its own does not know how the model of the other tests pools its tokens.
    pooled = model(pooled=True)
    with hub_of({**REPOSITORY, "onnx/model.onnx": pooled}) as hub_there:
        told = run(hub_there.url, "models", "fetch", "onnx:ada/colours", errors=terminal)
        os.close(terminal)
        watching.join()
        kinds = [kind for kind, _ in hub_there.asked]
    assert told.returncode == 0
    size = len(pooled) + len(WORDS)
    assert f"{size}/{size} bytes" in b"".join(drawn).decode()
    # Nothing is asked but the list and the two files: nothing of this machine is told.
    assert set(kinds) == {"list", "head", "get"}
    fetched = json.loads(told.stdout)
    assert (fetched["commit"], [each["size"] for each in fetched["files"]]) == (COMMIT, [len(pooled), len(WORDS)])

    done = run(NOBODY, "remember", "red", "--embedder", "onnx:ada/colours")
    assert (done.returncode, json.loads(done.stdout)["embedded"]) == (0, True)
    again = run(NOBODY, "models", "fetch", fetched["spec"])
    assert (again.returncode, json.loads(again.stdout)["files"]) == (0, fetched["files"])
    assert "cannot be reached" in again.stderr
    missing = run(NOBODY, "remember", "red", "--embedder", "onnx:ada/others")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr.endswith("download it with: combray models fetch onnx:ada/others.\n")
    wrong = run(NOBODY, "models", "fetch", "openai:m")
    assert (wrong.returncode, "names no model of the hub" in wrong.stderr) == (2, True)
