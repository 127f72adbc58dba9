"""Generated pages are up to date, links lead somewhere, the site builds, and the API reference is complete."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import combray
from combray import presets
from pages import api, generated, site

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("path", generated.FILES)
def test_a_generated_page_is_up_to_date(path: str) -> None:
    have = (ROOT / path).read_text(encoding="utf-8")
    assert have == generated.FILES[path](), f"{path} is stale. Run `python -m pages` and commit the result."


def test_the_site_builds_without_a_broken_link(tmp_path: Path) -> None:
    done = site.build(tmp_path)
    plain = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr)
    assert done.returncode == 0, plain[:4000]
    (version,) = [each["version"] for each in json.loads((tmp_path / "site" / "versions.json").read_text())]
    assert version == site.version()
    assert (tmp_path / "site" / version / "index.html").exists()
    assert (tmp_path / "site" / "latest" / "index.html").exists()


def test_pages_of_an_older_version_stay_beside_the_latest(tmp_path: Path) -> None:
    for name in ("1.0", "1.1"):
        (tmp_path / "built").mkdir()
        (tmp_path / "built" / "index.html").write_text(name)
        site.publish(tmp_path / "built", tmp_path / "site", name)
    versions = json.loads((tmp_path / "site" / "versions.json").read_text())
    assert [(each["version"], each["aliases"]) for each in versions] == [("1.1", ["latest"]), ("1.0", [])]
    shown = [(tmp_path / "site" / each / "index.html").read_text() for each in ("1.0", "1.1", "latest")]
    assert shown == ["1.0", "1.1", "1.1"]


def test_the_index_of_the_documentation_links_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / link).resolve() for link in re.findall(r"\]\(([^)#]+)\)", index.read_text("utf-8"))}
    pages = {path for path in (ROOT / "docs").rglob("*.md") if "decisions" not in path.parts}
    assert pages - {index} <= linked


def test_the_front_page_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150


def test_every_page_is_in_the_navigation() -> None:
    named = set(re.findall(r'"((?:docs/)[\w./-]+\.md)"', (ROOT / site.CONFIGURATION).read_text(encoding="utf-8")))
    pages = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")}
    pages -= {page for page in pages if page.startswith("docs/decisions/0")}
    assert named == pages


def test_one_page_says_how_to_install() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "clients").rglob("*.md"), ROOT / "README.md"]
    named = [page.name for page in pages if "pip install 'combray" in page.read_text(encoding="utf-8")]
    assert named == ["install.md"]


def test_the_page_on_installing_lists_every_extra() -> None:
    page = (ROOT / "docs" / "howto" / "install.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE) == sorted(project["optional-dependencies"])


def test_the_api_reference_has_every_public_name() -> None:
    text = api.rendered((ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8"))
    headings = set(re.findall(r"^###+ (\w+)$", text, re.MULTILINE))
    assert set(combray.__all__) - {"__version__"} <= headings
    assert ":::" not in text


def test_citations_in_the_code_lead_to_pages_that_exist() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "src", "tests", "bench", "pages", "examples"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    wrong = []
    for name in listed:
        if not name.endswith(".py") or name.startswith(("tests/documents/", "tests/language/")):
            continue
        text = (ROOT / name).read_text(encoding="utf-8")
        for page in re.findall(r"(?<![\w/])(?:docs|bench/results)/[\w./-]+\.(?:md|png|svg)", text):
            wrong += [f"{name}: {page}"] if not (ROOT / page).exists() else []
    assert wrong == []


def test_the_architecture_fits_on_a_few_screens_and_shows_the_rooms() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert len(lines) < 200
    assert max(map(len, lines)) <= 200
    assert "![the rooms of Combray](docs/explanation/rooms.svg)" in text
    assert "docs/explanation/rooms.svg" in generated.FILES


def test_every_question_of_a_newcomer_is_answered_by_at_most_two_files_that_exist() -> None:
    page = (ROOT / "docs" / "contributing" / "questions.md").read_text(encoding="utf-8")
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("| ") and "?" in line]
    assert len(rows) >= 25
    for question, answer, *_ in rows:
        paths = re.findall(r"`([^`]+)`", answer)
        assert 1 <= len(paths) <= 2, question
        for path in paths:
            assert (ROOT / path).exists(), f"{question.strip()} {path} does not exist"


def test_the_page_of_stages_shows_every_setting_in_full() -> None:
    page = (ROOT / "docs" / "reference" / "stages.md").read_text(encoding="utf-8")
    for name in presets.names():
        for walk in ("remember", "recall"):
            for stage in getattr(presets.load(name), walk).describe():
                for setting, value in stage["settings"].items():
                    entries = value.items() if isinstance(value, dict) else [(None, value)]
                    for key, inner in entries:
                        place = setting if key is None else f"{setting}[{key!r}]"
                        assert f"`{place}={inner!r}`" in page
