"""Set-up and eject on prepared configuration files of every client, in a home of its own."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from prepared import CASES, INVALID, TOKEN

from combray.agents.clients.files import CLIENTS
from combray.agents.clients.jsonedit import value_at
from combray.agents.clients.jsonsource import JSON5
from combray.agents.clients.places import Places, Wanted
from combray.agents.clients.wiring import carry_out, plan, unplan, write
from combray.errors import InvalidInputError

ALL = [(client, case) for client, cases in CASES.items() for case in cases]
WANTED = Wanted("/opt/my tools/combray", ("--store", "agent"))


class Home:
    """A temporary home folder and Combray's records in it."""

    def __init__(self, folder: Path, project: Path | None = None) -> None:
        self.home = folder / "home"
        self.records = folder / "records"
        self.home.mkdir(parents=True)
        self.places = Places("user", folder, self.home, {})
        if project is not None:
            self.places = dataclasses.replace(self.places, scope="project", project=project)

    def prepare(self, files: dict[str, str]) -> None:
        for path, text in files.items():
            place = self.home / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())

    def setup(self, client: str, wanted: Wanted = WANTED) -> int:
        changes = plan(client, self.places, wanted, self.records)
        return carry_out(client, self.places, changes, self.records, wanted)

    def eject(self, client: str) -> int:
        changes = unplan(client, self.places, Wanted(), self.records)
        return carry_out(client, self.places, changes, self.records)

    def tree(self) -> dict[str, bytes | None]:
        """Every file with its bytes, every folder with None."""
        return {
            str(each.relative_to(self.home)): each.read_bytes() if each.is_file() else None
            for each in sorted(self.home.rglob("*"))
        }


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def value(path: str, data: bytes) -> Any:
    text = data.decode("utf-8-sig")
    return tomllib.loads(text) if path.endswith(".toml") else value_at(text, (), JSON5)


def covers(whole: Any, part: Any) -> bool:
    """Whether everything of `part` is in `whole`; lists may have more elements behind."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            key in whole and covers(whole[key], each) for key, each in part.items()
        )
    if isinstance(part, list):
        return isinstance(whole, list) and all(map(covers, whole, part)) and len(whole) >= len(part)
    return bool(whole == part)


def configured(path: str) -> bool:
    return path.endswith((".json", ".toml"))


def test_there_are_at_least_twelve_prepared_files_for_every_client() -> None:
    assert set(CASES) == set(CLIENTS)
    for client, cases in CASES.items():
        assert len(cases) >= 12, client


@pytest.mark.parametrize(("client", "case"), ALL)
def test_setup_adds_and_eject_restores_every_byte(home: Home, client: str, case: str) -> None:
    home.prepare(CASES[client][case])
    before = home.tree()
    assert home.setup(client) > 0
    wired = home.tree()
    for path, data in before.items():
        if data is not None and data.decode("utf-8-sig").strip() and configured(path):
            old, new = value(path, data), value(path, wired[path] or b"")
            assert old is None or covers(new, old), path
    text = b"".join(each for each in wired.values() if each).decode("utf-8-sig")
    assert "/opt/my tools/combray" in text
    assert "--store" in text
    assert home.eject(client) > 0
    assert home.tree() == before
    assert not list(home.records.rglob("*originals/*"))


@pytest.mark.parametrize(("client", "case"), ALL)
def test_a_second_setup_changes_nothing(home: Home, client: str, case: str) -> None:
    home.prepare(CASES[client][case])
    home.setup(client)
    wired = home.tree()
    assert not any(each.changes for each in plan(client, home.places, WANTED, home.records))
    assert home.setup(client) == 0
    assert home.tree() == wired


@pytest.mark.parametrize(("client", "case"), ALL)
def test_lines_of_others_stay_as_they_are(home: Home, client: str, case: str) -> None:
    if case in ("one line", "minified", "minified hooks"):
        pytest.skip("the file has one line")
    home.prepare(CASES[client][case])
    before = home.tree()
    home.setup(client)
    for path, data in before.items():
        if data is None or not data.strip(b"{} \r\n"):
            continue
        after = ((home.home / path).read_bytes()).splitlines(keepends=True)
        for line in data.splitlines(keepends=True):
            bare = line.rstrip(b"\r\n")
            head, comment, tail = bare.partition(b"  //")
            spellings = (line, head + b"," + comment + tail + line[len(bare) :])
            empty = [bare.replace(pair, pair[:1]) for pair in (b"{}", b"[]") if pair in bare]
            found = any(each in after for each in spellings) or any(
                each.rstrip(b"\r\n").rstrip(b",") in (bare.rstrip(b","), *(e.rstrip(b",") for e in empty))
                for each in after
            )
            assert found, line


@pytest.mark.parametrize(("client", "case"), ALL)
def test_eject_after_edits_of_others_removes_only_our_entries(home: Home, client: str, case: str) -> None:
    files = CASES[client][case]
    home.prepare(files)
    before = home.tree()
    home.setup(client)
    edited = [path for path, text in files.items() if TOKEN in text]
    for path in edited:
        place = home.home / path
        place.write_bytes(place.read_bytes().replace(TOKEN.encode(), b"changed-by-me"))
    home.eject(client)
    after = home.tree()
    for path in edited:
        assert value(path, after[path] or b"") == value(
            path, (before[path] or b"").replace(TOKEN.encode(), b"changed-by-me")
        )
        assert b"combray" not in (after[path] or b"").lower().replace(b"[mcp_servers.combray]", b"")
    if edited and "empty containers" not in case:
        for path in edited:
            assert after[path] == (before[path] or b"").replace(TOKEN.encode(), b"changed-by-me"), path


@pytest.mark.parametrize("client", CASES)
def test_an_older_entry_of_ours_is_brought_up_to_date(home: Home, client: str) -> None:
    home.prepare(CASES[client]["foreign servers and hooks"])
    before = home.tree()
    home.setup(client, Wanted("combray"))
    # As if another machine had written it: no record here.
    for each in home.records.glob("*.json"):
        each.unlink()
    assert home.setup(client) > 0
    again = b"".join(each for each in home.tree().values() if each)
    assert b'"combray"' not in again.replace(b'"combray": {', b"").replace(b'id: "combray"', b"")
    assert not any(each.changes for each in plan(client, home.places, WANTED, home.records))
    home.eject(client)
    after = home.tree()
    assert {path: data for path, data in after.items() if data is not None} == {
        path: data for path, data in before.items() if data is not None
    }


@pytest.mark.parametrize("client", CASES)
def test_keys_that_a_user_adds_to_our_entry_survive_another_setup(home: Home, client: str) -> None:
    home.setup(client, Wanted("combray"))
    for path in (home.home / each for each, data in home.tree().items() if data and configured(each)):
        text = path.read_text()
        path.write_text(
            text.replace('"args": [', '"env": {"A": "b"},\n"args": [').replace(
                "args = ", 'env = {A = "b"}\nargs = '
            )
        )
    home.setup(client)
    text = "".join((home.home / each).read_text() for each, data in home.tree().items() if data)
    if client != "opencode":
        assert '"A": "b"' in text or 'A = "b"' in text
    assert "/opt/my tools/combray" in text


@pytest.mark.parametrize(
    ("client", "name"), [(client, name) for client, (_, texts) in INVALID.items() for name in texts]
)
def test_an_invalid_file_is_refused_and_nothing_is_written(home: Home, client: str, name: str) -> None:
    path, texts = INVALID[client]
    home.prepare({path: texts[name]})
    before = home.tree()
    with pytest.raises(InvalidInputError) as refused:
        home.setup(client)
    assert str(home.home / path) in str(refused.value)
    assert refused.value.remedy
    assert home.tree() == before
    assert not home.records.exists()


@pytest.mark.parametrize("client", CASES)
def test_a_read_only_file_is_refused(home: Home, client: str) -> None:
    files = CASES[client]["foreign servers and hooks"]
    home.prepare(files)
    before = home.tree()
    place = home.home / next(iter(files))
    place.chmod(0o444)
    with pytest.raises(InvalidInputError, match="read-only"):
        home.setup(client)
    assert home.tree() == before


@pytest.mark.parametrize("client", CASES)
def test_a_file_that_is_not_utf8_is_refused(home: Home, client: str) -> None:
    path = next(iter(CASES[client]["foreign servers and hooks"]))
    home.prepare({path: ""})
    (home.home / path).write_bytes(b"\xff\xfe{\x00}\x00")
    with pytest.raises(InvalidInputError, match="UTF-8"):
        home.setup(client)


@pytest.mark.parametrize("client", CASES)
def test_another_program_under_our_name_is_refused(home: Home, client: str) -> None:
    foreign = CASES[client]["foreign servers and hooks"]
    renamed = {
        path: text.replace('"files":', '"combray":').replace("mcp_servers.files", "mcp_servers.combray")
        for path, text in foreign.items()
    }
    home.prepare(renamed)
    before = home.tree()
    with pytest.raises(InvalidInputError, match="--name"):
        home.setup(client)
    assert home.tree() == before
    home.setup(client, dataclasses.replace(WANTED, name="memory"))
    home.eject(client)
    assert home.tree() == before


def test_the_hook_for_tools_delivers_what_cursor_recalled_and_captures_on_request(home: Home) -> None:
    home.setup("cursor")
    hooks = home.home / ".cursor/hooks.json"
    without = hooks.read_bytes()
    assert b'hook tool --client cursor --store agent"' in without
    home.setup("cursor", dataclasses.replace(WANTED, tools=True))
    assert b"--tools on" in hooks.read_bytes()
    home.setup("cursor")
    assert hooks.read_bytes() == without


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini-cli"])
def test_hooks_for_tools_come_and_go(home: Home, client: str) -> None:
    home.setup(client, dataclasses.replace(WANTED, tools=True))
    wired = [each for each in home.tree().values() if b"hook tool" in (each or b"")]
    assert wired
    assert all(b"--tools on" in (each or b"") for each in wired)
    home.setup(client)
    assert not any(b"hook tool" in (each or b"") for each in home.tree().values())


def test_a_skill_that_somebody_else_wrote_is_refused(home: Home) -> None:
    home.prepare({".claude/skills/combray/SKILL.md": "---\nname: combray\n---\nMine.\n"})
    with pytest.raises(InvalidInputError, match="not written by Combray"):
        home.setup("claude-code")


def test_a_skill_that_was_edited_stays(home: Home) -> None:
    home.setup("claude-code")
    skill = home.home / ".claude/skills/combray/SKILL.md"
    skill.write_text(skill.read_text() + "\nMine.\n")
    noted = [each.note for each in unplan("claude-code", home.places, WANTED, home.records) if each.note]
    assert noted == ["changed since the set-up; it stays"]
    home.eject("claude-code")
    assert list(home.tree()) == [
        ".claude",
        ".claude/skills",
        ".claude/skills/combray",
        ".claude/skills/combray/SKILL.md",
    ]


def test_a_hook_of_ours_in_a_group_of_somebody_else_is_found(home: Home) -> None:
    mine = {"type": "command", "command": "combray hook stop --client claude-code"}
    other = {"type": "command", "command": "./done.sh"}
    settings = {"hooks": {"Stop": [{"hooks": [other, mine]}]}}
    home.prepare({".claude/settings.json": json.dumps(settings, indent=2)})
    home.setup("claude-code")
    stop = value(".json", (home.home / ".claude/settings.json").read_bytes())["hooks"]["Stop"]
    line = "'/opt/my tools/combray' hook stop --client claude-code --store agent"
    assert stop == [{"hooks": [other, {"type": "command", "command": line, "timeout": 10}]}]
    home.eject("claude-code")
    assert value(".json", (home.home / ".claude/settings.json").read_bytes()) == {
        "hooks": {"Stop": [{"hooks": [other]}]}
    }


def test_a_link_stays_a_link(home: Home) -> None:
    real = home.home / "dotfiles.json"
    real.write_text("{}")
    (home.home / ".claude.json").symlink_to(real)
    home.setup("claude-code")
    assert (home.home / ".claude.json").is_symlink()
    assert "combray" in real.read_text()
    home.eject("claude-code")
    assert real.read_text() == "{}"


def test_the_mode_of_a_file_stays(home: Home) -> None:
    home.prepare({".claude.json": "{}"})
    place = home.home / ".claude.json"
    place.chmod(0o600)
    home.setup("claude-code")
    assert place.stat().st_mode & 0o777 == 0o600


def test_a_file_that_changes_between_preview_and_write_is_refused(home: Home) -> None:
    changes = plan("claude-code", home.places, WANTED, home.records)
    home.prepare({".claude.json": "{}"})
    with pytest.raises(InvalidInputError, match="in the meantime"):
        carry_out("claude-code", home.places, changes, home.records, WANTED)


def test_a_write_that_fails_takes_the_earlier_ones_back(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.prepare(CASES["claude-code"]["foreign servers and hooks"])
    before = {path: data for path, data in home.tree().items() if data}
    calls: list[Path] = []

    def failing(path: Path, data: bytes, **how: Any) -> list[str]:
        calls.extend([] if home.records in path.parents else [path])
        if len(calls) == 2:
            raise OSError(28, "No space left on device", str(path))
        return write(path, data, **how)

    monkeypatch.setattr("combray.agents.clients.wiring.write", failing)
    with pytest.raises(OSError, match="No space"):
        home.setup("claude-code")
    assert {path: data for path, data in home.tree().items() if data} == before


@pytest.mark.parametrize("client", [client for client in CASES if client != "openclaw"])
def test_a_project_gets_its_own_files(tmp_path: Path, client: str) -> None:
    project = tmp_path / "home" / "work" / "app"
    home = Home(tmp_path, project)
    project.mkdir(parents=True)
    before = home.tree()
    home.setup(client)
    made = [path for path, data in home.tree().items() if data]
    assert made
    assert all(path.startswith("work/app/") for path in made)
    home.eject(client)
    assert home.tree() == before


def test_openclaw_has_no_project(tmp_path: Path) -> None:
    home = Home(tmp_path, tmp_path / "app")
    with pytest.raises(InvalidInputError, match="--user"):
        home.setup("openclaw")


@pytest.mark.parametrize(
    ("client", "variable", "path"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("cursor", "CURSOR_CONFIG_DIR", "mcp.json"),
        ("openclaw", "OPENCLAW_STATE_DIR", "openclaw.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
        ("gemini-cli", "GEMINI_CLI_HOME", ".gemini/settings.json"),
    ],
)
def test_folders_come_from_the_environment(
    home: Home, tmp_path: Path, client: str, variable: str, path: str
) -> None:
    home.places = dataclasses.replace(home.places, environment={variable: str(tmp_path / "moved")})
    home.setup(client)
    assert (tmp_path / "moved" / path).is_file()


def test_opencode_keeps_the_form_of_its_second_version(home: Home) -> None:
    text = '{"mcp": {"servers": {"files": {"type": "local", "command": ["npx"]}}}}'
    home.prepare({".config/opencode/opencode.jsonc": text})
    home.setup("opencode")
    config = value(".json", (home.home / ".config/opencode/opencode.jsonc").read_bytes())
    assert config["mcp"]["servers"]["combray"] == {
        "type": "local",
        "command": ["/opt/my tools/combray", "mcp", "--store", "agent"],
    }
    assert not (home.home / ".config/opencode/opencode.json").exists()
