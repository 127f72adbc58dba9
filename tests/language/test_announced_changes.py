"""From which day an announced change holds, and what a text that puts it off or drops it says.

Said on Wednesday 14 May 2025. The days are read off the sentences by hand.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from combray.language.tense import says_put_off, tense_of
from combray.language.validity import validity_of

SAID = datetime(2025, 5, 14, 9, 30, tzinfo=UTC)


def begins(text: str) -> str | None:
    since, _ = validity_of(text, tense_of(text), SAID)
    return None if since is None else since.date().isoformat()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        # "From then on" names the day that the sentence has named before.
        ("We pick up the keys on 2 June and from that day on we live in Rye.", "2025-06-02"),
        # A progressive, or a verb of a state, with a day ahead.
        ("Ottilie's emigrating to Chile on 30 June.", "2025-06-30"),
        ("The new caterer charges nine euros a head from 1 July.", "2025-07-01"),
        ("On 16 June I report to Henrike.", "2025-06-16"),
        ("dropping sugar on 1 June, doctor's orders", "2025-06-01"),
        ("Come 2 June it's Paula who opens the shop.", "2025-06-02"),
        ("Rheinstrom supplies us once the old contract is up on 31 August.", "2025-08-31"),
        # What has happened stands before it in the same sentence.
        ("She has handed in her notice and starts at the mill on 1 July.", "2025-07-01"),
        # Chinese with ASCII marks and without spaces.
        ("商量好了,6月3日爷爷搬来跟我们住,书房给他。", "2025-06-03"),
        ("合同到5月30日就不续了,6月1日我搬进新的公寓。", "2025-06-01"),
        # Put off: the new day, not the old one and no range of both.
        ("The release drifts from 2 June to 2 July.", "2025-07-02"),
        ("The hall isn't ours until 23 June now.", "2025-06-23"),
        ("The flat won't be ready before 15 July.", "2025-07-15"),
        ("The switch moves by two months, to 1 August.", "2025-08-01"),
        ("They brought the handover forward to 7 June.", "2025-06-07"),
        ("入住得等到6月20号。", "2025-06-20"),
        ("Chuyển nhà lùi hai tuần, tới 18/6.", "2025-06-18"),
        # What repeats, and what lies behind.
        ("Rent is due on the 1st of each month.", None),
        ("We moved in with Otto on 3 May.", None),
        ("Solveig's birthday is on 3 June.", None),
    ],
)
def test_the_day_from_which_it_holds(text: str, day: str | None) -> None:
    assert begins(text) == day


@pytest.mark.parametrize(
    ("text", "outright"),
    [
        ("Mum has called the handover off.", True),
        ("The chapel is off for good.", True),
        ("There'll be no opening on 12 June.", True),
        ("My transfer was blocked.", True),
        ("The bakers pulled out.", True),
        ("房东反悔了。", True),
        ("I'm keeping my desk in Turku.", False),
        ("So our spare keys stay where they are, she stays put.", False),
        ("不养了，房东不让。", False),
        ("Anh Tú vẫn làm chỗ cũ.", False),
    ],
)
def test_words_of_putting_off_and_dropping(text: str, outright: bool) -> None:
    assert says_put_off(text) is outright


@pytest.mark.parametrize(
    "text",
    ["Call the plumber and switch the heating off.", "Scrap metal goes to the yard.", "家里养了两只猫。"],
)
def test_other_words_put_nothing_off(text: str) -> None:
    assert not says_put_off(text)
