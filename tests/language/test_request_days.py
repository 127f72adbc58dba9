"""A request names days: in any format, as the day of a memory, in several languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import combray
from combray import Engine
from combray.language.requests import request, states_present
from combray.testing.fakes import FakeClock

MAY = (
    ("Had lunch with Renate at the harbour.", "2024-05-03"),
    ("The ankle is still swollen.", "2024-05-04"),
    ("Booked the table for 3 May 2024.", "2024-04-20"),
)


def filled(*memories: tuple[str, str]) -> Engine:
    engine = combray.open(":memory:", embedder="none", clock=FakeClock())
    for content, day in memories:
        engine.remember(content, occurred_at=day, diff=False)
    return engine


def taken(engine: Engine, about: str) -> set[str]:
    return {match.memory.content for match in engine.forget(about=about).certain}


@pytest.mark.parametrize(
    "say",
    [
        "forget everything from 3 May 2024",
        "delete everything of 2024-05-03",
        "apaga tudo de 3 de maio de 2024",
        "2024年5月3日のことを全部消して",
    ],
)
def test_a_day_takes_what_happened_then_and_what_names_it(say: str) -> None:
    assert taken(filled(*MAY), say) == {MAY[0][0], MAY[2][0]}


def test_a_month_takes_its_days() -> None:
    assert taken(filled(*MAY), "forget everything from April 2024") == {MAY[2][0]}


def test_a_day_with_other_words_takes_only_what_names_it() -> None:
    engine = filled(
        ("I was born on 12 April 1990 in Graz.", "2024-01-10"),
        ("DOB 12/04/1990, nationality Austrian.", "2024-03-01"),
        ("We went bowling.", "1990-04-12"),
    )
    found = taken(engine, "forget my birthday 1990-04-12")
    assert found == {"I was born on 12 April 1990 in Graz.", "DOB 12/04/1990, nationality Austrian."}


def test_a_day_without_a_year_is_read_as_of_now() -> None:
    (day,) = request("everything from 3 May", datetime(2024, 9, 1, tzinfo=UTC)).days
    assert (day.start, day.end) == (datetime(2024, 5, 3, tzinfo=UTC), datetime(2024, 5, 4, tzinfo=UTC))


def test_a_number_is_no_day() -> None:
    assert not request("forget order A-2231/7").days
    assert not request("forget the SSN 123-45-6789").days


@pytest.mark.parametrize(
    ("text", "present"),
    [
        ("My new address is 3 Station Road.", True),
        ("My old address was 14 Mill Lane.", False),
        ("I swim.", False),
    ],
)
def test_what_holds_since_a_change(text: str, present: bool) -> None:
    assert states_present(text) is present


@pytest.mark.parametrize(
    ("say", "right", "wrong"),
    [
        ("dimentica tutto su Teresa", "Teresa lavora alla posta.", "La posta chiude alle cinque."),
        ("esqueça tudo sobre a Teresa", "A Teresa vai casar em maio.", "Em maio vou a Lisboa."),
        ("удали всё про Марину", "Марина работает в аптеке.", "Аптека закрыта в воскресенье."),
        ("田中さんについてすべて忘れて", "田中さんは来月引っ越す。", "来月は京都に行く。"),
        ("한빛상사에 대한 모든 것을 잊어 줘", "한빛상사에 송장을 보냈다.", "송장은 매달 보낸다."),
    ],
)
def test_requests_in_more_languages(say: str, right: str, wrong: str) -> None:
    assert taken(filled((right, "2024-01-01"), (wrong, "2024-01-02")), say) == {right}
