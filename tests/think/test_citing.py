"""A model's answer against the memories it cites: what stands, what is repaired, what is dropped."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from combray.testing.fakes import memory
from combray.think.citations import MOST_CHARACTERS, Checked, checked, clean
from combray.think.prompt import Source
from combray.think.support import asked
from combray.types import Hit

OFFICE = ("The office is in Lisbon near the river.", "The office opens at 9 in the morning.")
WHERE = "Where is the office and when does it open?"


def sources(*texts: str | dict[str, Any]) -> list[Source]:
    """Numbered from 1; a mapping gives the fields of a memory."""
    given = [{"content": each} if isinstance(each, str) else each for each in texts]
    return [Source(n, Hit(memory(minutes=n, **fields), 1.0, {}, "keyword")) for n, fields in enumerate(given, 1)]


def checks(
    answer: str, *texts: str | dict[str, Any], question: str = WHERE, known: tuple[str, ...] = ()
) -> Checked:
    return checked(answer, sources(*texts), asked(question, known), None)


def why_dropped(answer: str, *texts: str | dict[str, Any], **more: Any) -> str:
    """The reason of the only thing dropped, where nothing stands."""
    result = checks(answer, *texts, **more)
    assert result.sentences == []
    assert result.citations == []
    (dropped,) = result.dropped
    return dropped.reason


# -- what stands ---------------------------------------------------------------------------------------


def test_what_the_memory_says_stands_with_the_place_that_says_it() -> None:
    result = checks("The office is in Lisbon [1]. It opens at 9 [2].", *OFFICE)
    assert result.sentences == ["The office is in Lisbon [1].", "It opens at 9 [2]."]
    assert [(each.number, each.how) for each in result.citations] == [(1, "words"), (2, "words")]
    assert [each.quote for each in result.citations] == list(OFFICE)
    assert result.dropped == []


@pytest.mark.parametrize(
    "answer",
    ["The office is in Lisbon. [1]", "The office is in Lisbon【1】.", "The office is in Lisbon [ 1 ] ."],
)
def test_a_citation_may_be_written_in_several_ways(answer: str) -> None:
    assert [each.number for each in checks(answer, *OFFICE).citations] == [1]


def test_a_mark_within_a_sentence_leaves_the_words_apart() -> None:
    result = checks("The office is in Lisbon [1] near the river.", *OFFICE)
    assert result.sentences == ["The office is in Lisbon near the river [1]."]


def test_who_says_i_is_the_author() -> None:
    told = {"content": "I adopted a kitten.", "author": "Ana"}
    assert checks("Ana adopted a kitten [1].", told, question="Who has a pet?").citations


def test_a_claim_that_needs_two_memories_keeps_both() -> None:
    texts = ("Ana works at Globex.", "Globex builds turbines in Porto.")
    result = checks("Ana works where turbines are built, in Porto [1][2].", *texts, question="What does Ana do?")
    assert [(each.number, each.how) for each in result.citations] == [(1, "together"), (2, "words")]


def test_of_several_citations_only_those_that_say_it_stay() -> None:
    result = checks("The office is in Lisbon [1][2][7].", *OFFICE)
    assert result.sentences == ["The office is in Lisbon [1]."]
    assert [each.reason.split(":")[0] for each in result.dropped] == [
        "citation [2] removed",
        "citation [7] removed",
    ]


# -- numbers, names, dates -----------------------------------------------------------------------------


def test_a_number_the_memory_does_not_hold_is_dropped() -> None:
    assert why_dropped("The office opens at 10 in the morning [2].", *OFFICE) == "[2] '10' is not in the memory"


def test_a_number_spelt_out_is_the_same_number() -> None:
    assert checks("The office opens at nine [2].", *OFFICE).citations


def test_a_name_the_memory_does_not_hold_is_dropped() -> None:
    assert "'Porto'" in why_dropped("The office is in Porto near the river [1].", *OFFICE)
    assert "'Globex'" in why_dropped("Globex is in Lisbon near the river [1].", *OFFICE)


def test_what_one_person_said_is_not_told_of_another() -> None:
    told = {"content": "I adopted a kitten.", "author": "Ana"}
    reason = why_dropped("Bo adopted a kitten [1].", told, question="What did Bo adopt?", known=("Ana", "Bo"))
    assert reason == "[1] it attributes to Bo what Ana said"


ZOO = {
    "content": "I went to the zoo yesterday.",
    "author": "Bo",
    "occurred_from": datetime(2023, 5, 8, tzinfo=UTC),
}


@pytest.mark.parametrize(
    "date", ["on 7 May 2023", "in May 2023", "on 2023-05-07", "in 2023", "the day before 8 May 2023"]
)
def test_a_date_that_yesterday_means_stands(date: str) -> None:
    assert checks(f"Bo went to the zoo {date} [1].", ZOO, question="When was Bo at the zoo?").citations


@pytest.mark.parametrize(
    "date", ["on 8 May 2023", "on 6 May 2023", "in June 2023", "in 2022", "the day before 8 June 2023"]
)
def test_a_date_that_it_does_not_mean_is_dropped(date: str) -> None:
    reason = why_dropped(f"Bo went to the zoo {date} [1].", ZOO, question="When was Bo at the zoo?")
    assert "is not in the memory" in reason


def test_a_range_with_an_open_side_must_end_where_the_memory_does() -> None:
    told = {
        **ZOO,
        "content": "I went to the zoo last weekend.",
        "occurred_from": datetime(2023, 7, 17, tzinfo=UTC),
    }
    when = "When was Bo at the zoo?"
    assert checks("Bo went to the zoo the weekend before 17 July 2023 [1].", told, question=when).citations
    assert why_dropped("Bo went to the zoo the weekend before 24 July 2023 [1].", told, question=when)


def test_a_date_alone_is_an_answer_only_of_a_memory_about_what_was_asked() -> None:
    when = "When did Bo go to the zoo?"
    assert checks("7 May 2023 [1].", ZOO, question=when).citations
    other = {**ZOO, "content": "I swam yesterday."}
    assert why_dropped("7 May 2023 [1].", other, question=when) == "[1] the memory is not about the question"


# -- polarity ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Ana does not like tea [1].", "Ana likes tea."),
        ("Ana likes tea [1].", "Ana does not like tea."),
        ("Ana hates tea [1].", "Ana loves tea."),
        ("安娜不喜欢喝茶 [1]。", "安娜喜欢喝茶。"),
        ("Ana không thích trà [1].", "Ana thích trà."),
    ],
)
def test_the_opposite_of_what_the_memory_says_is_dropped(answer: str, text: str) -> None:
    assert "the memory says" in why_dropped(answer, text, question="Does Ana like tea?")


def test_a_negation_elsewhere_in_the_memory_does_not_turn_a_claim_round() -> None:
    text = "It is not cheap, but we chose the river office."
    assert checks("They chose the river office [1].", text, question="Which one did they choose?").citations


def test_a_memory_that_only_asks_says_nothing() -> None:
    reason = why_dropped("Ana likes tea [1].", "Does Ana like tea?", question="What does Ana like?")
    assert reason == "[1] the memory does not mention it"


# -- citations -----------------------------------------------------------------------------------------


def test_a_wrong_number_is_repaired_when_exactly_one_other_memory_says_it() -> None:
    for wrong in ("[2]", "[9]"):
        result = checks(f"The office is in Lisbon {wrong}.", *OFFICE)
        assert result.sentences == ["The office is in Lisbon [1]."]
        assert [(each.number, each.how) for each in result.citations] == [(1, "repaired")]


def test_a_wrong_number_is_not_repaired_when_two_memories_could_be_meant() -> None:
    texts = (OFFICE[0], OFFICE[1], "The office in Lisbon is bright.")
    assert "[2]" in why_dropped("The office is in Lisbon [2].", *texts)


def test_a_number_without_a_memory_is_told_as_that() -> None:
    assert why_dropped("The garden has 40 trees [9].", *OFFICE) == "there is no memory [9]"


def test_what_is_not_cited_is_dropped_however_true() -> None:
    assert why_dropped("The office is in Lisbon.", *OFFICE) == "no citation"


def test_words_of_the_question_alone_tie_no_memory_to_a_claim() -> None:
    reason = why_dropped("Bob lives in Rome [1].", "Carol once visited Rome.", question="Where does Bob live?")
    assert reason == "[1] too few of its words are in the memory"


def test_not_knowing_is_no_claim_but_nothing_may_hide_in_it() -> None:
    question = "Where is the office?"
    assert checks("I don't know where the office is.", *OFFICE, question=question).sentences
    assert why_dropped("I don't know, but Ana stole it.", *OFFICE, question=question) == "no citation"


# -- what a model may write ----------------------------------------------------------------------------


def test_no_control_or_invisible_character_and_no_endless_text_comes_through() -> None:
    assert clean("a\x1b[31mb\u202ec\x00 [1]\r\nd") == "a[31mbc [1]\nd"
    assert len(clean("word " * 10_000)) <= MOST_CHARACTERS
    result = checks("The office is \x1b[31min Lisbon\x07 [1].", *OFFICE)
    assert all(char.isprintable() for sentence in result.sentences for char in sentence)


def test_a_huge_range_of_citations_is_no_work() -> None:
    assert checks("The office is in Lisbon [1-999].", *OFFICE).citations[0].number == 1


def test_chinese_sentences_are_cut_and_checked_like_others() -> None:
    result = checks(
        "办公室在里斯本[1]。办公室十点开门[2]。",
        "办公室在里斯本。",
        "办公室九点开门。",
        question="办公室在哪里？",
    )
    assert [each.number for each in result.citations] == [1]
    assert len(result.dropped) == 1


def test_an_embedder_can_only_lower_how_many_words_must_be_found_again() -> None:
    texts = ("We relocated our premises to Lisbon in spring.",)
    answer = "Lisbon is home to their headquarters [1]."
    question = asked("Where did the company go?", ())
    assert not checked(answer, sources(*texts), question, lambda one, other: 0.0).citations
    near = checked(answer, sources(*texts), question, lambda one, other: 0.9)
    assert [each.how for each in near.citations] == ["meaning"]
    for wrong in (answer.replace("Lisbon", "Porto"), answer.replace("is home", "was never home")):
        assert not checked(wrong, sources(*texts), question, lambda one, other: 1.0).citations
