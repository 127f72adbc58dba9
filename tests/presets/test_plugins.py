"""Packages of other people: presets, models and stores by entry point, and what a broken one does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import combray
from combray import InvalidInputError, presets
from combray.engine.models import offers
from combray.errors import PluginError
from combray.stages import CONSOLIDATE_PARTS, RECALL_PARTS, REMEMBER_PARTS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the example; nothing is downloaded."""
    folder = tmp_path_factory.mktemp("plugin")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    command += ["--target", str(folder), str(ROOT / "examples" / "plugin")]
    # The build backend's own program lies beside the interpreter.
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    environment = os.environ | {"PATH": path}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def shell(folder: Path, home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The `combray` of a fresh process that sees the packages in the folder."""
    paths = [str(folder), str(ROOT / "src")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "COMBRAY_HOME": str(home)} | variables
    return subprocess.run(
        [sys.executable, "-m", "combray", *arguments],
        env=environment, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip


@pytest.mark.slow("starts processes")
def test_the_example_answers_from_the_shell(installed: Path, tmp_path: Path) -> None:
    def said(*arguments: str, **variables: str) -> str:
        done = shell(installed, tmp_path, *arguments, **variables)
        assert done.returncode == 0, done.stderr
        return done.stdout

    texts = (
        "the deploy key rotates every Monday",
        "the deploy key lies in the safe of the office, second drawer",
    )
    # The better hit is told last: recall would lift a later statement behind it to its score.
    for text, tags in ((texts[1], ("--tags", "pinned")), (texts[0], ())):
        said("remember", text, *tags, "--embedder", "trigrams:512")
    asked = ("recall", "what about the deploy key?", "--embedder", "trigrams:512", "--json")
    plain = json.loads(said(*asked))
    pinned = json.loads(said(*asked, "--preset", "acme.notes"))
    by_variable = json.loads(said(*asked, COMBRAY_PRESET="acme.notes"))
    assert [each["insight"]["content"] for each in plain["results"]] == list(texts)
    marked = {each["insight"]["content"]: each["signals"]["pinned"] for each in pinned["results"]}
    assert marked == {texts[0]: 0.0, texts[1]: 1.0}
    gain = pinned["results"][1]["score"] - plain["results"][1]["score"]
    assert gain == pytest.approx(0.2)
    assert pinned["results"] == by_variable["results"]
    models = {(each["kind"], each["spec"]): each for each in json.loads(said("models", "--json"))["offers"]}
    assert models["embedder", "trigrams"]["about"] == "package combray-acme 1.0.0"
    assert models["embedder", "trigrams"]["installed"] is True
    listed = {each["name"]: each for each in json.loads(said("presets", "--json"))}
    assert listed["acme.notes"]["package"] == "combray-acme 1.0.0"
    stages = json.loads(said("presets", "show", "acme.notes", "--json"))["recall"]
    assert "PreferPinned" in [each["stage"] for each in stages]


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages; `package` puts one there."""
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("plugged_")]:
        del sys.modules[name]


def package(folder: Path, name: str, code: str, *lines: str) -> None:
    (folder / f"plugged_{name}.py").write_text(code, encoding="utf-8")
    about = folder / f"plugged_{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: plugged-{name}\nVersion: 1.0\n", encoding="utf-8"
    )
    (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


def test_a_broken_package_is_named_and_breaks_nothing_else(offer: Path) -> None:
    package(offer, "broken", "import no_such_module\n", "[combray.presets]", "broken.one = plugged_broken:PRESET")
    package(offer, "wrong", "PRESET = 1\n", "[combray.presets]", "wrong.one = plugged_wrong:PRESET")
    with pytest.raises(PluginError, match=r"'broken.one' of package plugged-broken 1\.0 failed \(ModuleNotFound"):
        presets.load("broken.one")
    with pytest.raises(PluginError, match=r"'wrong.one' is not a combray\.stages\.Preset, but int"):
        presets.load("wrong.one")
    assert [each.name for each in presets.others()] == ["broken.one", "wrong.one"]
    with combray.open(":memory:", embedder="none") as engine:
        assert engine.remember("Alpha").action == "added"
    with pytest.raises(InvalidInputError, match=r"'best' is not known\. Use one of: default, .*, wrong\.one\."):
        presets.load("best")


def test_one_of_our_names_cannot_be_taken(offer: Path) -> None:
    code = "raise SystemExit('loaded')\n"
    package(offer, "thief", code, "[combray.presets]", "default = plugged_thief:PRESET",
            "[combray.embedders]", "none = plugged_thief:Embedder")  # fmt: skip
    assert presets.load("default").name == "default"
    assert [(each.name, each.problem) for each in presets.others()] == [
        ("default", "the name belongs to Combray")
    ]
    combray.open(":memory:", embedder="none").close()
    offered = [each for each in offers() if "plugged-thief" in each.about]
    assert [(each.kind, each.spec, each.installed) for each in offered] == [("embedder", "none", False)]
    assert offered[0].about == "not usable: the name belongs to Combray; package plugged-thief 1.0"


def test_models_of_every_kind_are_listed_without_loading_them(offer: Path) -> None:
    code = "raise SystemExit('loaded')\n"
    kinds = {"embedder": "embedders", "reranker": "rerankers", "language_model": "language_models"}
    lines = [
        line for group in kinds.values() for line in (f"[combray.{group}]", f"own_{group} = plugged_all:make")
    ]
    package(offer, "all", code, *lines)
    offered = {each.kind: each for each in offers() if "plugged-all" in each.about}
    assert {kind: each.spec for kind, each in offered.items()} == {k: f"own_{g}" for k, g in kinds.items()}
    assert {each.about for each in offered.values()} == {"package plugged-all 1.0"}


def test_two_packages_of_one_name_are_refused(offer: Path) -> None:
    for name in ("a", "b"):
        package(offer, name, "PRESET = None\n", "[combray.presets]", f"same = plugged_{name}:PRESET")
    with pytest.raises(PluginError, match=r"'same' is offered by plugged-a 1\.0 and plugged-b 1\.0"):
        presets.load("same")
    assert {each.problem for each in presets.others()} == {"more than one package offers this name"}


MODELS = """
from combray.testing.fakes import FakeEmbedder
from combray.testing.reference import ReferenceStore

class Second:
    name = "second"
    def __init__(self, rest): self.rest = rest
    def rerank(self, query, texts): return [1.0 for _ in texts]
    def complete(self, system, prompt, *, max_tokens=512): return self.rest

def embedder(rest): return FakeEmbedder()
def store(location, *, read_only, durability, busy_timeout, witness, key): return ReferenceStore()
def failing(rest): raise ValueError(f"no model {rest}")
def nothing(rest): return object()
"""


def test_models_and_stores_come_by_name(offer: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path / "home"))
    package(offer, "models", MODELS,
            "[combray.embedders]", "theirs = plugged_models:embedder", "bad = plugged_models:failing",
            "odd = plugged_models:nothing",
            "[combray.rerankers]", "theirs = plugged_models:Second",
            "[combray.language_models]", "theirs = plugged_models:Second",
            "[combray.stores]", "theirs = plugged_models:store")  # fmt: skip
    with combray.open(
        "theirs://somewhere", embedder="theirs:a", reranker="theirs:b", language_model="theirs:c"
    ) as engine:
        assert engine.remember("Alpha rains").embedded
        assert engine.recall("alpha").hits
    with pytest.raises(
        PluginError, match=r"'bad' of package plugged-models 1\.0 failed \(ValueError: no model x\)"
    ):
        combray.open(":memory:", embedder="bad:x")
    with pytest.raises(PluginError, match=r"'odd' of package plugged-models 1\.0 has no method 'embed'"):
        combray.open(":memory:", embedder="odd")
    with pytest.raises(InvalidInputError, match="is not a known kind of store"):
        combray.open("nobody://somewhere")


@pytest.mark.slow("starts processes")
def test_a_start_without_plugins_reads_no_metadata() -> None:
    program = (
        "import sys, combray\n"
        "before = 'importlib.metadata' in sys.modules\n"
        "import importlib.metadata as m; m.entry_points = None\n"
        "from combray.presets import names\n"
        "for name in names(): combray.open(':memory:', embedder='none', preset=name, worker=False).close()\n"
        "print(before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=180, check=False
    )
    assert done.stdout == "False\n", done.stderr


def test_our_presets_are_registered_as_those_of_a_package_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"] == {"combray.presets": dict(presets.OURS)}
    for name, value in presets.OURS.items():
        assert EntryPoint(name, value, "combray.presets").load() is presets.load(name)
        assert presets.load(name).name == name
    # Those of the installed metadata are ours, and no offer of a package.
    assert presets.others() == []


def test_every_part_is_listed_given_and_needed() -> None:
    from combray.consolidate.nightly import NIGHTLY
    from combray.pipeline import given, walk

    loaded = [presets.load(name) for name in presets.names()]
    for parts, pipelines, starts in (
        (REMEMBER_PARTS, [each.remember for each in loaded], {"items"}),
        (RECALL_PARTS, [each.recall for each in loaded], {"query"}),
        (CONSOLIDATE_PARTS, [NIGHTLY], set()),
    ):
        stages = [stage for pipeline in pipelines for stage in walk(pipeline.stages)]
        filled = {part for stage in stages for part in given(stage)} | starts
        needed = {part for stage in stages for part in stage.needs}
        assert filled == needed == set(parts)
