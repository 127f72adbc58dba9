"""The compact tokenizer: the same ids as the library's, for every text."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import table
import wordllama as package
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from combray.models import merges, wordllama

SOURCE = Path(package.__file__).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"
TOKENIZER: Any = Tokenizer.from_file(str(SOURCE))
PATH = wordllama.FOLDER / wordllama.MERGES

TEXTS = (
    "What did Mara say about the database yesterday?",
    " leading and  double   spaces ",
    "Ana's résumé, naïve café — 3.14 €",
    "我们去年选择了数据库",
    "Cơ sở dữ liệu ở Đà Nẵng",
    "line\nbreak\ttab\r\n",
    "👩‍👩‍👧 emoji and \x00 control",
    "▁ is the library's own space",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "https://example.org/a_b?c=d&e=%20",
    "<s> marks the start </s>",
    "<unk><s>",
    " <s> ",
    "a<s>b, a < b, <s and </s>>",
    "x" * 500,
    "=" * 300 + " " * 300,
    "abc" * 1000,
    "https://example.org/" + "a1B2c3" * 60,
    "数据库" * 100,
    "👩" * 90,
)


@pytest.fixture(scope="module")
def compact() -> merges.Merges:
    return merges.opened(PATH)


def library_ids(text: str) -> list[int]:
    """What the tokenizers library makes of a text."""
    ids: list[int] = TOKENIZER.encode(text, add_special_tokens=False).ids
    return ids


@pytest.mark.parametrize("text", TEXTS)
def test_ids_are_those_of_the_library(compact: merges.Merges, text: str) -> None:
    assert compact.encode(text) == library_ids(text)
    assert compact.encode(text, 5) == library_ids(text)[:5]


def test_ids_are_the_same_when_what_was_looked_up_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merges, "_MOST_SEEN", 3)
    compact = merges.opened(PATH)
    for text in TEXTS:
        assert compact.encode(text) == library_ids(text)
    assert len(compact._pairs_seen) <= 3
    assert len(compact._spelling) <= 3


def test_few_words_are_remembered_and_no_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merges, "MOST_WORDS", 2)
    compact = merges.opened(PATH)
    for text in TEXTS:
        compact.encode(text)
    known = merges._ids_of(compact)
    assert 0 < len(known) <= 2
    assert max(map(len, known)) <= merges.LONGEST_WORD


PIECES = st.sampled_from(
    ["<s>", "</s>", "<unk>", "<", " ", "▁", "a", "ab" * 40, "é", "数", "the", "\n", "=" * 70]
)


@settings(max_examples=300)
@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.lists(PIECES, max_size=12).map("".join)
)
def test_ids_of_any_text_are_those_of_the_library(compact: merges.Merges, text: str) -> None:
    assert compact.encode(text) == library_ids(text)


@given(st.text("abc=/ é", min_size=60, max_size=200))
def test_a_heap_merges_as_a_search_does(compact: merges.Merges, word: str) -> None:
    ids = [each for letter in word for each in compact._spelt(letter)]
    assert compact._merge_long(list(ids)) == compact._merge(list(ids))


def test_single_precision_is_that_of_numpy() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)][None, :]
    assert wordllama._single(finite).tobytes() == finite.astype(np.float32).tobytes()


def test_the_file_is_made_from_the_librarys() -> None:
    assert table.compact(json.loads(SOURCE.read_bytes())) == PATH.read_bytes()


def test_another_kind_of_tokenizer_is_refused() -> None:
    content = json.loads(SOURCE.read_bytes())
    content["pre_tokenizer"] = {"type": "Whitespace"}
    with pytest.raises(ValueError, match="another kind"):
        table.compact(content)


def test_a_processor_of_the_other_byte_order_reads_the_same(
    compact: merges.Merges, monkeypatch: pytest.MonkeyPatch
) -> None:
    column = memoryview((1 << 24).to_bytes(4, "little") + (2).to_bytes(4, "little"))
    assert list(merges._numbers(column)) == [1 << 24, 2]
    monkeypatch.setattr(sys, "byteorder", "big")
    # This processor orders them the first way, so swapped numbers appear.
    assert list(merges._numbers(column)) == [1, 2 << 24]
