"""What a shell call loads: only what its verb needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import combray

NOT_FOR_READING = (
    # Packages of other verbs.
    "tokenizers", "safetensors", "wordllama", "rich", "httpx2", "ssl", "asyncio", "mcp", "pydantic",
    "onnxruntime", "huggingface_hub", "sklearn", "tomllib", "logging", "subprocess", "concurrent.futures",
    # Writing, judging, looking after.
    "combray.remember", "combray.guard", "combray.consolidate", "combray.embedding", "combray.transfer",
    "combray.documents", "combray.think", "combray.conversation", "combray.picture", "combray.testing",
    "combray.presets.writing", "combray.engine.changes", "combray.engine.requests",
    "combray.integrations", "combray.engine.consolidation", "combray.audit.erasure", "combray.language.revisions",
    # Stages of other presets.
    "combray.designs",
)  # fmt: skip


def loaded(folder: Path, *arguments: str) -> set[str]:
    """The modules that a shell call has imported when it ends."""
    code = (
        "import sys\n"
        "from combray.interfaces.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)\n"
    )
    given = [sys.executable, "-c", code, *arguments, "--db", str(folder / "agent.db")]
    settings = os.environ | {"COMBRAY_EMBEDDER": "wordllama"}
    done = subprocess.run(given, capture_output=True, text=True, timeout=180, check=True, env=settings)
    assert done.stdout, done.stderr
    return set(done.stderr.splitlines())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of two memories."""
    made = tmp_path_factory.mktemp("store")
    with combray.open(made / "agent.db", embedder="wordllama") as engine:
        engine.remember("We chose PostgreSQL because the data outgrew one file.", author="Mara")
        engine.remember("Mara moved to Lisbon last week.")
    return made


@pytest.mark.parametrize(
    "question", ["Why did we choose PostgreSQL?", "What happened last week?", "Where does Mara live?"]
)
def test_recall_loads_nothing_of_other_verbs(folder: Path, question: str) -> None:
    found = loaded(folder, "recall", question)
    assert "combray.recall.search" in found
    assert sorted(found.intersection(NOT_FOR_READING)) == []


def test_search_loads_neither_tokenizer_nor_guard(folder: Path) -> None:
    assert sorted(loaded(folder, "search", "PostgreSQL").intersection(NOT_FOR_READING)) == []


def test_remember_loads_no_other_package_of_models(folder: Path) -> None:
    found = loaded(folder, "remember", "Tadeo prefers green tea.")
    assert "combray.remember.write" in found
    unwanted = {
        "tokenizers",
        "safetensors",
        "wordllama",
        "rich",
        "httpx2",
        "ssl",
        "combray.designs.mnemon.search",
    }
    assert sorted(found & unwanted) == []


def test_the_package_lists_and_loads_every_public_name_on_demand() -> None:
    code = (
        "import sys, combray\n"
        "assert 'numpy' not in sys.modules\n"
        "assert set(combray.__all__) <= set(dir(combray))\n"
        "assert all(getattr(combray, name) for name in combray.__all__)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
