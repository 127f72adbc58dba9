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
from bench.fuzz.drawing import LONGEST, SPREAD, Draw
from bench.fuzz.guided import read
from bench.fuzz.judging import Judge
from bench.fuzz.target import Target
from bench.fuzz.targets import TARGETS
from bench.fuzz.targets.logs import sealed
from bench.fuzz.targets.prompts import remembered
from bench.fuzz.targets.texts import prefixed

ROOT = Path(__file__).parents[2]
SLOW_TO_START = {"mcp": 5, "recall": 5, "store": 10, "import": 10, "cli": 8, "rows": 6, "night": 6, "picture": 8}
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
    for seed in TARGETS[name].seeds()[:6]:
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


# Without its own [UNK]: a plain Exception out of the tokenizers library.
_TOKENIZER: dict[str, object] = {
    "version": "1.0",
    "model": {"type": "WordLevel", "vocab": {"red": 1}, "unk_token": "[UNK]"},
    "added_tokens": [],
    **dict.fromkeys(
        ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding"),
    ),
}


def _line(**fields: object) -> bytes:
    """A line of an audit without its end, with these fields changed."""
    return json.dumps({**_PROOF, **fields}).encode()[:-1]


_PROOF = {
    "seq": 12,
    "previous": "",
    "at": "x",
    "operation": "erase.proof",
    "namespace": "",
    "actor": "",
    "result": "",
}
REGRESSIONS = {
    # Underscores are word characters too: the time doubled with every two of them.
    "guard, a row of underscores before a word": b"\x00name: " + b"_" * 200 + b"ab",
    "audit, an anchor with a digit of no number": b"\x03\x00" + "1 x \xb2 3 4".encode("latin-1"),
    "audit, an anchor far behind the end": b"\x03\x00" + f"1 x 2 {10**20} 0".encode(),
    "audit, a line whose time is none": b"\x00\x00" + sealed(_line(at="soon")) + b"\n",
    "audit, a line whose time has no zone": b"\x00\x00" + sealed(_line(at="2026-03-01")) + b"\n",
    "settings, bytes of a variable that are no UTF-8": b"\x01\x00\x00\x05abc\xc9d",
    "tokenizer, one that lacks its own [UNK]": json.dumps(_TOKENIZER).encode(),
    "questions, an author of blanks": b"\x01\x00\x00\x02  \x00Who?",
    "readers, 20,000 digits": b"\x00" + b"1" * LONGEST,
    "claims, a phrase on two lines": b"\x00\x00\x00\x00" + prefixed("tu\u1ea7n\n tr\u01b0\u1edbc") + b"\x00x",
    # Repeated to 20,000 characters each, words against words: 34 s.
    "claims, two long texts of few words": (
        b"\x00\x00\x00\x03Ada\x05\x00\x1aThe u\x01\x00\x00\x00sdr works at Initec\xa4.\x00I no l!\x17er workonh."
        + b"\xff" * 11
    ),
    "think, a mark inside a mark": b"\x00" + remembered("We bought 2 bikes.") + prefixed("Why?") + b"\x00\x80"
    b"\x00We bought bikes [[1]2].",
    "statements, a model's answer with half a surrogate pair": b"\x00" + remembered("Tea.") + b"\x01\x01\xff",
    "statements, the same about new facts": b"\x00" + remembered("Tea.") + b"\x00\x01\xff",
    "cli, the folder of nobody": b"remember\0--db\0~nosuchuser\0x",
    "cli, a line number of 5,000 digits": b"get\0x.md#L" + b"9" * 5000,
    "cli, a backup whose name is no UTF-8": b"backup\0x\xc2.db",
    "cli, a model whose name is no UTF-8": b"models\0test\0--language-model\0openai:\xbc",
    "cli, the same in a terminal": b"\x01models\0test\0--language-model\0openai:\xbc",
    "cli, a log written to a name that is no UTF-8": b"\x01audit\0export\0x\xa4",
    "cli, a file that has no name": b"export\0",
    "cli, a file whose name steers the terminal": b"\x01export\0x\x1b[2J",
    "cli, an embedder whose name is no UTF-8": b"worker\0--once\0--reembed\0--embedder\0ollama:x\x8c",
    "cli-audit, a changed time that steers the terminal": b"\x01" + _line(at="\x1b[2J"),
    "cli-audit, a changed id that steers the terminal": b"\x01" + _line(ids=["\x1b[2J"]),
    "cli-audit, a changed proof that lacks a field": b"\x05" + _line(ids=["GONE"], detail={"left": [{}]}),
    "specs, a key file in the folder of nobody": b"\x04\x00\x00\x00\x0c~nosuchuser/",
    "specs, a holder whose number is none": b"\x03\x00\x00\x00\x02\xc2\xb2",
    "specs, a holder whose number is no process": b"\x03\x00\x00\x00\x1e" + b"9" * 30,
}


@pytest.mark.parametrize("what", REGRESSIONS)
def test_what_once_broke_is_mended(what: str, tmp_path: Path) -> None:
    judge = judged(TARGETS[what.partition(",")[0]], tmp_path)
    judge(REGRESSIONS[what])
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
    assert Draw(b"\x05ab").text() == "ab" * (SPREAD // 2)
    assert {len(Draw(b"\x05ab" + bytes([each])).text()) for each in range(256)} == {SPREAD, LONGEST}
    assert [Draw(b"").text(), Draw(b"").byte(), Draw(b"").whole(9)] == ["", 0, 0]
    assert Draw(bytes(range(256))).value() == Draw(bytes(range(256))).value()


def test_the_command_lists_its_targets() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.fuzz", "list"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(TARGETS)
