from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from combray.language import lexicon, marks, tables
from combray.language.claims import compare
from combray.language.intent import Intent, detect
from combray.language.scripts import language
from combray.language.tokens import content_terms


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """Esperanto in ten lines."""
    table = {
        "letters": "ĉĝĥĵŝŭ",
        "stopwords": ["la", "kaj", "estas", "en", "kun"],
        "intent": {"WHY": ["kial"]},
        "polarity": {"negations": ["ne"], "antonyms": [["varma", "malvarma"]]},
    }
    write(tmp_path, "eo", "words", json.dumps(table))
    yield tmp_path
    tables.remove_folder(tmp_path)


def write(folder: Path, code: str, section: str, text: str) -> None:
    (folder / code).mkdir(exist_ok=True)
    (folder / code / f"{section}.json").write_text(text, encoding="utf-8")


def test_every_packaged_table_has_stop_words_and_question_words() -> None:
    found = lexicon.word_lists()
    assert {"ar", "de", "en", "es", "fr", "ja", "ko", "pt", "vi", "zh"} <= found.keys()
    for code, words in found.items():
        assert len(words.stopwords) >= 60, code
        assert words.question_words, code


def test_a_language_is_added_by_a_table_alone(tiny: Path) -> None:
    text = "kial la ŝipo estas en la haveno"
    assert detect(text) is Intent.GENERAL
    tables.add_folder(tiny)
    assert detect(text) is Intent.WHY
    assert language(text) == "eo"
    assert content_terms(text) == ["kial", "sipo", "haveno"]
    assert compare("Petro manĝas pomojn", "Petro ne manĝas pomojn").negation_differs
    tables.remove_folder(tiny)
    assert detect(text) is Intent.GENERAL


def test_a_broken_table_says_which_and_why(tmp_path: Path) -> None:
    write(tmp_path, "xx", "words", '{"stopword": []}')
    tables.add_folder(tmp_path)
    try:
        with pytest.raises(ValueError, match=r"xx/words\.json.*stopword"):
            lexicon.word_lists()
    finally:
        tables.remove_folder(tmp_path)


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a folder"):
        tables.add_folder(tmp_path / "nowhere")


def test_phrases_match_whole_words_where_words_are_spaced() -> None:
    pattern = marks.matcher(["no longer", "不再"])
    assert pattern.findall("no  longer, now longer, 我们不再用") == ["no  longer", "不再"]


def test_a_pattern_is_tried_on_a_text_with_a_word_that_it_needs() -> None:
    patterns = [(("old", "aged"), r"\d+ years"), ((), "现在"), ((), r"\bwait, no\b")]
    lists = marks.Lists({"time": ["no longer"]}, {"time": patterns})
    assert lists.of("she is 8 years old").has("time")
    assert not lists.of("it took 8 years").has("time")
    assert lists.of("我现在住在这里").has("time")
    assert lists.of("wait, no").has("time")
    assert lists.of("no longer").has("time")


def test_one_look_up_serves_every_list() -> None:
    found = marks.Lists({"ended": ["no longer", "quit"], "added": ["also"]}).of("She no longer sings, also quit")
    assert found.all("ended") == ["no longer", "quit"]
    assert found.spans("added") == [(21, 25)]
    assert found.without("added", "") == "She no longer sings,  quit"
    assert not found.has("unknown")


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("a cat, asleep", True),
        ("concatenate", False),
        ("cats", False),
        ("wild'cat", False),
        ("cat's", True),
        ("cat_fish", False),
        ("tomcat and cat", True),
        ("hot\n dog", True),
        ("hotdog", False),
        ("我不再用", True),
    ],
)
def test_a_phrase_is_in_a_text_where_the_pattern_finds_it(text: str, held: bool) -> None:
    listed = ["cat", "hot dog", "不再"]
    assert marks.Lists({"all": listed}).of(text).has("all") is held
    assert (marks.matcher(listed).search(text) is not None) is held
