import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bench.quality import loaders
from bench.quality.sets import Collection, Item, Question, QuestionSet

CONVERSATION: dict[str, Any] = {
    "conversation": {
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I got a kiln."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Nice!", "blip_caption": "a photo of a kiln"},
        ],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_10": [{"speaker": "Ann", "dia_id": "D10:1", "text": "It broke."}],
        "session_10_date_time": "12:05 am on 1 June, 2023",
        "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "How is it?"}],
        "session_2_date_time": "9:00 am on 9 May, 2023",
    },
    "qa": [
        {"question": "What broke?", "answer": "kiln", "evidence": ["D1:1; D10:1", "D:1:2"], "category": 1},
        {"question": "Who sings?", "adversarial_answer": "Bo", "evidence": ["D2:1"], "category": 5},
        {"question": "Lost?", "answer": "-", "evidence": ["D44:1"], "category": 4},
    ],
}
HISTORY: dict[str, Any] = {
    "haystack_sessions": [
        [{"role": "user", "content": "I adopted a beagle."}, {"role": "assistant", "content": "Lovely."}],
        [{"role": "user", "content": "Plan a trip."}],
    ],
    "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/22 (Mon) 10:00"],
    "haystack_session_ids": ["s-a", "s-b"],
    "questions": ["Which dog do I have?"],
    "answers": ["A beagle"],
    "answer_session_ids": [["s-a"]],
}


def test_evidence_ids_are_read_one_by_one_and_broken_ones_dropped() -> None:
    assert loaders.evidence_refs(["D8:6; D9:17"]) == ["D8:6", "D9:17"]
    assert loaders.evidence_refs(["D:11:26"]) == []
    assert loaders.evidence_refs(["D30:05", "D1:2"]) == ["D30:5", "D1:2"]


def test_locomo_turns_come_in_session_order_with_author_date_and_caption() -> None:
    (found,) = loaders.locomo("locomo", [CONVERSATION]).collections
    assert [item.ref for item in found.items] == ["D1:1", "D1:2", "D2:1", "D10:1"]
    assert found.items[0].occurred_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert found.items[1].shown == "Nice! a photo of a kiln"
    assert found.now == datetime(2023, 6, 1, 0, 5, tzinfo=UTC)


def test_locomo_questions_without_gold_or_answer_are_not_asked_for_recall() -> None:
    (found,) = loaders.locomo("locomo", [CONVERSATION]).collections
    assert found.asked == (Question("What broke?", frozenset({"D1:1", "D10:1"}), "multi-hop"),)
    assert [question.answerable for question in found.questions] == [True, False, True]


def test_a_session_counts_once_but_every_hit_takes_a_place() -> None:
    (found,) = loaders.longmemeval("lme", [HISTORY]).collections
    assert found.units(["0:1", "0:0", "1:0"]) == ["s-a", None, "s-b"]
    assert found.asked[0].gold == {"s-a"}


def test_turn_level_gold_is_the_turn_that_holds_the_answers_words() -> None:
    (found,) = loaders.longmemeval_turns("lme", [HISTORY]).collections
    assert found.asked[0].gold == {"0:0"}
    assert found.unit == "item"


def test_the_format_is_told_from_the_content(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([CONVERSATION]))
    (tmp_path / "b.json").write_text(json.dumps({"one": HISTORY}))
    (tmp_path / "c.jsonl").write_text(
        '{"type": "document", "id": "d1", "text": "Tea at four.", "at": "2024-05-01"}\n'
        '{"type": "query", "text": "When is tea?", "gold": ["d1"]}\n'
        '{"type": "query", "text": "When is supper?", "gold": []}\n'
    )
    assert loaders.load("a", tmp_path / "a.json").collections[0].unit == "item"
    assert loaders.load("b", tmp_path / "b.json").collections[0].unit == "session"
    (plain,) = loaders.load("c", tmp_path / "c.jsonl").collections
    assert plain.items[0].occurred_at == datetime(2024, 5, 1, tzinfo=UTC)
    assert [question.answerable for question in plain.questions] == [True, False]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.json", '[{"something": 1}]', "neither LoCoMo"),
        ("x.json", "{", "broken content"),
        ("x.jsonl", '{"type": "query", "text": "?", "gold": ["no"]}', "gold ids without a document"),
        ("x.jsonl", '{"type": "note"}', "neither document nor query"),
    ],
)
def test_a_file_that_is_no_set_is_refused_with_the_reason(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(loaders.FormatError, match=said):
        loaders.load("x", tmp_path / name)


def test_a_limit_takes_questions_evenly_and_keeps_all_items() -> None:
    collections = tuple(
        Collection(name, (Item("1", "text"),), tuple(Question(f"{name}{n}", frozenset("1")) for n in range(5)))
        for name in "ab"
    )
    found = QuestionSet("s", collections).limited(4)
    # Ten questions, four wanted: places 0, 2.5, 5 and 7.5 rounded down.
    assert [q.text for c in found.collections for q in c.questions] == ["a0", "a2", "b0", "b2"]
    assert all(len(c.items) == 1 for c in found.collections)


def test_own_questions_are_asked_over_all_histories_together(tmp_path: Path) -> None:
    (tmp_path / "h.json").write_text(json.dumps([HISTORY, HISTORY]))
    (tmp_path / "q.questions").write_text('{"text": "Which breed?", "gold": ["2/0:0"]}\n')
    found = loaders.longmemeval_facts("f", tmp_path / "h.json", tmp_path / "q.questions")
    (whole,) = found.collections
    assert [item.ref for item in whole.items] == ["1/0:0", "1/0:1", "1/1:0", "2/0:0", "2/0:1", "2/1:0"]
    assert {item.session for item in whole.items} == {"1/s-a", "1/s-b", "2/s-a", "2/s-b"}
    (tmp_path / "q.questions").write_text('{"text": "Which breed?", "gold": ["3/0:0"]}\n')
    with pytest.raises(loaders.FormatError, match="is not the file"):
        loaders.longmemeval_facts("f", tmp_path / "h.json", tmp_path / "q.questions")
