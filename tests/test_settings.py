"""Settings: caller before environment before file before default."""

from __future__ import annotations

from pathlib import Path

import pytest

from combray.errors import InvalidInputError
from combray.folders import data_folder
from combray.settings import SETTINGS, Settings, default_location, load


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for setting in SETTINGS:
        monkeypatch.delenv(setting.variable, raising=False)
    monkeypatch.delenv("COMBRAY_CONFIG", raising=False)
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path))
    return tmp_path


def test_defaults() -> None:
    assert load() == Settings()
    assert (load().namespace, load().preset, load().embedder) == ("default", "default", "wordllama")


def test_precedence(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (clean / "combray.toml").write_text('namespace = "file"\npreset = "mnemon"\nmax_memories = 5\n')
    monkeypatch.setenv("COMBRAY_NAMESPACE", "environment")
    monkeypatch.setenv("COMBRAY_MAX_MEMORIES", "6")
    found = load({"max_memories": 7, "durability": None})
    assert (found.preset, found.namespace, found.max_memories) == ("mnemon", "environment", 7)
    assert found.durability == "normal"


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch, clean: Path) -> None:
    (clean / "combray.toml").write_text('namespace = "file"\n')
    monkeypatch.setenv("COMBRAY_NAMESPACE", "")
    monkeypatch.setenv("COMBRAY_CONFIG", "")
    assert load().namespace == "file"


def test_numbers_come_out_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_BUSY_TIMEOUT", "2.5")
    monkeypatch.setenv("COMBRAY_MAX_MEMORIES", "0")
    assert (load().busy_timeout, load().max_memories) == (2.5, 0)


@pytest.mark.parametrize(
    ("variable", "value", "field"),
    [
        ("COMBRAY_MAX_MEMORIES", "many", "max_memories"),
        ("COMBRAY_MAX_MEMORIES", "1.5", "max_memories"),
        ("COMBRAY_BUSY_TIMEOUT", "soon", "busy_timeout"),
        ("COMBRAY_DURABILITY", "paranoid", "durability"),
    ],
)
def test_bad_values_are_named(monkeypatch: pytest.MonkeyPatch, variable: str, value: str, field: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidInputError, match=value) as caught:
        load()
    assert caught.value.field == field


def test_bad_files_are_named(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = clean / "combray.toml"
    file.write_text("namespace = ")
    with pytest.raises(InvalidInputError, match="cannot be read as TOML"):
        load()
    file.write_text('name_space = "x"')
    with pytest.raises(InvalidInputError, match="name_space: is not a setting"):
        load()
    monkeypatch.setenv("COMBRAY_CONFIG", str(clean / "missing.toml"))
    with pytest.raises(InvalidInputError, match="there is no file"):
        load()


def test_a_named_file_wins_over_the_folders(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (clean / "combray.toml").write_text('namespace = "folder"\n')
    named = clean / "other.toml"
    named.write_text('namespace = "named"\n')
    monkeypatch.setenv("COMBRAY_CONFIG", str(named))
    assert load().namespace == "named"


def test_every_setting_has_a_variable_and_a_line_of_help() -> None:
    assert {setting.name for setting in SETTINGS} == set(Settings.__struct_fields__)
    assert all(setting.variable == f"COMBRAY_{setting.name.upper()}" for setting in SETTINGS)
    assert all(setting.help and "\n" not in setting.help for setting in SETTINGS)


def test_where_stores_live(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_location() == str(clean / "default.db")
    monkeypatch.setenv("COMBRAY_HOME", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(clean / "share"))
    assert Path(data_folder()) == clean / "share" / "combray"


def test_a_switch_that_may_be_unset_names_the_values_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_WORKER", "maybe")
    with pytest.raises(InvalidInputError, match=r"worker: 'maybe' is invalid \(Expected `bool`, got `str`\)"):
        load({})
