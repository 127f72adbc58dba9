"""A short run of every fuzz target, and the inputs that once broke one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.fuzz import mutating
from bench.fuzz.drawing import LONGEST, Draw
from bench.fuzz.guided import read
from bench.fuzz.judging import Judge
from bench.fuzz.target import Target
from bench.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[2]
SLOW_TO_START = {"mcp": 5, "recall": 5, "store": 10, "import": 10}
"""Examples of targets that take long for each."""


def judged(target: Target, folder: Path) -> Judge:
    (folder / "work").mkdir()
    return Judge(target, target.open(folder / "work"), folder)


def said(judge: Judge) -> str:
    path = judge.folder / "findings.jsonl"
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_but_promised_errors_comes_out(name: str, tmp_path: Path) -> None:
    judge = judged(TARGETS[name], tmp_path)
    # Those that repeat a piece 20,000 times are for the long run.
    for seed in [each for each in TARGETS[name].seeds() if each[:1] != b"\x05"][:6]:
        judge(seed)

    @settings(
        max_examples=SLOW_TO_START.get(name, 25),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.binary(max_size=400))
    def attack(data: bytes) -> None:
        judge(data)

    attack()
    assert said(judge) == ""


REGRESSIONS = {
    # An environment variable with bytes that are no UTF-8: UnicodeEncodeError out of the settings.
    "settings": b"\x01\x00\x00\x05abc\xc9d",
    # A tokenizer that lacks its own [UNK]: a plain Exception out of the tokenizers library.
    "tokenizer": json.dumps(
        {
            "version": "1.0",
            "model": {"type": "WordLevel", "vocab": {"red": 1}, "unk_token": "[UNK]"},
            "added_tokens": [],
            "normalizer": None,
            "pre_tokenizer": None,
            "post_processor": None,
            "decoder": None,
            "truncation": None,
            "padding": None,
        }
    ).encode(),
    # An author of blanks alone: IndexError in the reading of every question.
    "questions": b"\x01\x00\x00\x02  \x00Who?",
    # 20,000 digits, and as many line ends: the time grew with the square.
    "readers": b"\x051",
}


@pytest.mark.parametrize("name", REGRESSIONS)
def test_what_once_broke_is_mended(name: str, tmp_path: Path) -> None:
    judge = judged(TARGETS[name], tmp_path)
    judge(REGRESSIONS[name])
    assert said(judge) == ""


def _broken(data: bytes) -> object:
    if data[:2] == b"ab":
        raise KeyError(data[2:3])
    return len(data)


BROKEN = Target("broken", "", lambda _: _broken, lambda: [b"xb", b"axxx"], ("bench.fuzz",))


def test_a_finding_is_kept_once_with_its_input(tmp_path: Path) -> None:
    judge = judged(BROKEN, tmp_path)
    for data in (b"abc", b"abd", b"x"):
        judge(data)
    (found,) = [json.loads(line) for line in said(judge).splitlines()]
    assert found["kind"].startswith("KeyError at ")
    assert (tmp_path / f"{found['input']}.input").read_bytes() == b"abc"


def test_an_answer_that_changes_is_a_finding(tmp_path: Path) -> None:
    answers = iter(range(1000))
    judge = judged(Target("unsteady", "", lambda _: lambda _: next(answers), list, ()), tmp_path)
    for number in range(64):
        judge(bytes([number]))
    assert "differs" in said(judge)


def test_the_plain_engine_finds_its_way_to_a_branch(tmp_path: Path) -> None:
    judge = judged(BROKEN, tmp_path)
    ran = mutating.run(BROKEN, 1.0, judge, seed=1)
    assert judge.found
    assert ran.executions > 10


def test_figures_are_read_from_the_log_of_the_guided_engine() -> None:
    log = (
        "#31\tINITED cov: 115 ft: 300 corp: 20/1b exec/s: 0 rss: 45Mb\n"
        "#4096\tNEW    cov: 120 ft: 330 corp: 25/1b lim: 325 exec/s: 99 rss: 46Mb\n"
        "#9000\tDONE   cov: 128 ft: 360 corp: 30/1b lim: 1250 exec/s: 100 rss: 50Mb\n"
    )
    ran = read(log, 0)
    assert (ran.executions, ran.coverage, ran.corpus, ran.memory, ran.crashed) == (9000, (115, 128), 30, 50, "")
    assert (
        read(log + "==7== ERROR: libFuzzer: timeout after 60 seconds\n", 70).crashed == "timeout after 60 seconds"
    )


def test_values_are_drawn_from_bytes_alone() -> None:
    assert Draw(b"\x00ab\xff").text() == "ab\ufffd"
    assert Draw(b"\x01ab\xff").text() == "ab\udcff"
    assert Draw(b"\x05ab").text() == "ab" * (LONGEST // 2)
    assert [Draw(b"").text(), Draw(b"").byte(), Draw(b"").whole(9)] == ["", 0, 0]
    assert Draw(bytes(range(256))).value() == Draw(bytes(range(256))).value()


def test_the_command_lists_its_targets() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.fuzz", "list"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(TARGETS)
