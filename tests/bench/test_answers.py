"""`bench.answers` on a small set, with a scripted model on loopback."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from service import Reply, serving

from bench.answers.__main__ import main
from bench.answers.arms import ARMS
from bench.answers.protocols import PROMPTS, Asked, Prompts
from bench.answers.sets import read

TURNS = ["I adopted a cat named Pixel yesterday.", "The lighthouse in Aveiro was closed.", "I bake on Sundays."]
LOCOMO = [
    {
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": f"D1:{at}", "text": text} for at, text in enumerate(TURNS, 1)
            ],
            "session_2_date_time": "9:00 am on 2 June, 2023",
            "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "Pixel has learned to open doors."}],
        },
        "qa": [
            {"question": "What is Ana's cat named?", "answer": "Pixel", "evidence": ["D1:1"], "category": 4},
            {
                "question": "When did Ana adopt a cat?",
                "answer": "7 May 2023",
                "evidence": ["D1:1"],
                "category": 2,
            },
            {"question": "What is Ana's dog named?", "evidence": [], "category": 5},
        ],
    }
]
LONGMEMEVAL = [
    {
        "question_id": "a1_abs" if absent else "a1",
        "question_type": "knowledge-update",
        "question": "How many stamps do I have?",
        "answer": "The user has not said so." if absent else "40",
        "question_date": "2023/06/01 (Thu) 10:00",
        "answer_session_ids": [] if absent else ["s1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["s1"],
        "haystack_sessions": [[{"role": "user", "content": "I have 40 stamps now."}]],
    }
    for absent in (False, True)
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name, content in (("locomo", LOCOMO), ("longmemeval", LONGMEMEVAL)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.json").write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


def completion(text: str) -> Reply:
    return Reply({"choices": [{"message": {"content": text}}], "usage": {"total_tokens": 100}})


def reading(body: Any) -> Reply:
    """Answer "Pixel" if the prompt has shown it; search for it first where there are files."""
    prompt = body["messages"][-1]["content"]
    shown = re.search(r"cat named Pixel", prompt)
    if body["messages"][0]["role"] == "system" and not shown:
        return completion('Let me look. {"grep": "CAT named"}')
    if "Gold answer:" in prompt:
        right = "Gold answer: Pixel" in prompt and "Pixel" in prompt.partition("Generated answer:")[2]
        return completion(f'A reason. {{"label": "{"CORRECT" if right else "WRONG"}"}}')
    if "yes or no" in prompt:
        return completion("No.")
    return completion("Pixel" if shown else "I do not know.")


def test_without_a_model_the_memories_answer_and_nothing_is_asked(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(data), "--embedder", "none"]) == 0
    said = capsys.readouterr().out
    assert "No model is set: answers are the memories' own sentences" in said
    assert "No judge is set" in said
    assert main(["--data", str(data), "--arm", "whole"]) == 1


@pytest.mark.slow("serves a model")
@pytest.mark.parametrize("arm", ARMS)
def test_an_arm_answers_is_judged_and_counted(arm: str, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = data / "results.jsonl"
    with serving(reading) as service:
        spec = f"openai:m@{service.url}"
        call = ["--data", str(data), "--set", "locomo", "--arm", arm, "--embedder", "none", "--model", spec]
        call += ["--judge", spec, "--prices", "openai:m=2", "--json", str(kept)]
        assert main(call) == 0
        first = capsys.readouterr().out
        results = {each["question"]: each for each in map(_result, kept.read_text().splitlines())}
        cat = results["What is Ana's cat named?"]
        assert (cat["right"], cat["error"]) == (True, "")
        assert "Pixel" in cat["response"]
        assert cat["tokens"] == (200 if arm == "grep" else 100)
        assert cat["judge_tokens"] == 100
        assert not results["When did Ana adopt a cat?"]["right"]
        assert not results["What is Ana's dog named?"]["answerable"]
        row = next(line.split() for line in first.splitlines() if line.startswith("single-hop"))
        assert row[:3] == ["single-hop", "1", "100.0%"]
        assert row[7] == ("0.00040" if arm == "grep" else "0.00020")
        # A run that goes on asks nothing again.
        asked = len(service.asked)
        assert main(call) == 0
        assert len(service.asked) == asked
        assert capsys.readouterr().out == first


def _result(line: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(line)["result"]
    return found


@pytest.mark.slow("serves a model")
def test_the_arms_show_what_they_say(data: Path) -> None:
    seen = {}
    for arm in ("recall", "sessions", "whole"):
        with serving(reading) as service:
            call = ["--data", str(data), "--set", "locomo", "--arm", arm, "--embedder", "none", "--limit", "1"]
            assert main([*call, "--limit-questions", "1", "--model", f"openai:m@{service.url}"]) == 0
            seen[arm] = service.asked[0].body["messages"][-1]["content"]
    assert "cat named Pixel" in seen["recall"]
    assert "lighthouse" not in seen["recall"]
    assert "lighthouse" in seen["sessions"]
    assert "open doors" not in seen["sessions"]
    assert "open doors" in seen["whole"]
    assert "### session_1 (08 May 2023, 13:56)" in seen["whole"]


@pytest.mark.slow("serves a model")
def test_a_call_that_fails_is_counted_and_asked_again_in_a_later_run(data: Path) -> None:
    kept = data / "results.jsonl"
    call = [
        "--data",
        str(data),
        "--set",
        "locomo",
        "--arm",
        "whole",
        "--limit-questions",
        "1",
        "--json",
        str(kept),
    ]
    with serving(Reply({"error": {"message": "no"}}, status=400), reading) as service:
        call += ["--model", f"openai:m@{service.url}"]
        assert main(call) == 0
        assert (_result(kept.read_text())["right"], bool(_result(kept.read_text())["error"])) == (False, True)
        assert main(call) == 0
        assert [_result(each)["response"] for each in kept.read_text().splitlines()] == ["", "Pixel"]


def test_questions_keep_the_names_of_their_protocol(data: Path) -> None:
    locomo, *histories = read(data, ["locomo", "longmemeval"])
    assert [each.category for each in locomo.questions] == ["single-hop", "temporal", "adversarial"]
    known, absent = (each.questions[0] for each in histories)
    assert (known.category, known.answerable, absent.answerable) == ("knowledge-update", True, False)
    assert "updated answer" in known.judging(Prompts(), "40")
    assert "cannot be answered" in absent.judging(Prompts(), "40")
    assert "Today: 2023/06/01" in known.answering(Prompts(), "…")


def test_prompts_of_a_folder_replace_ours(tmp_path: Path) -> None:
    (tmp_path / "judge-locomo.txt").write_text("{question}|{gold_answer}|{generated_answer}", encoding="utf-8")
    prompts = Prompts.read(tmp_path)
    asked = Asked("Who?", "Ana", "single-hop", True, "locomo", "today")
    assert asked.judging(prompts, "Bo") == "Who?|Ana|Bo"
    assert (prompts.given, prompts.digest != Prompts().digest) == (("judge-locomo",), True)
    assert prompts.texts.keys() == PROMPTS.keys()


@pytest.mark.parametrize(
    ("said", "right"),
    [('{"label": "CORRECT"}', True), ("Not CORRECT but WRONG", False), ("It is", None)],
)
def test_a_label_is_read_from_what_the_judge_says(said: str, right: bool | None) -> None:
    assert Asked("?", "!", "temporal", True, "locomo", "").verdict(said) is right


@pytest.mark.parametrize(("said", "right"), [("Yes.", True), ("**no**", False), ("Perhaps", None)])
def test_yes_and_no_are_read_from_what_the_judge_says(said: str, right: bool | None) -> None:
    assert Asked("?", "!", "all", True, "longmemeval", "").verdict(said) is right
