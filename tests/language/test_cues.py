from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from combray.language.intent import Cue, asked, cues
from combray.language.lexicon import word_lists

NUMBER, REASON, PLACE, PERSON, TITLE = Cue


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_no_text_raises(text: str) -> None:
    assert cues(text) in Cue(31)
    assert asked(text) in (None, *Cue)


def test_bits_are_what_stores_have_written() -> None:
    assert [cue.value for cue in Cue] == [1, 2, 4, 8, 16]
    assert [cue.name for cue in Cue] == ["NUMBER", "REASON", "PLACE", "PERSON", "TITLE"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("we talked for a while", Cue(0)),
        ("I ran 5k", NUMBER),
        ("we have Two cats", NUMBER | PERSON),
        ("she did it twice", NUMBER),
        ("someone said so", Cue(0)),
        ("because it rained", REASON),
        ("I stayed, since it rained", REASON),
        ("it closed due to the rain", REASON),
        ("it is due tomorrow", Cue(0)),
        ("I saw Anna there", PERSON),
        ("yes, Anna was there", PERSON),
        ("Anna was there", Cue(0)),
        ("I think I'm in", Cue(0)),
        ("we like NASA", Cue(0)),
        ("we moved to Rome", PLACE | PERSON),
        ("we met near the Thames", PLACE | PERSON),
        ("I read Brave New World", PERSON | TITLE),
        ('the song "yesterday"', TITLE),
        ("我住了三年", NUMBER),
        ("因为天气好", REASON),
        ("我在学校", PLACE),
        ("我读了《三体》", TITLE),
        ("mình sống ở Huế vì công việc", REASON | PLACE | PERSON),
        ("mình gặp Đức", PERSON),
        ("de donde vi", Cue(0)),
        ("мы видели Анну", PERSON),
    ],
)
def test_what_a_text_holds(text: str, found: Cue) -> None:
    assert cues(text) == found


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("How many dogs has she?", NUMBER),
        ("Why did she move?", REASON),
        ("What was the reason?", REASON),
        ("Where do they live?", PLACE),
        ("Which city did she visit?", PLACE),
        ("Who came along?", PERSON),
        ("Who wrote the book?", PERSON),
        ("What movies does he like?", TITLE),
        ("What did she paint?", None),
        ("May I ask when?", None),
        ("AI?", None),
        ("她有几个孩子？", NUMBER),
        ("为什么搬家？", REASON),
        ("他住在哪里？", PLACE),
        ("谁来了？", PERSON),
        ("哪本最好？", TITLE),
        ("Lan bao nhiêu tuổi?", NUMBER),
        ("Tại sao Lan đi?", REASON),
        ("Lan sống ở đâu?", PLACE),
        ("Ai đã dạy Lan?", PERSON),
        ("Lan thích phim nào?", TITLE),
    ],
)
def test_what_a_question_asks_for(query: str, kind: Cue | None) -> None:
    assert asked(query) is kind


def test_the_tables_ask_for_known_kinds_only() -> None:
    names = {cue.name.lower() for cue in Cue if cue.name}
    for code, table in word_lists().items():
        assert table.asked.keys() <= names, code
