"""combray consolidate: plan, run, runs, undo, and standing by."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from shell import Shell

TEA = "The user likes green tea with honey"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


@pytest.fixture
def twins(shell: Shell) -> tuple[str, str]:
    """Two facts that say the same in the same words."""
    return shell.remember(TEA), shell.remember("User likes green tea, with honey", "--no-diff")


def test_a_dry_run_shows_what_a_run_then_does(shell: Shell, twins: tuple[str, str]) -> None:
    told = shell.json("consolidate", "--dry-run")
    assert shell.json("get", twins[0])["status"] == shell.json("get", twins[1])["status"] == "active"
    done = shell.json("consolidate")
    assert told["plan"] == done["plan"]
    assert (told["dry_run"], done["dry_run"]) == (True, False)
    assert done["counts"] == {"merge": 1}
    assert done["waiting"] == []
    assert {shell.json("get", each)["status"] for each in twins} == {"active", "merged"}
    assert shell.json("consolidate")["counts"] == {}


def test_a_run_is_listed_and_taken_back(shell: Shell, twins: tuple[str, str]) -> None:
    run = shell.json("consolidate")["run_id"]
    (listed,) = shell.json("consolidate", "--runs")
    assert (listed["run_id"], listed["state"], listed["counts"]) == (run, "done", {"merge": 1})
    undone = shell.json("consolidate", "--undo", run[:23])
    assert len(undone["restored"]) == 1
    assert {shell.json("get", each)["status"] for each in twins} == {"active"}
    again = shell.run("consolidate", "--undo", run)
    assert again.exit_code == 1
    assert "undone already" in again.stderr


def test_what_an_undo_refuses_is_named_with_exit_code_1(shell: Shell, twins: tuple[str, str]) -> None:
    run = shell.json("consolidate")["run_id"]
    (gone,) = [each for each in twins if shell.json("get", each)["status"] == "merged"]
    shell.json("restore", gone)
    refused = shell.run("consolidate", "--undo", run)
    assert refused.exit_code == 1
    assert json.loads(refused.stdout)["refused"][0]["memory_id"] == gone


def test_in_a_terminal_the_plan_is_a_table(shell: Shell, twins: tuple[str, str]) -> None:
    shown = shell.in_terminal("consolidate", "--dry-run", width=160)
    assert "merge" in shown
    assert TEA in shown or "User likes green tea, with honey" in shown
    assert "Would be done: 1 merge." in shown
    shown = shell.in_terminal("consolidate", width=160)
    assert "Done: 1 merge." in shown
    assert "combray consolidate --undo" in shown
    assert "Done: nothing." in shell.in_terminal("consolidate")
    assert "1 merge" in shell.in_terminal("consolidate", "--runs", width=160)


def test_the_cap_is_told(shell: Shell, twins: tuple[str, str]) -> None:
    done = shell.json("consolidate", "--most", "0")
    assert (done["counts"], done["skipped_because_of_cap"]) == ({}, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--dry-run", "--runs"), "exclude one another"),
        (("--every", "soon"), "is not a duration"),
        (("--most", "-1"), "-1"),
    ],
)
def test_bad_usage_is_told(shell: Shell, twins: tuple[str, str], arguments: tuple[str, ...], said: str) -> None:
    result = shell.run("consolidate", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_unknown_run_and_a_missing_store_are_told(shell: Shell) -> None:
    assert shell.run("consolidate").exit_code == 1
    shell.remember(TEA)
    result = shell.run("consolidate", "--undo", "no-such-run")
    assert result.exit_code == 1
    assert "no run 'no-such-run'" in result.stderr


def test_a_standing_process_runs_again_and_ends_when_it_is_stopped(shell: Shell, twins: tuple[str, str]) -> None:
    standing = subprocess.Popen(
        shell.command("consolidate", "--every", "1s"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 120
        while len(shell.json("consolidate", "--runs")) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.2)
    finally:
        standing.send_signal(signal.SIGINT)
        standing.communicate(timeout=90)
    assert standing.returncode == 130
    assert {shell.json("get", each)["status"] for each in twins} == {"active", "merged"}


def test_pairs_in_doubt_are_shown_for_review(shell: Shell) -> None:
    shell.monkeypatch.setenv("COMBRAY_EMBEDDER", "wordllama")
    pair = ("User likes hot green tea with wild honey", "User drinks hot green tea with wild honey")
    for text in pair:
        assert shell.remember(text, "--no-diff")
        assert shell.json("review", "--doubtful") == []
    shell.run("consolidate")
    (doubt,) = shell.json("review", "--doubtful")
    assert (doubt["first"]["content"], doubt["second"]["content"]) == pair
    assert doubt["reason"] == "alike, and not the same"
    assert "User drinks" in shell.in_terminal("review", "--doubtful", width=160)
    both = shell.run("review", "--doubtful", "--quarantined")
    assert (both.exit_code, "exclude each other" in both.output) == (2, True)
