from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

import combray
from combray.designs.mnemo.search import ExpandQuery, ReadNames, date_forms, forms_of, synonyms
from combray.forms.recalling import Recalling
from combray.language.tokens import query_terms
from combray.testing.fakes import FakeClock

NOW = datetime(2024, 3, 10, 12, tzinfo=UTC).timestamp()
MARCH_5 = ["3月5日", "3/5", "2024-03-05", "03-05", "March 5", "03/05", "03月05日"]


@pytest.mark.parametrize(
    "query",
    [
        "3月5日发生了什么",
        "2024年3月5日发生了什么",
        "2024年03月05日",
        "what happened on March 5",
        "what happened on 5 March 2024",
        "what happened on 2024/3/5",
        "what happened on 2024-03-05",
        "what happened on 3/5",
        "5 days ago",
        "ngày 5 tháng 3 có gì",
        "what happened on 05.03.2024",  # with dots the day stands first, in English too
        "what happened on 5.3.24",
    ],
)
def test_a_day_is_put_into_all_its_forms_however_it_is_written(query: str) -> None:
    """Upstream notes 3.2: "X月Y日 -> itself + m/d + YYYY-MM-DD + MM-DD"."""
    assert date_forms(query, NOW) == MARCH_5


@pytest.mark.parametrize(
    ("query", "day"),
    [
        ("今天做了什么", "2024-03-10"),
        ("昨天做了什么", "2024-03-09"),
        ("前天做了什么", "2024-03-08"),
        ("大前天做了什么", "2024-03-07"),
        ("what did we do today", "2024-03-10"),
        ("what did we do yesterday", "2024-03-09"),
    ],
)
def test_days_counted_from_today(query: str, day: str) -> None:
    """Upstream notes 3.2: "今天 0, 昨天 -1, 前天 -2, 大前天 -3"."""
    assert date_forms(query, NOW) == list(forms_of(date.fromisoformat(day)))


@pytest.mark.parametrize(
    "query", ["what happened last week", "in March 2024", "recently", "the dog of Alice", "为什么"]
)
def test_what_is_no_single_day_gives_no_forms(query: str) -> None:
    assert date_forms(query, NOW) == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("which database did we take", ["db"]),
        ("the couch", ["sofa"]),
        ("cơ sở dữ liệu nào", ["csdl"]),
        ("谁的电脑坏了", ["计算", "算机"]),
        ("the orchard", []),
    ],
)
def test_words_of_one_meaning_stand_in_for_each_other(query: str, found: list[str]) -> None:
    added = synonyms(query_terms(query))
    assert set(found) <= set(added)
    assert bool(added) == bool(found)


def test_a_word_of_several_parts_needs_all_of_them() -> None:
    """ "cơ sở dữ liệu" is a database; "cơ hội" is a chance, "dữ liệu" is data."""
    assert synonyms(["co", "so", "du", "lieu"]) == ["csdl"]
    assert synonyms(["co", "hoi", "du", "lieu"]) == []


def _expanded(query: str, **settings: float) -> dict[str, float]:
    engine = combray.open(":memory:", embedder="none", clock=FakeClock(NOW))
    terms = tuple(query_terms(query))
    state = Recalling(query, engine.namespace, engine.reader, NOW, terms=terms)
    found: dict[str, float] = ExpandQuery(**settings)(state, engine.runtime).details["expansion"]  # type: ignore[arg-type]
    assert state.terms == terms
    return found


def test_synonyms_count_half_and_no_more_are_added_than_asked_for() -> None:
    assert _expanded("couch") == {"sofa": 0.5}
    assert len(_expanded("couch and database", weight=0.3, most=1)) == 1


def test_no_part_of_a_day_is_a_word_of_the_query() -> None:
    assert _expanded("3/5") == {}
    assert _expanded("前天") == {}


@pytest.mark.parametrize("embedder", ["none", "wordllama"])
def test_another_day_is_not_found_by_shared_characters(embedder: str) -> None:
    """Issue: "前天 matches X月Y日 by shared characters". 前天 is 3月8日."""
    engine = combray.open(":memory:", embedder=embedder, clock=FakeClock(NOW), preset="mnemo")
    engine.remember_many(["8月3日搬家了", "3月18日修了车", "2月9日开会", "3月8日买了显示器"])
    answer = engine.recall("前天")
    assert answer[0].memory.content == "3月8日买了显示器"
    assert {hit.memory.content for hit in answer if hit.signals.get("bm25") or hit.signals.get("date")} == {
        "3月8日买了显示器"
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("3月5日发生了什么", "Launch on March 5 with the whole team"),
        ("what happened yesterday", "03-09 the router was replaced"),
        ("前天", "2024/3/8 买了新的显示器"),
    ],
)
def test_a_day_is_found_in_whatever_form_a_memory_has_it(query: str, expected: str) -> None:
    engine = combray.open(":memory:", embedder="none", clock=FakeClock(NOW), preset="mnemo")
    engine.remember_many([
        "Launch on March 5 with the whole team",
        "03-09 the router was replaced",
        "2024/3/8 买了新的显示器",
        "The orchard needs water",
    ])  # fmt: skip
    assert engine.recall(query)[0].memory.content == expected


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Where does Marta Klein live?", ("Marta Klein",)),
        ("what did marta klein say about the Blue Lake Inn", ("marta klein", "Blue Lake Inn")),
        ("Klein or Marta?", ()),
        ("张小伟住在哪里", ("张小伟",)),
    ],
)
def test_names_of_several_words_are_read_as_far_as_they_are_known(query: str, found: tuple[str, ...]) -> None:
    engine = combray.open(":memory:", embedder="none", clock=FakeClock(NOW))
    engine.remember("a note", entities=["Marta Klein", "Lake Inn", "Blue Lake Inn", "张小伟", "小伟"])
    state = Recalling(query, engine.namespace, engine.reader, NOW)
    assert ReadNames()(state, engine.runtime).entities == found
