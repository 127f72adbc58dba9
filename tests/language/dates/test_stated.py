"""Statements about the future and the past, said on Sunday 16 June 2024, each with the day that is meant.

The days were written down before the code was asked; a third of the sentences after the tables were made.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import combray
from combray.interfaces.mcp.calls import Calls
from combray.language.dates import statements
from combray.language.dates.statements import days_named
from combray.language.folding import plain
from combray.testing.fakes import FakeClock

SUNDAY = datetime(2024, 6, 16, 12, tzinfo=UTC)

AHEAD = {
    "My dentist appointment is Tuesday.": "2024-06-18",
    "The release goes out on Thursday.": "2024-06-20",
    "Don't forget the rent is due Friday.": "2024-06-21",
    "I'm meeting Priya on Wednesday at noon.": "2024-06-19",
    "Mom's flight lands Monday morning.": "2024-06-17",
    "We have a call with the bank on Thursday.": "2024-06-20",
    "Can you pick up the kids on Friday?": "2024-06-21",
    "Let's have dinner on Saturday.": "2024-06-22",
    "Her birthday is on June 20.": "2024-06-20",
    "The course starts on July 3.": "2024-07-03",
    "My passport expires on 9 August.": "2024-08-09",
    "Tom is getting married on March 8.": "2025-03-08",
    "周二我要去看牙医。": "2024-06-18",
    "会议在周四下午举行。": "2024-06-20",
    "房租周五到期。": "2024-06-21",
    "我打算周六去爬山。": "2024-06-22",
    "星期三有考试。": "2024-06-19",
    "我们约好周五见面。": "2024-06-21",
    "妈妈的生日是6月20日。": "2024-06-20",
    "Thứ ba tôi có hẹn với nha sĩ.": "2024-06-18",
    "Thứ năm tôi sẽ họp với ngân hàng.": "2024-06-20",
    "Tiền nhà đến hạn thứ sáu.": "2024-06-21",
    "Chúng tôi định đi leo núi vào thứ bảy.": "2024-06-22",
    "Thứ tư tôi phải thi.": "2024-06-19",
    "Máy bay cất cánh sáng thứ hai.": "2024-06-17",
    "Cô ấy sắp cưới vào ngày 3 tháng 7.": "2024-07-03",
    "Nhớ nộp báo cáo thứ năm nhé.": "2024-06-20",
    "Khóa học bắt đầu ngày 3/7.": "2024-07-03",
    "Remember to water the plants on Wednesday.": "2024-06-19",
    "Please call the plumber on Monday.": "2024-06-17",
    "The museum reopens on July 1.": "2024-07-01",
    "I have to hand in the essay Thursday.": "2024-06-20",
    "We're getting the keys on Friday.": "2024-06-21",
    "The kids get out of school Tuesday.": "2024-06-18",
    "Her visa runs out on 30 June.": "2024-06-30",
    "The plumber comes Wednesday morning.": "2024-06-19",
    "Book the table for Saturday.": "2024-06-22",
    "My exam was moved to Thursday.": "2024-06-20",
    "Pay the gas bill on Friday.": "2024-06-21",
    "记得周三浇花。": "2024-06-19",
    "请周一给水管工打电话。": "2024-06-17",
    "博物馆7月1日重新开放。": "2024-07-01",
    "护照8月9日过期。": "2024-08-09",
    "水管工周三上午来。": "2024-06-19",
    "Nhớ tưới cây thứ tư.": "2024-06-19",
    "Hãy gọi thợ sửa ống nước vào thứ hai.": "2024-06-17",
    "Bảo tàng mở cửa lại ngày 1/7.": "2024-07-01",
    "Thứ tư thợ sẽ đến.": "2024-06-19",
    "The vet sees the cat on Tuesday.": "2024-06-18",
    "Pick up the suit on Wednesday.": "2024-06-19",
    "Grandma visits us on Thursday.": "2024-06-20",
    "My parents arrive on Saturday.": "2024-06-22",
    "The shop closes on July 4.": "2024-07-04",
    "The electrician is supposed to come Friday.": "2024-06-21",
    "周二我们和客户开会。": "2024-06-18",
    "Thứ ba chúng tôi họp với khách hàng.": "2024-06-18",
}
BEHIND = {
    "I saw the dentist on Tuesday.": "2024-06-11",
    "We had lunch with Anna on Friday.": "2024-06-14",
    "The server crashed on Thursday night.": "2024-06-13",
    "She called me Monday.": "2024-06-10",
    "On Saturday we went hiking.": "2024-06-15",
    "The parcel arrived Wednesday.": "2024-06-12",
    "It rained all day on Thursday.": "2024-06-13",
    "I was sick on Monday and stayed home.": "2024-06-10",
    "My bike was stolen on Friday.": "2024-06-14",
    "He quit on June 3.": "2024-06-03",
    "We moved in on December 5.": "2023-12-05",
    "The photos from Saturday are great.": "2024-06-15",
    "我周二看了牙医。": "2024-06-11",
    "周五我和安娜吃过午饭。": "2024-06-14",
    "服务器周四崩溃了。": "2024-06-13",
    "她周一给我打了电话。": "2024-06-10",
    "星期六我们去爬山了。": "2024-06-15",
    "包裹周三到了。": "2024-06-12",
    "我6月3日辞职了。": "2024-06-03",
    "周四下了一整天雨。": "2024-06-13",
    "我的自行车周五被偷了。": "2024-06-14",
    "Tôi đã đi khám răng hôm thứ ba.": "2024-06-11",
    "Thứ sáu tôi đã ăn trưa với Anna.": "2024-06-14",
    "Máy chủ bị sập hôm thứ năm.": "2024-06-13",
    "Cô ấy gọi cho tôi hôm thứ hai.": "2024-06-10",
    "Hôm thứ bảy chúng tôi đi leo núi.": "2024-06-15",
    "Anh ấy đã nghỉ việc ngày 3/6.": "2024-06-03",
    "Xe đạp của tôi bị mất hôm thứ sáu.": "2024-06-14",
    "Trời mưa suốt hôm thứ năm.": "2024-06-13",
    "The plumber came Wednesday morning.": "2024-06-12",
    "I paid the gas bill on Friday.": "2024-06-14",
    "Anna got married on March 8.": "2024-03-08",
    "The exam was cancelled on Thursday.": "2024-06-13",
    "The museum closed on June 1.": "2024-06-01",
    "水管工周三上午来过。": "2024-06-12",
    "我周五付了煤气费。": "2024-06-14",
    "博物馆6月1日关门了。": "2024-06-01",
    "Thợ đã đến hôm thứ tư.": "2024-06-12",
    "Tôi đã trả tiền ga hôm thứ sáu.": "2024-06-14",
    "Hôm thứ năm chúng tôi ăn phở.": "2024-06-13",
    "My boss called me on Tuesday.": "2024-06-11",
    "We picked up the suit on Wednesday.": "2024-06-12",
    "Grandma visited us on Thursday.": "2024-06-13",
    "My parents arrived on Saturday.": "2024-06-15",
    "I couldn't sleep on Friday.": "2024-06-14",
    "He hurt his knee on Monday.": "2024-06-10",
    "I cut my finger on Thursday.": "2024-06-13",
    "周二我们和客户开了会。": "2024-06-11",
    "她周五生病没来上班。": "2024-06-14",
    "Hôm thứ ba chúng tôi đã họp với khách hàng.": "2024-06-11",
}


@pytest.mark.parametrize(("said", "day"), AHEAD.items())
def test_what_is_said_of_the_future_lies_ahead(said: str, day: str) -> None:
    assert [str(each.first.date()) for each in days_named(said, SUNDAY)] == [day]


@pytest.mark.parametrize(("said", "day"), BEHIND.items())
def test_what_is_said_of_the_past_lies_behind(said: str, day: str) -> None:
    assert [str(each.first.date()) for each in days_named(said, SUNDAY)] == [day]


@pytest.mark.parametrize("embedder", ["wordllama", "none"])
@pytest.mark.parametrize(
    ("said", "question", "note"),
    [
        ("My dentist appointment is Tuesday.", "When is my dentist appointment?", "Tuesday = 2024-06-18"),
        ("Tom is getting married on March 8.", "When is Tom getting married?", "March 8 = 2025-03-08"),
        ("Her visa runs out on 30 June.", "When does her visa run out?", "30 June = 2024-06-30"),
        ("房租周五到期。", "房租什么时候到期？", "周五 = 2024-06-21"),
        ("Tiền nhà đến hạn thứ sáu.", "Tiền nhà khi nào đến hạn?", "thứ sáu = 2024-06-21"),
        ("I saw the dentist on Tuesday.", "When did I see the dentist?", "Tuesday = 2024-06-11"),
    ],
)
def test_think_and_mcp_name_the_day_that_is_meant(said: str, question: str, note: str, embedder: str) -> None:
    clock = FakeClock(SUNDAY.timestamp())
    with combray.open(":memory:", embedder=embedder, clock=clock) as engine:
        engine.remember(said)
        clock.pass_(days=1)
        assert note in engine.think(question).answer
        assert note in str(Calls(engine).think(question))


def test_a_row_of_dates_is_not_searched_whole_for_each_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []

    def counted(text: str) -> str:
        searched.append(len(text))
        return plain(text)

    monkeypatch.setattr(statements, "plain", counted)
    row = ", ".join(f"{day} May 2024" for day in range(1, 29)) + ", "
    found = days_named(f"The shop was shut on {row * 5}and 3 June", SUNDAY)
    assert len(found) == 141
    assert max(searched) <= 400


def test_a_verb_turns_a_date_that_is_far_from_it_in_a_long_text() -> None:
    long = "The kettle is blue. " * 200
    (day,) = days_named(f"{long}We will meet on Friday. {long}", SUNDAY)
    assert str(day) == "2024-06-21"
