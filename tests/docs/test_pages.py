"""Generated pages are up to date, links lead somewhere, the site builds, and the API reference is complete."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import combray
from pages import api, site

ROOT = Path(__file__).parents[2]


def test_the_site_builds_without_a_broken_link(tmp_path: Path) -> None:
    done = site.build(tmp_path)
    plain = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr)
    assert done.returncode == 0, plain[:4000]
    assert (tmp_path / "site" / "index.html").exists()


def test_every_page_is_in_the_navigation() -> None:
    named = set(re.findall(r'"((?:docs/)[\w./-]+\.md)"', (ROOT / site.CONFIGURATION).read_text(encoding="utf-8")))
    pages = {str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")}
    pages -= {page for page in pages if page.startswith("docs/decisions/0")}
    assert named == pages


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
