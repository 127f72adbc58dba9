"""Settling in the shell: the verb, the questions of a terminal, lists, chains and marks."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import repeat
from pathlib import Path

import pytest
from shell import Shell

import combray
from combray import Hit
from combray.interfaces.cli import review
from combray.interfaces.cli.output import marked
from combray.runtime import Link


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


def asked(shell: Shell, new: str, old: str, score: float = 0.81) -> None:
    """Raise the question whether the new memory changes the old one."""
    with (
        combray.open(shell.folder / "default.db", worker=False) as engine,
        engine.runtime.store.transaction(engine.namespace) as tx,
    ):
        keys = tx.keys_of([new, old])
        tx.link([Link(keys[new], keys[old], "may_revise", score, reason="another place")], 0.0)


def pair(shell: Shell) -> tuple[str, str]:
    old = shell.remember("I live in Leipzig", "--occurred-at", "2025-09-03", "--no-diff")
    new = shell.remember("Big news: Porto it is", "--occurred-at", "2026-02-11", "--no-diff")
    asked(shell, new, old)
    return new, old


def typed(shell: Shell, keys: Sequence[str], *arguments: str) -> tuple[int, str]:
    """Run in a pseudo-terminal, with what is typed at each question; the exit code and the screen."""
    import pty
    import termios

    screen, terminal = pty.openpty()
    running = subprocess.Popen(
        shell.command(*arguments), stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True
    )
    os.close(terminal)
    said, left = b"", list(keys)
    try:
        # A question without a key would wait for ever.
        while select.select([screen], [], [], 90)[0] and (chunk := os.read(screen, 4096)):
            said += chunk
            if left and said.endswith(b"(l)ater? "):
                # A key that is typed before the terminal reads single keys is thrown away.
                while termios.tcgetattr(screen)[3] & termios.ICANON:
                    time.sleep(0.01)
                os.write(screen, left.pop(0).encode())
    except OSError:
        # Linux's way of saying that the other side has closed.
        pass
    finally:
        os.close(screen)
    return running.wait(timeout=180), said.decode()


def test_a_verdict_and_its_undo(shell: Shell) -> None:
    new, old = pair(shell)
    done = shell.json("settle", new, old, "supersedes", "--reason", "he said so")
    assert done == {"new": new, "old": old, "verdict": "supersedes", "undone": ""}
    assert shell.json("get", old)["superseded_by"] == new
    said = shell.in_terminal("settle", new[:23], old[:23], "both", width=200)
    assert "both hold (supersedes is taken back)." in said
    assert shell.json("get", old)["status"] == "active"
    assert shell.json("settle", new, old, "open")["undone"] == "both"
    refused = shell.run("settle", new, new, "same")
    assert (refused.exit_code, "Name two memories" in refused.output) == (1, True)
    assert shell.run("settle", new, old, "wins").exit_code == 2


def test_open_pairs_as_json_and_in_a_table(shell: Shell) -> None:
    shell.remember("tea")
    assert shell.json("review", "--changes") == []
    assert "No memory waits to be settled." in shell.in_terminal("review", "--changes")
    new, old = pair(shell)
    (found,) = shell.json("review", "--changes")
    assert (found["new"]["id"], found["old"]["id"]) == (new, old)
    assert (found["score"], found["reason"]) == (0.81, "another place")
    shown = shell.in_terminal("review", "--changes", width=200)
    assert all(each in shown for each in ("0.81", "Porto", "Leipzig", new, old, "combray settle NEW OLD"))
    assert "Memories may be outdated: combray review --changes" in shell.in_terminal("review")
    assert shell.run("review", "--changes", "--doubtful").exit_code == 2


def test_a_real_terminal_asks_one_key_for_each_pair(shell: Shell) -> None:
    new, old = pair(shell)
    third = shell.remember("Unpacked in Jena", "--no-diff")
    asked(shell, third, new, 0.5)
    code, said = typed(shell, "ll", "review", "--changes")
    assert code == 0
    assert "2025-09-03" in said
    assert "(s)upersedes, (b)oth, (c)orrects, s(a)me, (l)ater? later" in said
    assert len(shell.json("review", "--changes")) == 2
    code, said = typed(shell, "sb", "review", "--changes")
    assert (code, "is superseded" in said, "both hold" in said) == (0, True, True)
    assert shell.json("get", old)["superseded_by"] == new
    assert shell.json("review", "--changes") == []


def test_a_pair_that_an_answer_before_has_settled_is_not_asked_about(shell: Shell) -> None:
    new, old = pair(shell)
    third = shell.remember("Unpacked in Jena", "--no-diff")
    asked(shell, third, old, 0.7)
    asked(shell, third, new, 0.5)
    code, said = typed(shell, "ss", "review", "--changes")
    assert (code, said.count("ater? ")) == (0, 2)
    assert [shell.json("get", each)["superseded_by"] for each in (old, new)] == [new, third]


def test_keys_that_come_at_once_and_keys_that_mean_nothing(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    new, old = pair(shell)
    code, said = typed(shell, ["xb"], "review", "--changes")
    assert (code, "both hold" in said) == (0, True)
    assert shell.json("settle", new, old, "open")["undone"] == "both"
    # Arrow up ends in an A, the key for "same".
    keys = iter(["\x1b[A", "?", "C"])
    monkeypatch.setattr("click.getchar", lambda: next(keys))
    assert review._answered() == "corrects"


@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_ctrl_c_leaves_the_rest_for_later(shell: Shell, key: str) -> None:
    new, old = pair(shell)
    asked(shell, shell.remember("Unpacked in Jena", "--no-diff"), new, 0.5)
    code, said = typed(shell, key, "review", "--changes")
    assert (code, said.count("ater? ")) == (0, 1)
    assert shell.json("get", old)["status"] == "active"
    code, said = typed(shell, "cl", "review", "--changes")
    assert (code, "it was never true" in said) == (0, True)
    assert shell.json("history", old, "--chain")[0]["verdict"] == "corrects"
    assert new in shell.in_terminal("history", old, width=200)


def test_remember_takes_verdicts_and_a_slot(shell: Shell) -> None:
    first = shell.remember("Ana lives in Leipzig", "--slot", "ana.city")
    other, third = shell.remember("tea"), shell.remember("coffee")
    done = shell.json("remember", "Porto", "--slot", "Ana.City", "--keep-both", other, "--supersedes", third)
    assert done["action"] == "replaced"
    listed = shell.json("list", "--where", '{"slot": "ana.city"}')["memories"]
    assert [each["id"] for each in listed] == [done["id"]]
    by = [shell.json("get", each)["superseded_by"] for each in (first, other, third)]
    assert by == [done["id"], None, done["id"]]
    chain = shell.json("history", first, "--chain")
    assert [each["content"] for each in chain] == ["Ana lives in Leipzig", "coffee", "Porto"]
    assert chain[0]["by"] == done["id"]
    assert "by" not in chain[2]
    assert shell.run("remember", "Rome", "--slot", "no slot").exit_code == 2
    assert shell.json("update", done["id"], "--slot", "")["slot"] is None
    assert "replaced no memory" in shell.in_terminal("history", other, "--chain")
    assert "superseded by" in shell.in_terminal("history", first, width=200)


def test_marks_of_a_hit(shell: Shell) -> None:
    new, old = pair(shell)
    with combray.open(shell.folder / "default.db", worker=False) as engine:
        memory = engine.get(old)
    assert marked(Hit(memory, 1.0, {}, "words", may_be_outdated_by=new)) == {"may_be_outdated_by": new}
    assert marked(Hit(memory, 1.0, {}, "words")) == {}
    shell.json("settle", new, old, "supersedes")
    hits = shell.json("recall", "Where do I live? Leipzig")["results"]
    assert all(hit["insight"]["id"] != old for hit in hits)


def test_remember_asks_at_a_real_terminal_and_lists_what_it_would_ask_otherwise(shell: Shell) -> None:
    old = shell.remember("I live in Leipzig.", "--author", "Ana", "--occurred-at", "2025-09-03")
    for text in ("My sister plays the cello", "I like green tea"):
        shell.remember(text, "--author", "Ana", "--occurred-at", "2025-10-01")
    arguments = ("remember", "I live in Porto now.", "--author", "Ana")
    code, said = typed(shell, "slll", *arguments)
    assert (code, "This may change:" in said, "is superseded" in said) == (0, True, True)
    assert shell.json("get", old)["status"] == "superseded"
    now = shell.json("list", "--where", '{"author": "Ana"}')["memories"][0]
    shell.json("settle", now["id"], old, "open")
    shell.run("erase", now["id"], "--yes")
    done = shell.json(*arguments)
    assert done["may_revise"][0]["id"] == old
    shell.run("erase", done["id"], "--yes")
    shown = shell.in_terminal(*arguments, width=200)
    assert "This may change:" in shown
    assert f"{old} VERDICT" in shown


def test_the_shell_answers_as_of_a_day(shell: Shell) -> None:
    days = ("2025-09-03", "2026-02-11")
    for day, text in zip(days, ("I live in Leipzig.", "I live in Porto now."), strict=True):
        moment = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
        with combray.open(shell.folder / "default.db", worker=False, clock=repeat(moment).__next__) as engine:
            done = engine.remember(text, author="Ana")
            for each in done.may_revise:
                engine.settle(done.id, each.id, "supersedes")
    for verb in ("recall", "context", "think"):
        for day, city in (("2025-12-01", "Leipzig"), ("2026-03-01", "Porto")):
            found = shell.run(verb, "Where does Ana live?", "--as-of", day).stdout
            assert [each in found for each in ("Leipzig", "Porto")] == [
                each == city for each in ("Leipzig", "Porto")
            ]
