from pathlib import Path

import pytest

from bench.quality.sets import Collection, Item, QuestionSet
from bench.speed.floors import PlainFTS5, Scan
from bench.speed.texts import Text, clauses, questions, texts
from bench.speed.timing import summarised
from combray.testing.fakes import FakeEmbedder

POOL = [f"the miller of village{n} ground barley{n};" for n in range(120)]


def test_clauses_are_cut_at_punctuation_and_short_ones_left_out() -> None:
    items = (Item("1", "Wind turned the mill, so the flour was fine. Yes. It was."),)
    found = clauses([QuestionSet("s", (Collection("c", items, ()),))])
    assert found == ["Wind turned the mill,", "so the flour was fine."]


def test_texts_are_distinct_and_the_same_for_the_same_seed() -> None:
    made = list(texts(POOL, 3000, seed=5))
    assert len({each.text for each in made}) == 3000
    assert made[:50] == list(texts(POOL, 50, seed=5))


def test_a_few_clauses_are_frequent_and_most_are_rare() -> None:
    made = [each.text for each in texts(POOL, 2000)]
    counts = sorted((sum(clause in text for text in made) for clause in POOL), reverse=True)
    # Zipf with 1/(rank + 10): the first has 130 / 11 = 11.8 times the weight of the last.
    assert counts[0] > 5 * counts[-1] > 0


def test_a_pool_too_small_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot make"):
        next(texts(POOL[:50], 10))


def test_questions_name_the_author_and_words_of_a_stored_text() -> None:
    (asked,) = questions([Text("barley harvest failed near Lisbon", "Wren")], 1)
    topic = asked.removeprefix("What did Wren say about ").rstrip("?").split()
    assert 3 <= len(topic) <= 5
    assert set(topic) <= {"barley", "harvest", "failed", "near", "lisbon"}


def test_the_floors_find_what_they_hold(tmp_path: Path) -> None:
    plain = ["red kiln", "blue kiln", "green bench"]
    keyword = PlainFTS5(tmp_path / "floor.db")
    keyword.add(plain)
    assert keyword.ask("Where is the green one?") == ["green bench"]
    keyword.close()
    scan = Scan(FakeEmbedder())
    scan.add(plain)
    assert scan.ask("green bench")[0] == 2


def test_percentiles_by_hand() -> None:
    # 1..21: the median is 11, the 95th percentile the 20th of 21 values.
    found = summarised(range(1, 22))
    assert (found.p50, found.p95, found.calls) == (11.0, 20.0, 21)
