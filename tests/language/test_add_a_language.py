"""The how-to page "Add a language", executed step by step."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import combray
from combray.language import tables
from combray.language.dates import has_time_expression
from combray.language.intent import Intent, detect

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "add-a-language.md"
_FILE = re.compile(r"^`(languages/\S+\.json)`\n\n```json\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that the page's steps make, in the current directory."""
    for name, text in _FILE.findall(PAGE.read_text(encoding="utf-8")):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "languages"
    for folder in (Path("languages"), tmp_path / "languages"):
        tables.remove_folder(folder)


def test_the_steps_of_the_page_add_a_language(languages: Path) -> None:
    assert sorted(path.name for path in languages.glob("eo/*")) == [
        "dates.json",
        "phrases.json",
        "words.json",
    ]
    (code,) = _CODE.findall(PAGE.read_text(encoding="utf-8"))
    exec(compile(code, PAGE.name, "exec"), {})


def test_the_setting_adds_a_language(languages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert detect("kial la ŝipo dronis") is Intent.GENERAL
    monkeypatch.setenv("COMBRAY_LANGUAGES", str(languages))
    with combray.open(":memory:", embedder="none") as engine:
        assert detect("kial la ŝipo dronis") is Intent.WHY
        assert has_time_expression("hieraŭ")
        engine.remember("la ŝipo estas en la haveno")
        assert len(engine.search("ŝipo")) == 1


def test_the_index_is_rebuilt_when_the_languages_change(languages: Path, tmp_path: Path) -> None:
    (languages / "eo" / "words.json").write_text('{"forms": {"iri": ["iris", "iras"]}}', encoding="utf-8")
    with combray.open(tmp_path / "store.db", embedder="none") as engine:
        engine.remember("Petro iris hejmen")
        assert not engine.search("iras")
    tables.add_folder(languages)
    with combray.open(tmp_path / "store.db", embedder="none") as engine:
        assert len(engine.search("iras")) == 1
        assert all(finding.ok for finding in engine.store.doctor())
    tables.remove_folder(languages)
    with combray.open(tmp_path / "store.db", embedder="none") as engine:
        assert not engine.search("iras")


def test_the_page_lists_every_section() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(tables.SECTIONS)


def test_a_file_that_is_no_section_is_named(languages: Path) -> None:
    (languages / "eo" / "date.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"eo/date\.json: is not a section.*dates"):
        tables.add_folder(languages)


def test_every_shipped_file_is_a_section() -> None:
    shipped = Path(tables.__file__).parent.glob("*/*.json")
    assert {path.stem for path in shipped} <= {*tables.SECTIONS, "phrases"}


def test_a_language_has_a_few_files() -> None:
    for folder in Path(tables.__file__).parent.glob("[a-z][a-z]"):
        assert len(list(folder.glob("*.json"))) <= 6, folder.name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"topic": {}}', r"eo/phrases\.json: 'topic': is not a section.*topics"),
        ('{"dates": {}}', r"eo/phrases\.json: 'dates': is also in dates\.json"),
        ('{"topics"', r"eo/phrases\.json: cannot be read"),
    ],
)
def test_a_wrong_file_of_phrases_is_named(languages: Path, text: str, message: str) -> None:
    (languages / "eo" / "phrases.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        tables.add_folder(languages)


def test_no_code_of_a_language_is_in_the_code() -> None:
    # An English ending of plurals is spelt like the code of Spanish.
    shipped = {each.name for each in Path(tables.__file__).parent.glob("[a-z][a-z]")} - {"es"}
    for path in Path(tables.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert node.value not in shipped, f"{path.name}:{node.lineno}"
