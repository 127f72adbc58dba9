"""Sentences: verbatim, in order, in every script."""

from __future__ import annotations

import pytest

from combray.language.sentences import LONGEST, clauses, sentences
from combray.testing.fakes import memory
from combray.think.prompt import Source, excerpt, numbered
from combray.types import Hit


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three? Four…", ["One.", "Two!", "Three?", "Four…"]),
        (
            "It costs 3.50 in v1.2. Ask Dr. Lee, e.g. today.",
            ["It costs 3.50 in v1.2.", "Ask Dr. Lee, e.g. today."],
        ),
        ("He said “no.” Then he left", ["He said “no.”", "Then he left"]),
        ("一。二！三？四", ["一。", "二！", "三？", "四"]),
        ("Xin chào. Tôi ở TP. Hồ Chí Minh.", ["Xin chào.", "Tôi ở TP. Hồ Chí Minh."]),
        ("a line\nanother\n\n third ", ["a line", "another", "third"]),
        (" \n ", []),
        ("", []),
    ],
)
def test_texts_are_cut_where_sentences_end(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


def test_a_run_without_a_full_stop_is_cut_between_words() -> None:
    text = "word " * 300
    parts = sentences(text)
    assert max(map(len, parts)) <= LONGEST
    assert all(part in text and not part.startswith("ord") for part in parts)
    assert max(map(len, sentences("x" * 1000))) == LONGEST


def test_clauses_are_the_parts_between_commas_and_dashes() -> None:
    assert clauses("It is dear, but good - really: yes") == ["It is dear", "but good", "really", "yes"]
    assert clauses("a well-known fact") == ["a well-known fact"]


def test_of_a_long_memory_the_part_about_the_question_is_shown() -> None:
    text = "The weather was fine. " * 200 + "The treasure is here. " + "Nothing more. " * 200
    shown = excerpt(text, frozenset({"treasur"}))
    assert "The treasure is here." in shown
    assert len(shown) <= 1504
    assert (shown[0], shown[-1]) == ("…", "…")


def test_sources_are_numbered_without_repeats_and_quarantined_ones() -> None:
    texts = ["a b c", "A b c", "secret words"]
    hits = [
        Hit(memory(text, n, trust="quarantined" if n == 2 else "owner"), 1.0, {}, "")
        for n, text in enumerate(texts)
    ]
    found = numbered(hits, (), now=0.0, with_earlier=False)
    assert [(source.number, source.memory.content) for source in found] == [(1, "a b c")]
    assert isinstance(found[0], Source)
