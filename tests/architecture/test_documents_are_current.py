"""The documents say what is there: verbs, presets with their constants, settings, files, tests, examples."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bench.compat.declaration import examples as framework_examples
from combray import __version__, presets
from combray.interfaces.cli import combray
from combray.interfaces.cli.verbs import VERBS
from combray.settings import SETTINGS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "combray"
README = (ROOT / "README.md").read_text(encoding="utf-8")
RECALL = (ROOT / "docs" / "explanation" / "recall.md").read_text(encoding="utf-8")
INDEX = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PRESETS = (ROOT / "docs" / "reference" / "presets.md").read_text(encoding="utf-8")
DOCUMENTS = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str, language: str) -> list[str]:
    """Fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def shell_lines(text: str) -> list[str]:
    """What follows a `$ ` in the console blocks, comments cut off."""
    lines = [
        line[2:] for block in blocks(text, "console") for line in block.splitlines() if line.startswith("$ ")
    ]
    return [line.split("  #")[0].strip() for line in lines]


def code(text: str) -> list[str]:
    """Inline code and shell lines."""
    without_blocks = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`\n]+)`", without_blocks) + shell_lines(text)


def rows(text: str) -> list[list[str]]:
    """Cells of every table row."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def section(text: str, title: str) -> str:
    """From a heading to the next of the same or a higher rank."""
    level = len(title) - len(title.lstrip("#"))
    found = re.search(rf"^{re.escape(title)}\n(.*?)(?=^#{{1,{level}}} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"no heading {title!r}"
    return found[1]


pytestmark = pytest.mark.usefixtures("a_new_user")


# -- the shell -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_verb_that_a_document_names_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    named = [verb for each in code(text) for verb in re.findall(r"^combray ([a-z]+(?:-[a-z]+)*)", each)]
    assert set(named) <= set(VERBS)


def test_the_readme_names_every_verb() -> None:
    named = {
        verb for each in code(section(README, "## The verbs")) for verb in re.findall(r"^combray ([\w-]+)$", each)
    }
    assert named == set(VERBS)


def test_the_readmes_shell_lines_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_EMBEDDER", "none")
    lines = [line for page in (README, RECALL) for line in shell_lines(page) if line.startswith("combray ")]
    assert len(lines) == 7
    for line in lines:
        command, _, otherwise = line.partition(" || ")
        done = CliRunner().invoke(combray, shlex.split(command)[1:])
        assert done.exit_code == (1 if otherwise else 0), done.output


def test_every_snippet_of_the_readme_uses_the_same_store() -> None:
    """But for the example that shows its output: what other snippets store would change it."""
    named = re.findall(r"[\w/]*\b\w+\.db\b", README)
    assert len(named) >= 5
    assert {Path(name).name for name in named} == {"agent.db"}
    assert re.findall(r"[\w/]*\b\w+\.db\b", RECALL) == ["bookings.db"]


def test_the_explained_recall_shows_the_stages_of_its_preset() -> None:
    asked = next(line for line in shell_lines(RECALL) if "--explain" in line)
    preset = re.findall(r"--preset (\w+)", asked)[0]
    (explained,) = [each for each in blocks(RECALL, "text") if "when it ran" in each]
    shown = re.findall(r"^ ([A-Z]\w+) +\d+ → \d+", explained, re.MULTILINE)
    assert shown == [each["stage"] for each in presets.load(preset).recall.describe()]


# -- the library ---------------------------------------------------------------------------------------


def test_the_readmes_library_lines_run(tmp_path: Path) -> None:
    exchange, program = blocks(README, "python")
    assert len([line for line in program.splitlines() if line]) == 5
    expected = (blocks(README, "text")[0], "We chose PostgreSQL because of the two lost bookings.\n")
    for lines, shown in zip((exchange, program), expected, strict=True):
        command = [sys.executable, "-c", lines]
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False, cwd=tmp_path)
        assert done.stdout == shown, done.stderr


def test_every_example_is_in_the_index_and_runs() -> None:
    every = sorted((ROOT / "examples").glob("*.py"))
    # Those with a framework run in environments of their own: `bench.compat`.
    examples = [path for path in every if path not in framework_examples().values()]
    assert examples
    for path in examples:
        assert f"examples/{path.name}" in INDEX
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=180, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout


def test_the_support_desk_remembers_corrects_and_keeps_customers_apart() -> None:
    path = ROOT / "examples" / "support_desk.py"
    said = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=180, check=True).stdout
    changed, tray, plan, warranty, other = said.splitlines()
    assert changed.startswith("replaced: ")
    assert "Always the lower tray." in tray
    assert "changed from Basic to Team" in plan
    assert "Nothing: " in warranty
    assert "Nothing: namespace 'customer-18' has no memories yet" in other


# -- settings ------------------------------------------------------------------------------------------


def test_the_table_of_settings_is_complete_and_right() -> None:
    page = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    table = {row[0].strip("`"): row[1:] for row in rows(page)[2:]}
    assert list(table) == [setting.name for setting in SETTINGS]
    for setting in SETTINGS:
        default, variable, _ = table[setting.name]
        assert variable == f"`{setting.variable}`"
        if setting.default not in ("", None):
            assert default == f"`{setting.default}`"


# -- presets -------------------------------------------------------------------------------------------


def stages_of(preset: presets.Preset, walk: str) -> dict[str, dict[str, Any]]:
    """Stage -> settings, stages inside a transaction included."""
    described = getattr(preset, walk).describe()
    flat = [inner for each in described for inner in (each, *each.get("stages", ()))]
    return {each["stage"]: each["settings"] for each in flat}


def constants(cell: str) -> list[tuple[str, str | None, Any]]:
    """(setting, key or None, value) of `name=value` and `name["key"]=value`."""
    found = re.findall(r'`(\w+)(?:\["(\w+)"\])?=([^`]+)`', cell)
    return [(name, key or None, ast.literal_eval(value)) for name, key, value in found]


def test_every_preset_has_its_section_and_a_line_in_the_readme() -> None:
    assert sorted(re.findall(r"^## ([\w-]+)$", PRESETS, re.MULTILINE)) == sorted(presets.names())
    listed = re.findall(r"^- `([\w-]+)`:", section(README, "## Presets"), re.MULTILINE)
    assert sorted(listed) == sorted(presets.names())


@pytest.mark.parametrize("walk", ["remember", "recall"])
@pytest.mark.parametrize("name", presets.names())
def test_stages_and_constants_are_those_of_the_code(name: str, walk: str) -> None:
    stages = stages_of(presets.load(name), walk)
    compared = 0
    for row in rows(section(section(PRESETS, f"## {name}"), f"### {walk}"))[2:]:
        assert len(row) == 4, row
        if not row[1]:
            continue
        settings = stages[row[1].strip("`")]
        for setting, key, value in constants(row[2]):
            compared += 1
            have = settings[setting] if key is None else settings[setting][key]
            assert have == value, f"{row[1]} {setting}: {have!r}, the page says {value!r}"
    assert compared >= 3


@pytest.mark.parametrize("walk", ["remember", "recall"])
@pytest.mark.parametrize("name", presets.names())
def test_every_stage_and_every_setting_has_its_row(name: str, walk: str) -> None:
    def told(preset: str) -> tuple[set[str], set[tuple[str, str]]]:
        table = rows(section(section(PRESETS, f"## {preset}"), f"### {walk}"))[2:]
        settings = {(row[1].strip("`"), each[0]) for row in table for each in constants(row[2])}
        return {row[1].strip("`") for row in table}, settings

    stages, settings = told(name)
    mine = stages_of(presets.load(name), walk)
    repeated = stages_of(presets.load("mnemon"), walk) if name != "mnemon" else {}
    for stage, values in mine.items():
        if stage == "Transaction" or repeated.get(stage) == values:
            continue
        assert stage in stages
        for setting, value in values.items():
            # Settle's diff is the stage Diff, which has rows of its own.
            if setting != "diff" and repeated.get(stage, {}).get(setting) != value:
                assert (stage, setting) in settings, f"{name}: {stage}.{setting} has no row"


# -- files and tests -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_files_and_tests_that_the_architecture_names_exist() -> None:
    named = [each for each in code(ARCHITECTURE) if re.search(r"\.(py|sql|json|md|html)(::\w+)?$|/$", each)]
    assert len(named) > 50
    for each in named:
        place, _, test = each.partition("::")
        path = next((root / place for root in (PACKAGE, ROOT) if (root / place).exists()), None)
        assert path, f"{each} does not exist"
        if test:
            assert f"def {test}(" in path.read_text(encoding="utf-8"), each


def test_the_architecture_names_every_file_of_the_two_walks() -> None:
    named = set(code(ARCHITECTURE))
    files = [path for walk in ("remember", "recall", "designs") for path in (PACKAGE / walk).glob("*")]
    wanted = [path for path in files if not path.name.startswith("__")]
    missing = [
        path.name
        for path in wanted
        # The package of a design is named as a whole.
        if f"{path.parent.name}/{path.name}{'/' * path.is_dir()}" not in named
    ]
    assert missing == []


def test_the_architecture_names_every_room() -> None:
    named = set(code(ARCHITECTURE))
    rooms = [path for path in PACKAGE.iterdir() if path.name[0] != "_" and path.suffix in ("", ".py")]
    assert {f"{room.name}/" if room.is_dir() else room.name for room in rooms} - named == set()


def test_the_changelog_tells_of_this_version() -> None:
    newest = re.findall(r"^## \[([\d.]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[0]
    assert newest == __version__
