"""Japanese and Korean dates, repeated days, and deadlines, worked by hand from a Wednesday."""

from __future__ import annotations

from datetime import datetime

import pytest

from combray.language.dates import has_time_expression, resolve
from combray.language.dates.statements import resolve_stated

NOW = datetime(2024, 5, 15, 10, 30)


def found(text: str) -> list[tuple[str, str]]:
    return [(f"{each.start:%F %R}", f"{each.end:%F %R}") for each in resolve(text, NOW)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026年3月5日に会った", "2026-03-05 00:00", "2026-03-06 00:00"),
        ("2026年3月5日(木)です", "2026-03-05 00:00", "2026-03-06 00:00"),
        ("先週の金曜日に話した", "2024-05-10 00:00", "2024-05-11 00:00"),
        ("再来週の水曜日", "2024-05-29 00:00", "2024-05-30 00:00"),
        ("おとといの夜", "2024-05-13 18:00", "2024-05-14 06:00"),
        ("三日前に届いた", "2024-05-12 00:00", "2024-05-13 00:00"),
        ("明日の午後3時から5時まで", "2024-05-16 15:00", "2024-05-16 17:00"),
        ("5月1日から3日まで", "2024-05-01 00:00", "2024-05-04 00:00"),
        ("来年の初めに", "2025-01-01 00:00", "2025-05-01 00:00"),
        ("2019年以降の記録", "2019-01-01 00:00", "3000-01-01 00:00"),
        ("来週", "2024-05-20 00:00", "2024-05-27 00:00"),
        ("2026년 3월 5일에 만났다", "2026-03-05 00:00", "2026-03-06 00:00"),
        ("2026. 3. 5. 회의", "2026-03-05 00:00", "2026-03-06 00:00"),
        ("지난주 금요일에", "2024-05-10 00:00", "2024-05-11 00:00"),
        ("다음 달에 이사한다", "2024-06-01 00:00", "2024-07-01 00:00"),
        ("그저께 밤", "2024-05-13 18:00", "2024-05-14 06:00"),
        ("사흘 전에", "2024-05-12 00:00", "2024-05-13 00:00"),
        ("내일 오후 세 시에", "2024-05-16 15:00", "2024-05-16 16:00"),
        ("5월 1일부터 3일까지", "2024-05-01 00:00", "2024-05-04 00:00"),
        ("내년 초에", "2025-01-01 00:00", "2025-05-01 00:00"),
        ("유월 삼 일", "2023-06-03 00:00", "2023-06-04 00:00"),
    ],
)
def test_an_expression_of_time(text: str, start: str, end: str) -> None:
    assert has_time_expression(text)
    assert found(text) == [(start, end)]


@pytest.mark.parametrize(
    "text",
    [
        "第二章を読む",
        "日本は島国です",
        "3日間の旅行だった",
        "彼は三十歳です",
        "안내일정표",
        "그는 서른 살이다",
        "3일간의 여행",
    ],
)
def test_words_that_name_no_time(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "We swim every Monday.",
        "Wir schwimmen jeden Montag.",
        "On nage chaque lundi.",
        "Nadamos cada lunes.",
        "Nadamos toda segunda-feira.",
        "Chúng tôi bơi mỗi thứ hai.",
        "我们每周一游泳。",
        "毎週月曜日に泳ぎます。",
        "매주 월요일에 수영한다.",
    ],
)
def test_a_day_that_repeats_is_no_date(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Send it no later than 30 June.",
        "spätestens am 30. Juni",
        "au plus tard le 30 juin",
        "a más tardar el 30 de junio",
        "no máximo até 30 de junho",
        "chậm nhất 30 tháng 6",
        "最晚六月三十日",
        "6月30日までに送ってください",
        "6월 30일까지 보내세요",
    ],
)
def test_a_deadline_lies_ahead_and_includes_its_day(text: str) -> None:
    (expression,) = resolve_stated(text, NOW)
    assert expression.kind == "open"
    assert expression.end == datetime(2024, 7, 1)


def test_a_deadline_in_the_past_stays_there() -> None:
    (expression,) = resolve("It was due no later than 30 June.", NOW, forward=False)
    assert expression.end == datetime(2023, 7, 1)


def test_kana_tells_japanese_from_chinese() -> None:
    assert found("先月の末に") == [("2024-04-16 00:00", "2024-05-01 00:00")]
    assert found("上个月底") == [("2024-04-16 00:00", "2024-05-01 00:00")]
    # The same characters are a Chinese "before" and a Japanese "until".
    assert found("1998年以前")[0][1] == "1998-01-01 00:00"
    assert found("それは1998年以前です")[0][1] == "1999-01-01 00:00"
