"""The compact tokenizer: the same ids as the library's, from a file that may be missing, old or damaged."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from combray.folders import cache_folder
from combray.models import merges, wordllama
from combray.models.wordllama import MAX_TOKENS, WordLlamaEmbedder

LIBRARY = WordLlamaEmbedder()
SOURCE = LIBRARY._file("tokenizers/l2_supercat_tokenizer_config.json")
TOKENIZER: Any = LIBRARY._tokenizer
vars(LIBRARY)["_merges"] = None

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
)


@pytest.fixture(scope="module")
def compact(tmp_path_factory: pytest.TempPathFactory) -> merges.Merges:
    """The merges of the installed package, through a file of their own."""
    found = merges.opened(SOURCE, tmp_path_factory.mktemp("cache"))
    assert found is not None
    return found


def library_ids(text: str) -> list[int]:
    """What the tokenizers library makes of a text."""
    ids: list[int] = TOKENIZER.encode(text, add_special_tokens=False).ids
    return ids


@pytest.mark.parametrize("text", TEXTS)
def test_ids_are_those_of_the_library(compact: merges.Merges, text: str) -> None:
    assert compact.encode(text) == library_ids(text)


def test_ids_are_the_same_when_what_was_looked_up_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merges, "_MOST_SEEN", 3)
    compact = merges.opened(SOURCE, tmp_path)
    assert compact is not None
    for text in TEXTS:
        found = [each for word in text.split() for each in compact.pieces(merges.SPACE + word)]
        assert found == [each for word in text.split() for each in library_ids(word)]
    assert len(compact._pairs_seen) <= 3
    assert len(compact._spelling) <= 3


@settings(max_examples=300)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_ids_of_any_text_are_those_of_the_library(compact: merges.Merges, text: str) -> None:
    if not any(each in text for each in ("<unk>", "<s>", "</s>")):
        assert compact.encode(text) in (library_ids(text), None)


def test_a_long_word_is_left_to_the_library(compact: merges.Merges) -> None:
    assert compact.encode("x" * merges.LONGEST_WORD) is None
    assert compact.encode("") == []


@pytest.mark.parametrize("text", ["<s> marks the start </s>", "long " * 400, "x" * 500])
def test_every_text_has_the_vector_of_the_library(text: str) -> None:
    fresh = WordLlamaEmbedder()
    found = fresh.embed([text])
    assert found.tolist() == LIBRARY.embed([text]).tolist()
    assert len(library_ids(text)) <= MAX_TOKENS or found.any()


def test_a_short_question_has_the_same_vector_and_does_not_load_the_library() -> None:
    fresh = WordLlamaEmbedder()
    assert fresh.embed(list(TEXTS[:3])).tolist() == LIBRARY.embed(list(TEXTS[:3])).tolist()
    assert "_tokenizer" not in vars(fresh)


def test_words_have_the_same_ids_once_the_library_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordllama, "_WITHOUT_LIBRARY", 0)
    fresh = WordLlamaEmbedder()
    fresh.embed(["first"])
    assert fresh.embed(list(TEXTS)).tolist() == LIBRARY.embed(list(TEXTS)).tolist()
    assert fresh._merges is not None
    assert fresh._merges.library is not None
    merges._ids_of.cache_clear()
    for text in TEXTS:
        assert fresh._merges.encode(text) == library_ids(text)


def test_no_more_ids_than_wanted_and_few_words_are_remembered(
    compact: merges.Merges, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merges, "MOST_WORDS", 2)
    merges._ids_of.cache_clear()  # of what the tests before have read
    assert compact.encode(TEXTS[0], 5) == library_ids(TEXTS[0])[:5]
    assert len(merges._ids_of(compact)) <= 2


def test_single_precision_is_that_of_numpy() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)][None, :]
    assert wordllama._single(finite).tobytes() == finite.astype(np.float32).tobytes()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file as it is made. No test changes it."""
    folder = tmp_path_factory.mktemp("made")
    assert merges.opened(SOURCE, folder) is not None
    (path,) = folder.iterdir()
    return path


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:20],
        lambda content: content[:-1],
        lambda content: content[:-100] + bytes(100),
        lambda content: b"\0" * len(content),
    ],
)
def test_a_damaged_file_is_made_again(tmp_path: Path, made: Path, damage: Any) -> None:
    path, whole = tmp_path / made.name, made.read_bytes()
    path.write_bytes(damage(whole))
    found = merges.opened(SOURCE, tmp_path)
    assert found is not None
    assert found.encode(TEXTS[0]) == library_ids(TEXTS[0])
    assert path.read_bytes() == whole


def test_the_file_is_made_again_when_the_package_changes(tmp_path: Path) -> None:
    source = tmp_path / "tokenizer.json"
    content = json.loads(SOURCE.read_bytes())
    source.write_text(json.dumps(content), encoding="utf-8")
    cache = tmp_path / "cache"
    before = merges.opened(source, cache)
    content["model"]["merges"] = []
    source.write_text(json.dumps(content), encoding="utf-8")
    os.utime(source, ns=(1, 1))
    after = merges.opened(source, cache)
    assert before is not None
    assert after is not None
    assert len(before.encode("database") or ()) < len(after.encode("database") or ()) == len("▁database")
    assert len(list(cache.iterdir())) == 1


def test_another_kind_of_tokenizer_is_left_to_the_library(tmp_path: Path) -> None:
    content = json.loads(SOURCE.read_bytes())
    content["pre_tokenizer"] = {"type": "Whitespace"}
    source = tmp_path / "tokenizer.json"
    source.write_text(json.dumps(content), encoding="utf-8")
    assert merges.opened(source, tmp_path / "cache") is None


def test_where_no_file_can_be_made_texts_are_encoded_all_the_same(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    found = merges.opened(SOURCE, blocked / "cache")
    assert found is not None
    assert found.encode(TEXTS[3]) == library_ids(TEXTS[3])


def test_threads_that_make_the_file_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    found: list[merges.Merges | None] = []
    threads = [threading.Thread(target=lambda: found.append(merges.opened(SOURCE, tmp_path))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [each is not None and each.encode(TEXTS[1]) == library_ids(TEXTS[1]) for each in found] == [True] * 4
    assert len(list(tmp_path.iterdir())) == 1


def test_the_cache_folder_is_the_platforms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(os, "name", "posix")
    assert Path(cache_folder()) == tmp_path / "combray"


def test_only_the_first_tokens_are_read(compact: merges.Merges) -> None:
    text = " ".join(TEXTS) + " " + "x" * 500
    every = [each for known in TEXTS for each in library_ids(known)]
    assert compact.encode(text, 5) == every[:5]
    assert compact.encode(text) is None
