"""The validity of a statement, from its words and the day on which it was said: Wednesday 14 May 2025."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from combray.language.tense import tense_of
from combray.language.validity import validity_of

SAID = datetime(2025, 5, 14, 9, 30, tzinfo=UTC)


def day(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        # The past ends with the date that it names.
        ("I used to live in Lisbon until 2019.", None, "2020-01-01"),
        ("We used Subversion until March 2019.", None, "2019-04-01"),
        ("The office was in Baker Street until 30 June 2021.", None, "2021-07-01"),
        ("I worked at Nokia from 2015 to 2019.", "2015-01-01", "2020-01-01"),
        ("I was vegetarian between 2010 and 2014.", "2010-01-01", "2015-01-01"),
        ("Until yesterday the parking was free.", None, "2025-05-14"),
        ("直到2019年3月，我们一直用SVN。", None, "2019-04-01"),
        ("Từ năm 2005 đến năm 2008 tôi học ở Cần Thơ.", "2005-01-01", "2009-01-01"),
        # A plan begins at its one date.
        ("From 1 June we'll meet in the small room.", "2025-06-01", None),
        ("Starting next Monday, all pull requests need two approvals.", "2025-05-19", None),
        ("In two weeks the office moves to the third floor.", "2025-05-28", None),
        ("We will switch to Vitest on 2025-07-07.", "2025-07-07", None),
        ("Hana takes over the newsletter from September.", "2025-09-01", None),
        ("我下周一去新医院上班。", "2025-05-19", None),
        ("Từ tuần sau căng tin sẽ không nhận tiền mặt.", "2025-05-19", None),
        ("We'll move the database once the audit is done.", None, None),
        ("We'll soon move the database.", None, None),
        ("We'll meet on 3 June or on 5 June.", None, None),
        ("I'll have the report ready by Friday.", "2025-05-17", None),
        # Said in May: what began last month, last year or in a year that is over is no plan.
        ("从上个月起我在华为上班。", "2025-04-01", None),
        ("从去年二月起房租是三千。", "2024-02-01", None),
        ("自2024年2月起房租是三千。", "2024-02-01", None),
        ("从2026年2月起房租是四千。", "2026-02-01", None),
        ("从六月起房租是四千。", "2025-06-01", None),
        ("Từ tháng 2 năm ngoái tiền nhà là ba triệu.", "2024-02-01", None),
        ("Từ tháng sáu tiền nhà là bốn triệu.", "2025-06-01", None),
        # The day of a change that lies ahead, in words of the present.
        ("On 1 March 2026 I move into my own flat in Harlow.", "2026-03-01", None),
        ("The van is booked: 3 June we move to the house by the canal.", "2025-06-03", None),
        ("Rafaela goes on leave on 6 October; from that day Dmitri covers the desk.", "2025-10-06", None),
        ("The move slips by four weeks, to 9 June 2025; the network needs more time.", "2025-06-09", None),
        ("Ngày 15 tháng 6 mình dọn về căn hộ ở Tân Phú, cọc xong rồi.", "2025-06-15", None),
        ("The photo shoot for the catalogue is on 9 September.", None, None),
        ("We moved to the house by the canal on 3 May.", None, None),
        ("I always change the filters in June.", None, None),
        # Of "by the end" and "at the end" only the end is certain.
        ("We're going to move CI to another host by the end of June.", "2025-07-01", None),
        ("Dad is going to retire at the end of the year.", "2026-01-01", None),
        ("Leah is going to move to Bergen this spring.", "2025-06-01", None),
        # Said on a Wednesday, "starting Wednesday" is the next one.
        ("Starting Wednesday the standup will be at 10:15.", "2025-05-21", None),
        # The day of a change stands before a comma, or beside another day.
        ("I'm picking up the electric van on the 28th.", "2025-05-28", None),
        # An announcement says nothing about time.
        ("Decided. From next Monday on I'll train with the rowers.", "2025-05-19", None),
        ("It's signed!! Next month we move the office to the harbour.", "2025-06-01", None),
        # What is put off begins on its new day, whichever sentence says so.
        ("Vendor isn't ready, the switch happens on 26 May, not on the 15th.", "2025-05-26", None),
        ("They found loose tiles. Our first evening there is 3 June instead.", "2025-06-03", None),
        ("The lag is ugly, the cutover is pushed to 7 June. The old one stays till then.", "2025-06-07", None),
        ("The painter left us. The shop will open on 30 June instead of 12 June.", "2025-06-30", None),
        ("They want more logs first, so the region change is off until 10 June.", "2025-06-10", None),
        ("原本打算五月转学，结果那边没名额，推到九月一号再转。", "2025-09-01", None),
        ("Hội thảo lùi đến ngày 20 tháng 6.", "2025-06-20", None),
        ("I paid by card instead on 3 May.", None, None),
        ("I'll take the train instead of the bus.", None, None),
        # "As of" names the nearer of two days, if one is much nearer.
        ("Mail from the host: as of 1 June the storage plan is 79 a month.", "2025-06-01", None),
        ("As of 3 May the price is 9.", None, None),
        # So it does between two days of the calendar, and in a sentence behind an announcement.
        ("Hemi is in Samoa from 4 to 22 August.", "2025-08-04", "2025-08-23"),
        ("The clinic rang. The operation is put off from the 4th to 18 June.", "2025-06-18", None),
        ("The rent is 900 at the moment. From 1 June it is 950.", None, None),
        # The date says which weekday is meant.
        ("领导定了，从下个月开始周会改到周四下午三点开。", "2025-06-01", None),
        ("I'm going to work four days, Monday to Thursday.", None, None),
        ("Production goes to the new version on sat 24 may.", "2025-05-24", None),
        ("Ngày 15/8 này cả nhà dọn về nhà mới ở phố Lê Trung.", "2025-08-15", None),
        ("Cuộc họp dời sang ngày 20 tháng 6.", "2025-06-20", None),
        # The day to which something is put stands behind those words, the one it leaves before them.
        ("Scratch the 2 June thing, Node 22 for the API is pushed to 30 June.", "2025-06-30", None),
        ("The audit of 20 May got moved to 3 June.", "2025-06-03", None),
        ("Der Umzug wird vom 2. Juni auf den 9. Juni verschoben.", "2025-06-09", None),
        # What ends before the start is another thing.
        ("6月1日起轴承改由恒达供货，宏远的合同到五月底结束。", "2025-06-01", None),
        # A distance from a day lies ahead, whatever the verb.
        ("Decision from upstairs: a fortnight from today Kofi sits in the breakfast chair.", "2025-05-28", None),
        ("Two weeks from today we have the new scanner.", "2025-05-28", None),
        # Starts, ends and changes in German, French and Spanish.
        ("Ab dem 1. Juli arbeitet Jost auch mittwochs.", "2025-07-01", None),
        ("Brief von der Gemeinde: Ab 1. August sind es 214 Euro monatlich.", "2025-08-01", None),
        ("Am 3. Juni ziehen wir in das Haus am Kanal.", "2025-06-03", None),
        ("À partir du 2 juin, je travaille à Lyon.", "2025-06-02", None),
        ("Le 3 juin nous déménageons à Lyon.", "2025-06-03", None),
        ("A partir del 2 de junio trabajo en Sevilla.", "2025-06-02", None),
        ("El 3 de junio nos mudamos a Sevilla.", "2025-06-03", None),
        ("Ich hole die Kinder um drei ab.", None, None),
        ("Das Foto ist vom 3. Juni.", None, None),
        # The present has limits only where it names them.
        ("I'm in Oslo until Friday.", None, "2025-05-17"),
        ("I have lived in Oslo since March.", "2025-03-01", None),
        ("As of today the port is 5433.", "2025-05-14", None),
        ("On Saturdays we are open until eight.", None, None),
        ("I work from Monday to Friday.", None, None),
        ("The meeting on 3 May was cancelled.", None, None),
        ("The user lives in Berlin.", None, None),
        # What is not asserted has no validity.
        ("I might move on 1 June.", None, None),
        ("Someone said we move on 1 June.", None, None),
        ("Do we move on 1 June?", None, None),
    ],
)
def test_validity(text: str, since: str | None, until: str | None) -> None:
    assert validity_of(text, tense_of(text), SAID) == (day(since), day(until))


@pytest.mark.parametrize(
    "text", ["I used to live in Lisbon.", "以前我住在西湖区。", "Hồi trước anh Tú làm ở bưu điện."]
)
def test_a_past_without_a_date_was_over_when_it_was_told(text: str) -> None:
    assert validity_of(text, tense_of(text), SAID) == (None, SAID)


def test_what_ends_on_a_day_ahead_is_no_past() -> None:
    """The words "until 2029" mark the past in a statement of 2030, and the present in one of 2025."""
    text = "The mortgage is with Northgate, fixed until 2029."
    assert validity_of(text, tense_of(text), SAID) == (None, day("2030-01-01"))


@pytest.mark.parametrize(
    ("text", "start"),
    [
        # The weekdays are a habit, the date is the start.
        ("It's signed: from 1 June I only come in Monday to Thursday", (2025, 6, 1)),
        ("Plan: on 5 May we switch all clients over to /v3", (2025, 5, 5)),
        ("As of 1 May the sprint meeting moves to Tuesdays", (2025, 5, 1)),
        ("从四月一号起前台八点下班。", (2025, 4, 1)),
        ("五月二号我要调去苏州办公室。", (2025, 5, 2)),
        # 2 March is over when it is said in the middle of March: it is that of the next year.
        ("Ra Tết, từ 2 tháng 3, các em lên C310 nhé", (2026, 3, 2)),
    ],
)
def test_plans_begin_on_the_day_that_lies_ahead(text: str, start: tuple[int, int, int]) -> None:
    said_at = datetime(2025, 3, 20, 9, tzinfo=UTC)
    assert validity_of(text, tense_of(text), said_at) == (datetime(*start, tzinfo=UTC), None)
