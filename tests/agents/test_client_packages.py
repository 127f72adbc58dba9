"""The packages in `clients/`: valid by their schemas, of this version, and what they call exists."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from combray import __version__
from combray.agents.clients.pieces import is_hook, starts_combray
from combray.interfaces.cli.verbs import VERBS
from pages import packages

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "clients"
SCHEMAS = Path(__file__).parent / "schemas"


def loaded(path: str) -> Any:
    return json.loads((CLIENTS / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", packages.FILES)
def test_what_is_committed_is_what_the_command_makes(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == packages.FILES[path]()


def test_nothing_else_is_in_the_folder() -> None:
    # The client in another language is written by hand.
    found = {path.relative_to(ROOT) for path in CLIENTS.rglob("*") if path.is_file()}
    assert {str(each) for each in found if each.parts[1] != "typescript"} == set(packages.FILES)


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        ("mcpb/manifest.json", "mcpb-manifest-0.4.schema.json"),
        ("server.json", "server-2025-12-11.schema.json"),
    ],
)
def test_it_is_valid_by_its_schema(path: str, schema: str) -> None:
    rules = json.loads((SCHEMAS / schema).read_text(encoding="utf-8"))
    checker = jsonschema.Draft7Validator(rules, format_checker=jsonschema.FormatChecker())
    assert [error.message for error in checker.iter_errors(loaded(path))] == []
    assert list(checker.iter_errors({"name": 1}))


def test_every_manifest_has_this_version() -> None:
    assert loaded("claude-code/.claude-plugin/plugin.json")["version"] == __version__
    assert loaded("mcpb/manifest.json")["version"] == __version__
    entry = loaded("server.json")
    assert entry["version"] == entry["packages"][0]["version"] == __version__
    project = tomllib.loads((CLIENTS / "mcpb/pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == [f"combray[mcp]=={__version__}"]


def test_the_plugin_is_where_the_marketplace_says() -> None:
    market = loaded(".claude-plugin/marketplace.json")
    (plugin,) = market["plugins"]
    manifest = loaded(f"{plugin['source']}/.claude-plugin/plugin.json")
    assert plugin["name"] == manifest["name"] == "combray"
    assert market["owner"] == manifest["author"]


def test_the_hooks_of_the_plugin_call_verbs_that_exist() -> None:
    hooks = loaded("claude-code/hooks/hooks.json")["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd"}
    for (group,) in hooks.values():
        (hook,) = group["hooks"]
        assert is_hook(hook)
        assert shlex.split(hook["command"])[-2:] == ["--client", "claude-code"]


def test_the_servers_are_combray() -> None:
    server = loaded("claude-code/.mcp.json")["mcpServers"]["combray"]
    assert starts_combray(server["command"], server["args"])
    (package,) = loaded("server.json")["packages"]
    assert [each["value"] for each in package["packageArguments"]] == ["mcp"]
    assert "mcp" in VERBS
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [each["value"] for each in package["runtimeArguments"]] == project["optional-dependencies"]["mcp"]
    compile((CLIENTS / "mcpb/server.py").read_text(encoding="utf-8"), "server.py", "exec")


@pytest.mark.parametrize("path", ["claude-code/skills/combray/SKILL.md", "skill/combray/SKILL.md"])
def test_the_skill_has_a_name_and_a_description(path: str) -> None:
    text = (CLIENTS / path).read_text(encoding="utf-8")
    head = re.match(r"---\nname: (.+)\ndescription: (.+)\n---\n", text)
    assert head is not None
    # https://agentskills.io: the name of the folder, and at most 1024 characters.
    assert head[1] == Path(path).parent.name
    assert 0 < len(head[2]) <= 1024


def test_the_bundle_has_what_its_manifest_names_and_is_made_alike_each_time(tmp_path: Path) -> None:
    first, second = packages.bundle(tmp_path / "a"), packages.bundle(tmp_path / "b")
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert {manifest["server"]["entry_point"], "pyproject.toml", "LICENSE"} <= set(archive.namelist())
    assert set(re.findall(r"\$\{user_config\.(\w+)\}", json.dumps(manifest))) == set(manifest["user_config"])
