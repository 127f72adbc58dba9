"""What supports a fact, and what only looks as if."""

import pytest

from combray.language.support import supports

TEA = "User likes tea"


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (TEA, "I like tea"),
        (TEA, "It rained. I really like tea in the morning."),
        ("The user prefers window seats", "When I fly I always prefer window seats because of the view"),
        ("User is not vegetarian", "I am not vegetarian"),
        ("The API limit is 200", "Remember that the API limit is 200 now"),
        ("用户喜欢茶", "我喜欢茶"),
        ("Grandma's address is 12 Mill Lane.", "Yes, grandma's address is 12 Mill Lane in the old town"),
        ("The user has a car", "I have an automobile"),
    ],
)
def test_the_same_claim_supports(fact: str, said: str) -> None:
    assert supports(fact, said, strict=True)


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (TEA, "I like coffee"),
        (TEA, "I don't like tea"),
        (TEA, "I like tea. No, I don't like tea any more."),
        (TEA, "Do I like tea?"),
        (TEA, "Maybe I like tea"),
        (TEA, "You like tea"),
        (TEA, "Alice likes tea"),
        ("User drinks tea", "I stopped drinking tea"),
        ("The API limit is 200", "The API limit is 100"),
        ("User is vegetarian", "I am not vegetarian"),
        ("Alice lives in Hanoi", "Alice lives in Saigon"),
        ("", "anything"),
        (TEA, ""),
    ],
)
def test_what_is_no_support(fact: str, said: str) -> None:
    assert not supports(fact, said, strict=False)


def test_i_is_the_speaker() -> None:
    assert supports("Alice likes tea", "I like tea", speaker="Alice", strict=True)
    assert not supports("Alice likes tea", "I like tea", speaker="Bob", strict=True)
    assert not supports(TEA, "I like tea", speaker="assistant", strict=True)
    assert supports(TEA, "I like tea", speaker="user", strict=True)
    assert supports(TEA, "I like tea", speaker="Caroline", owner="Caroline", strict=True)


def test_a_vector_may_stand_in_for_the_verb_but_never_for_the_rest() -> None:
    assert supports(TEA, "I love tea", strict=False)
    assert not supports(TEA, "I love tea", strict=True)
    assert not supports(TEA, "I love coffee", strict=False)
    assert not supports(TEA, "I hate tea", strict=False)
