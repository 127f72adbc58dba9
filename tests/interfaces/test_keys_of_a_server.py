"""The verb `keys`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shell import Shell

from combray.server import keys


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setattr(keys, "_COST", 1)
    return Shell(tmp_path, monkeypatch)


def test_a_key_is_created_listed_rotated_and_revoked(shell: Shell) -> None:
    made = shell.json("keys", "create", "ann", "--role", "write", "-n", "team", "--namespace", "ann")
    assert keys.FORM.fullmatch(made["key"])
    assert (made["role"], made["namespaces"], made["expires"]) == ("write", ["team", "ann"], None)
    listed = shell.json("keys", "list")
    assert listed == shell.json("keys") == [{name: made[name] for name in made if name != "key"}]
    rotated = shell.json("keys", "rotate", "ann", "--grace", "24h")
    assert rotated["key"] != made["key"]
    assert [(each["id"], each["replaced"]) for each in shell.json("keys")] == [
        (made["id"], True),
        (rotated["id"], False),
    ]
    ended = shell.run("keys", "revoke", "ann")
    assert json.loads(ended.stdout) == {"name": "ann", "status": "revoked", "keys": 0}
    assert "the store has no key now" in ended.stderr
    assert shell.json("keys") == []


def test_the_audit_names_each_change_of_a_key_and_who_made_it(shell: Shell) -> None:
    made = shell.json("keys", "create", "ann", "--role", "write", "-n", "team")
    rotated = shell.json("keys", "rotate", "ann", "--grace", "24h")
    shell.run("keys", "revoke", "ann")
    shell.run("keys", "list")
    entries = shell.json("audit", "show")[::-1]
    assert [(each["operation"], each["detail"]) for each in entries if each["operation"].startswith("keys")] == [
        ("keys create", {"name": "ann", "keys": [made["id"]], "role": "write", "namespaces": ["team"]}),
        ("keys rotate", {"name": "ann", "keys": [rotated["id"]], "replaced": [made["id"]], "grace": 86400}),
        ("keys revoke", {"name": "ann", "keys": [made["id"], rotated["id"]]}),
    ]
    assert all(each["actor"] for each in entries)
    assert made["key"].rpartition("_")[2] not in json.dumps(entries)


def test_a_terminal_shows_the_key_once_on_a_line_of_its_own(shell: Shell) -> None:
    shown = shell.in_terminal("keys", "create", "ann", "-n", "team", "--expires", "90d", width=40)
    key = next(line for line in shown.splitlines() if line.startswith("cmb_"))
    assert keys.FORM.fullmatch(key)
    assert "ann may read in team, until" in shown
    assert "not shown again" in shown
    secret = key.rpartition("_")[2]
    listed = shell.in_terminal("keys", "list", width=120)
    assert "never" in listed
    ring = keys.KeyRing(keys.ring_path(""))
    for hidden in (secret, ring.listed()[0].hash):
        assert hidden not in listed + shell.run("keys").output
    assert "There is no key in" in shell.in_terminal("keys", "--store", "other")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("create", "ann"), "Name at least one --namespace, or give --all-namespaces."),
        (("create", "ann", "-n", "a", "--all-namespaces"), "Name at least one --namespace"),
        (("create", "ann", "-n", "a", "--role", "owner"), "'owner' is not one of"),
        (("create", "ann", "-n", "a", "--expires", "soon"), "'soon' is not a duration"),
        (("create", "ann", "-n", " "), "namespace: ' ' cannot be used"),
        (("create", "a b", "-n", "a"), "name: 'a b' cannot be used. Use 1 to 64 letters"),
        (("create", "ann", "-n", "a", "--db", ":memory:"), "is a store in memory, which has no keys"),
        (("rotate", "bob"), "name: 'bob' has no key. See: combray keys list"),
        (("revoke", "bob"), "'bob' has no key"),
    ],
)
def test_a_wrong_call_says_what_to_do(arguments: tuple[str, ...], words: str, shell: Shell) -> None:
    failed = shell.run("keys", *arguments)
    assert failed.exit_code in (1, 2)
    assert words in " ".join(failed.stderr.split())
    assert failed.stdout == ""


def test_keys_that_others_may_read_are_refused(shell: Shell) -> None:
    shell.json("keys", "create", "ann", "--all-namespaces")
    place = shell.folder / "default.db.keys.json"
    place.chmod(0o644)
    failed = shell.run("keys", "list")
    assert failed.exit_code == 1
    assert f"is open to other accounts of this machine (mode 644). Run: chmod 600 {place}" in failed.stderr


def test_the_setting_names_another_file(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_SERVER_KEYS", str(tmp_path / "team.json"))
    shell.json("keys", "create", "ann", "--all-namespaces", "--db", "postgresql://host/db")
    assert (tmp_path / "team.json").exists()
    assert [each["name"] for each in shell.json("keys")] == ["ann"]
