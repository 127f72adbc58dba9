"""Chunks: how long, which lines, what they share."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from combray.documents.chunks import chunk, lines_of, weight


def ranges(text: str, **limits: int) -> list[tuple[int, int]]:
    return [(each.start_line, each.end_line) for each in chunk(lines_of(text), **limits)]


def test_a_chunk_has_400_tokens_at_four_letters_and_shares_80_with_the_next() -> None:
    """The page: `DEFAULT_CHUNK_TOKENS` 400, `DEFAULT_CHUNK_OVERLAP` 80: 1600 and 320 characters.

    Lines of 99 letters and their end weigh 100: sixteen make 1600. The last four (400 >= 320; three are 300)
    begin the next chunk, which has room for twelve more.
    """
    text = "".join(f"{number:099}\n" for number in range(1, 41))
    assert ranges(text) == [(1, 16), (13, 28), (25, 40)]


def test_a_long_last_line_is_not_carried_where_it_leaves_no_room() -> None:
    """1500 and 1500 do not fit together, so nothing is shared; 700 and 700 do, so each is in two chunks."""
    assert ranges("a" * 1499 + "\n" + "b" * 1499 + "\n") == [(1, 1), (2, 2)]
    assert ranges("\n".join("abc"[number] * 699 for number in range(3))) == [(1, 2), (2, 3)]


def test_a_line_longer_than_a_chunk_is_cut_at_a_blank() -> None:
    chunks = chunk(lines_of("word " * 1000))
    assert "".join(each.text for each in chunks) == "word " * 1000
    assert all(each.text.endswith("word ") and len(each.text) < 1600 for each in chunks)
    assert {(each.start_line, each.end_line) for each in chunks} == {(1, 1)}
    assert [len(each.text) for each in chunk(lines_of("x" * 4000))] == [1599, 1599, 802]


def test_a_chinese_character_is_a_token_by_itself() -> None:
    """400 characters fill a chunk that holds 1600 Latin letters: 4 each."""
    assert (weight("abcd"), weight("数据"), weight("a数"), weight("안녕"), weight("é")) == (4, 8, 5, 8, 1)
    text = "\n".join("数" * 49 for _ in range(16))
    # A line weighs 49 * 4 + 1 = 197: eight lines are 1576; two (394 >= 320) are carried over.
    assert ranges(text) == [(1, 8), (7, 14), (13, 16)]


def test_lines_are_those_of_an_editor() -> None:
    assert [text for _, text in lines_of("a\r\nb\rc\n\nd\x0ce\u2028f")] == ["a", "b", "c", "", "d\x0ce\u2028f"]
    assert lines_of("a\n") == lines_of("a") == [(1, "a")]
    assert lines_of("") == []


def test_blank_text_has_no_chunks() -> None:
    assert chunk(lines_of("")) == []
    assert chunk(lines_of("\n \n\t\n")) == []


def test_limits_may_be_others() -> None:
    assert ranges("aaaaaaaaa\n" * 8, tokens=8, overlap=0) == [(1, 3), (4, 6), (7, 8)]


@settings(max_examples=200)
@given(st.text(st.sampled_from("ab 数안\n\r\t"), max_size=900), st.integers(8, 40), st.integers(0, 12))
def test_no_letter_is_lost_and_every_range_is_exact(text: str, tokens: int, overlap: int) -> None:
    lines = dict(lines_of(text))
    chunks = chunk(lines.items(), tokens=tokens, overlap=overlap)
    most = max(32, tokens * 4)
    covered: set[int] = set()
    for each in chunks:
        assert weight(each.text) <= most
        whole = "\n".join(lines[number] for number in range(each.start_line, each.end_line + 1))
        assert each.text in whole
        if all(weight(lines[number]) < most for number in range(each.start_line, each.end_line + 1)):
            assert each.text == whole
        covered.update(range(each.start_line, each.end_line + 1))
    assert all(number in covered for number, line in lines.items() if line.strip())
    starts = [each.start_line for each in chunks]
    assert starts == sorted(starts)
