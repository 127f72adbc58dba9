from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from combray.language import caches, lexicon, replacements, text
from combray.language.claim_tokens import tokenise
from combray.language.claims import compare
from combray.language.folding import fold, plain, runs
from combray.language.intent import signal
from combray.language.marks import Lists, matcher
from combray.language.polarity import changes, negations
from combray.language.replacements import replacements_of
from combray.language.restatements import denies
from combray.language.revisions import said
from combray.language.tense import tense_of
from combray.language.text import Text, fold_of, passing, plain_of, read_once, text_of
from combray.language.tokens import all_runs, all_terms, content, count, split, term_set

# Words that the rooms look for, in four languages, beside any code point.
_SAID = """
not no longer never don't isn't only because thanks to moved from now in spite of 5 kg May monday
không còn chưa từng khong con vì tại chuyển từ sang 不再 不是 因为 没有 从 改 我们 数据库 больше не потому что
Alice PostgreSQL v1.2.3 🎉 ... ? ! ' ` _ \u0301 İ ß ﬁ
"""
SAID = st.sampled_from(_SAID.split())
ANY_TEXT = st.one_of(
    st.text(st.characters(codec=None, exclude_categories=())),
    st.lists(SAID, max_size=12).map(" ".join),
    st.lists(SAID, max_size=12).map("".join),
)
ROOMS = (
    *(plain_of, fold_of, split, all_runs, all_terms, content, count, term_set, negations, changes, signal),
    *(tense_of, replacements_of, said, tokenise),
)


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    caches.forget_texts()


@given(ANY_TEXT)
def test_a_text_that_was_read_gives_what_a_new_one_gives(written: str) -> None:
    kept = text_of(written)
    for read in ROOMS:
        # The order of reading does not matter: a new text is read by one room alone.
        assert read(written) == read(kept) == read(Text(written)), read


@given(st.sets(SAID, min_size=1, max_size=6), ANY_TEXT)
def test_phrases_are_found_wherever_their_pattern_finds_them(listed: set[str], written: str) -> None:
    lowered = plain(written)
    phrases = list(map(plain, listed))
    found = Lists({"half": phrases[::2], "all": phrases}).of(lowered, frozenset(runs(lowered)))
    for name, some in (("half", phrases[::2]), ("all", phrases)):
        assert found.all(name) == matcher(some).findall(lowered)
        assert found.has(name) is (matcher(some).search(lowered) is not None)


@given(ANY_TEXT)
def test_the_table_phrases_are_found_too(written: str) -> None:
    lowered = plain(written)
    listed = {plain(each) for table in lexicon.word_lists().values() for each in table.polarity.changes}
    if lowered.isascii():
        accented = {
            plain(each) for table in lexicon.word_lists().values() for each in table.polarity.accented_only
        }
        bare = {each if each in accented else fold(each) for each in listed}
        listed = set(filter(str.isascii, bare))
    assert list(changes(written)) == matcher(listed).findall(lowered)


_CHANGE = """
we I Alice moved switched replaced left quit dropped closed sold handed passed was were is are from to into with
by for now instead these days not n't don't no longer any more but , . ; -> Berlin Oslo 3pm up down as and joined
"""
_CHANGE_PHRASES = ("used to be", "instead of", "took over from", "gave up", "has been replaced by", "it was")
CHANGE = st.sampled_from([*_CHANGE.split(), *_CHANGE_PHRASES])


@given(st.lists(CHANGE, min_size=3, max_size=12).map(" ".join))
def test_the_words_that_a_pattern_needs_hide_no_change(written: str) -> None:
    found = replacements_of(Text(written))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replacements._Pattern, "may_match", lambda *_: True)
        assert replacements_of(Text(written)) == found


def test_a_value_is_computed_once_and_shared() -> None:
    calls = []

    @read_once
    def length(read: Text) -> int:
        calls.append(read.text)
        return len(read.text)

    assert (length("one text"), length("one text"), length(text_of("one text"))) == (8, 8, 8)
    assert calls == ["one text"]


def test_what_only_passes_is_not_kept() -> None:
    assert passing("one word") is not passing("one word")
    assert text_of("one text") is text_of("one text") is passing("one text")


def test_an_erasure_forgets_every_text() -> None:
    before = text_of("a secret that is erased")
    caches.forget_texts()
    assert text_of("a secret that is erased") is not before


def test_a_table_that_changes_forgets_every_text() -> None:
    before = text_of("a text")
    caches.forget_tables()
    assert text_of("a text") is not before


def test_the_texts_that_are_kept_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MOST_CHARACTERS", 400)
    monkeypatch.setattr(text, "MOST_TEXTS", 5)
    first, long = text_of("first"), text_of("x" * 101)
    assert text_of("x" * 101) is not long  # longer than a quarter of all: read, not kept
    for number in range(5):
        text_of(f"text {number}")
    assert text_of("first") is not first
    for number in range(5):
        text_of(f"{number}" * 99)
    assert sum(map(len, text._kept.texts)) <= 400
    monkeypatch.setattr(text, "LEFT_CHARACTERS", 200)
    last = text_of("4" * 99)
    text.trim()
    assert sum(map(len, text._kept.texts)) <= 200
    assert text_of("4" * 99) is last


def test_comparing_does_not_depend_on_what_was_compared_before() -> None:
    old, new = "The limit is 100/min.", "The limit is 200/min now."
    first = compare(old, new)
    compare(new, "Tôi không còn sống ở Huế.")
    assert compare(old, new) == first
    assert first.verdict == "update"
    assert re.fullmatch("now", " ".join(first.changes)) or first.numbers_differ


@given(ANY_TEXT, ANY_TEXT)
def test_a_denial_of_any_text_is_a_contradiction(old: str, new: str) -> None:
    if denies(old, new):
        assert compare(old, new).verdict == "contradicts"
