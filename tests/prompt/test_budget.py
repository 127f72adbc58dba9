"""The context budget: what goes in, in which order things go without, and that no limit is ever broken."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from combray import InvalidInputError
from combray.language.model_tokens import estimate
from combray.prompt.budget import SLOTS, Piece, assemble
from combray.prompt.excerpt import MARK, cut_evenly, shortened

TEXTS = st.lists(st.text(min_size=1, max_size=400), max_size=7)


def words(text: str) -> int:
    """A counter that is easy to work out by hand."""
    return len(text.split())


def listed(prefix: str, *texts: str) -> list[Piece]:
    return [Piece(f"{prefix}{number}", text) for number, text in enumerate(texts)]


def several(prefix: str, count: int, length: int) -> list[Piece]:
    return listed(prefix, *(" ".join([f"{prefix}{number}"] * length) for number in range(count)))


def everything() -> dict[str, list[Piece]]:
    """Far too much for every slot."""
    offered = {slot.name: several(slot.name, 9, 90) for slot in SLOTS}
    return offered | {"system": several("system", 1, 5000)}


# -- the page's bounds ---------------------------------------------------------------------------------


def test_the_tiers_are_those_of_the_page() -> None:
    # "Recent Messages 300-500 REQUIRED; Active Tool Results up to 400 HIGH; Streamed Facts 100-200 MEDIUM;
    # Streamed Episodes 100-200 MEDIUM; System Instructions Remaining FILL. Hard limit: 1500 tokens total"
    assert [(slot.name, slot.least, slot.most) for slot in SLOTS] == [
        ("recent", 300, 500),
        ("tools", 400, 400),
        ("facts", 100, 200),
        ("episodes", 100, 200),
        ("system", 0, None),
    ]
    assert assemble({}).budget == 1500


def test_no_tier_takes_more_than_its_bound_and_the_system_fills_the_rest() -> None:
    made = assemble(everything(), counter=words)
    tokens = {section.name: section.tokens for section in made.sections}
    # Turns of 90 words under a heading of 2: five are 452. Four results of 90 and 2 are 362; facts 181 (a heading
    # of 1), episodes 182 (of 2). The fence takes 15 (2 tags, 13 words): 1500 - 15 - 452 - 362 - 181 - 182 = 308.
    assert tokens == {"recent": 452, "tools": 362, "facts": 181, "episodes": 182, "system": 308}
    assert made.tokens == 1500


def test_a_small_budget_keeps_the_recent_turns_and_drops_from_the_lowest_rank() -> None:
    made = assemble(everything(), budget=500, counter=words)
    # 485 beside the fence: the turns keep their 300 (three of 90 and 2 are 272), tools take 2 * 90 + 2 of the
    # other 213; the 31 left are too few to cut a fact for.
    assert [(section.name, section.tokens) for section in made.sections[:2]] == [("recent", 272), ("tools", 182)]
    assert "facts" not in {section.name for section in made.sections}
    assert {each.section for each in made.dropped} == {"recent", "tools", "facts", "episodes", "system"}


def test_tools_that_need_little_leave_the_rest_to_the_turns() -> None:
    offered = everything() | {"tools": listed("t", "two words")}
    made = assemble(offered, budget=500, counter=words)
    tokens = {section.name: section.tokens for section in made.sections}
    # 485, less 4 for the tools (a heading of 2): with facts and episodes sure of 100 each, 281 would be left; the
    # turns keep their 300: three whole ones, 272; a fourth would make 362.
    assert tokens["recent"] == 272
    assert tokens["tools"] == 4


# -- turns ---------------------------------------------------------------------------------------------


def test_the_last_five_turns_in_the_order_they_were_said() -> None:
    made = assemble({"recent": several("r", 7, 3)}, counter=words)
    assert made.sections[0].ids == ("r2", "r3", "r4", "r5", "r6")
    assert [(each.id, each.reason) for each in made.dropped] == [
        ("r0", "only the last 5 turns fit"),
        ("r1", "only the last 5 turns fit"),
    ]


def test_one_message_larger_than_the_tier_is_cut_with_a_mark_and_the_others_stay_whole() -> None:
    turns = listed("r", "short one", f"start {'long ' * 2000}end?", "last word")
    made = assemble({"recent": turns}, counter=words)
    assert made.sections[0].ids == ("r0", "r1", "r2")
    assert "short one" in made.text
    assert "last word" in made.text
    assert MARK in made.text
    assert "start long" in made.text
    assert "long end?" in made.text
    assert [(each.id, each.tokens, each.reason) for each in made.dropped] == [("r1", 2002, "truncated to fit")]
    assert made.sections[0].tokens <= 500


# -- items ---------------------------------------------------------------------------------------------


def test_an_item_that_does_not_fit_does_not_keep_out_a_shorter_one_behind_it() -> None:
    facts = [*several("a", 1, 100), *several("b", 1, 150), *several("c", 1, 50)]
    made = assemble({"facts": facts}, counter=words)
    assert made.sections[0].ids == ("a0", "c0")
    assert [(each.section, each.id, each.tokens) for each in made.dropped] == [("facts", "b0", 150)]
    assert "200 tokens" in made.dropped[0].reason


def test_the_best_item_is_cut_rather_than_left_out() -> None:
    made = assemble({"facts": several("a", 2, 900)}, counter=words)
    assert made.sections[0].ids == ("a0",)
    assert next((each.id, each.reason) for each in made.dropped) == ("a0", "truncated to fit")


# -- what holds for every input ------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    TEXTS, TEXTS, TEXTS, TEXTS, st.text(max_size=3000), st.integers(100, 900), st.sampled_from([estimate, len])
)
def test_the_budget_is_never_exceeded_and_every_piece_is_accounted_for(
    recent: list[str],
    tools: list[str],
    facts: list[str],
    episodes: list[str],
    system: str,
    budget: int,
    counter: object,
) -> None:
    assert counter in (estimate, len)
    count = estimate if counter is estimate else len
    offered = {
        "recent": listed("r", *recent),
        "tools": listed("t", *tools),
        "facts": listed("f", *facts),
        "episodes": listed("e", *episodes),
        "system": listed("s", system),
    }
    made = assemble(offered, budget=budget, counter=count)
    assert made.tokens == (count(made.text) if made.text else 0)
    assert made.tokens <= budget
    shown = {each for section in made.sections for each in section.ids}
    said = [piece for pieces in offered.values() for piece in pieces if piece.text.strip()]
    assert shown | {each.id for each in made.dropped} == {piece.id for piece in said}
    if count is estimate and any(text.strip() for text in recent):
        newest = [piece for piece in offered["recent"] if piece.text.strip()][-1]
        assert newest.id in shown


@settings(max_examples=30)
@given(TEXTS, st.integers(100, 400))
def test_a_counter_that_finds_more_in_the_whole_than_in_its_parts_is_obeyed(
    texts: list[str], budget: int
) -> None:
    def squared(text: str) -> int:
        return len(text) ** 2 // 500

    made = assemble({"recent": listed("r", *texts), "facts": listed("f", *texts)}, budget=budget, counter=squared)
    assert made.tokens <= budget


def test_the_same_pieces_give_the_same_text() -> None:
    assert assemble(everything()) == assemble(everything())


def test_no_room_worth_the_name_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"budget: 99 is out of range\. Use 100 to"):
        assemble({}, budget=99)


# -- cutting -------------------------------------------------------------------------------------------


def test_a_shortened_text_keeps_two_thirds_from_its_beginning() -> None:
    # 9 characters kept: 6 from the beginning, 3 from the end.
    assert shortened("abcdefghijklmnopqrstuvwxyz", 9) == f"abcdef{MARK}xyz"
    assert shortened("abc", 3) == "abc"


def test_texts_are_cut_to_the_greatest_common_length_that_fits() -> None:
    assert cut_evenly(["aaaa", "b" * 50], lambda texts: sum(map(len, texts)) <= 30) == [
        "aaaa",
        f"{'b' * 14}{MARK}{'b' * 7}",
    ]
    assert cut_evenly(["aaaa"], lambda _: False) is None
