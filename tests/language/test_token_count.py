"""The estimate of tokens: against real tokenizers that are at hand, and against published counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import wordllama
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from combray.language.model_tokens import estimate

SETS = Path(__file__).parents[2] / "bench" / "sets"
LLAMA = Path(wordllama.__file__).parent / "tokenizers" / "l2_supercat_tokenizer_config.json"

PUBLISHED = [
    # OpenAI, "Hello GPT-4o", May 2024: tokens in cl100k_base and in o200k_base.
    ("Hello, my name is GPT-4o. I'm a new type of language model, it's nice to meet you!", 27, 24),
    ("你好，我的名字是GPT-4o。我是一种新型的语言模型，很高兴见到你!", 34, 24),
    (
        "Xin chào, tên tôi là GPT-4o. Tôi là một loại mô hình ngôn ngữ mới, rất vui được gặp bạn!",
        46,
        30,
    ),
]


def texts(name: str) -> str:
    lines = (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return "\n".join(each["text"] for each in map(json.loads, lines) if "text" in each)


@pytest.fixture(scope="module")
def llama() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(LLAMA))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@pytest.mark.parametrize(("text", "older", "newer"), PUBLISHED)
def test_the_estimate_covers_what_gpt_4_spends_and_at_most_doubles_what_gpt_4o_spends(
    text: str, older: int, newer: int
) -> None:
    assert 0.9 * older <= estimate(text) <= 2.1 * newer


@pytest.mark.parametrize("name", ["assistant-chats", "vietnamese", "chinese"])
def test_texts_of_each_language_cost_at_least_nine_tenths_of_llama_2(llama: Tokenizer, name: str) -> None:
    text = texts(name)
    real = len(llama.encode(text, add_special_tokens=False).ids)
    assert 0.9 * real <= estimate(text) <= 1.3 * real


def test_code_and_markdown_cost_at_least_nine_tenths_of_llama_2(llama: Tokenizer) -> None:
    for name in ("ARCHITECTURE.md", "src/combray/pipeline.py"):
        text = (SETS.parents[1] / name).read_text(encoding="utf-8")
        real = len(llama.encode(text, add_special_tokens=False).ids)
        assert 0.9 * real <= estimate(text) <= 1.3 * real


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("cat", 1),  # a short word
        ("extraordinarily", 3),  # 15 letters / 5.5 = 2.7
        ("2026", 2),  # two digits a token
        ("😀", 3),
        ("học", 4),  # h, ọ (1.1), c
        ("记住", 3),  # 1.5 each
        ("a\n\nb", 3),
    ],
)
def test_counts_worked_by_hand(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


def test_links_cost_by_their_parts(llama: Tokenizer) -> None:
    text = "https://example.org/a/b?query=memory&limit=10#part see https://github.com/openai/tiktoken/issues/31"
    assert estimate(text) >= 0.9 * len(llama.encode(text, add_special_tokens=False).ids)


@given(st.text(), st.text())
def test_no_text_fails_and_more_text_never_costs_less(first: str, second: str) -> None:
    assert 0 <= estimate(first) <= estimate(f"{first}\n{second}")
