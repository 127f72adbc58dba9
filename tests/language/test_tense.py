"""What a statement claims about time: the examples of the page, and sentences that only look hedged."""

from __future__ import annotations

import pytest

from combray.language.tense import claim_of


@pytest.mark.parametrize(
    ("text", "tense"),
    [
        ("The user lives in Berlin.", "present"),
        ("The user used to live in Lisbon.", "past"),
        ("Until 2023 the build machines ran CentOS 7.", "past"),
        ("Before that she worked at Hitachi for nine years.", "past"),
        ("I was married to Paul for eight years.", "past"),
        ("I used to live in Lisbon, now I live in Berlin.", "present"),
        ("I moved to Porto three years ago.", "present"),
        ("The first machine was reimaged.", "present"),
        ("From 1 April the Basic plan will cost 12 a month.", "planned"),
        ("We are going to move to Aarhus.", "planned"),
        ("I might work at the archive one day.", "hypothetical"),
        ("If they paid better I'd work there from tomorrow.", "hypothetical"),
        ("If you look for Petra: ground level, next to the bike room.", "present"),
        ("For scripts I'd pick Python.", "present"),
        ('That blog says: "We deploy to production on a Friday."', "quoted"),
        ("Someone at lunch said Joachim is our CEO by Christmas. Gossip.", "quoted"),
        ("The sign on the door says so too.", "present"),
        ("Does Kiran live in Mumbai?", "asked"),
        ("以前我住在西湖区的老房子里。", "past"),
        ("我住在杭州滨江区。", "present"),
        ("要是小区物业换成万科,物业费怕是得涨。", "hypothetical"),
        ("听说物业公司要换成万科。", "quoted"),
        ("四月十五号搬去虹桥?", "asked"),
        ("Hồi trước anh Tú làm ở bưu điện.", "past"),
        ("Hoi truoc anh Tu lam o buu dien.", "past"),
        ("Nghe đồn cô Bảy là tổ trưởng rồi.", "quoted"),
        ("Giả sử tổ trưởng là cô Bảy thì xóm ồn phải biết.", "hypothetical"),
        ("Tell them I asked.", "present"),
        ("", "present"),
    ],
)
def test_tense(text: str, tense: str) -> None:
    assert claim_of(text).tense == tense


@pytest.mark.parametrize(
    ("text", "retracts", "corrects", "adds"),
    [
        ("We no longer use Jenkins.", True, False, False),
        ("The meeting on 3 May was cancelled.", True, False, False),
        ("Actually Rhea was born on the 8th.", False, True, False),
        ("I also speak Welsh.", False, False, True),
        ("不再订报纸了", True, False, False),
        ("Mình cũng chạy xe máy.", False, False, True),
        ("I live in Berlin.", False, False, False),
    ],
)
def test_what_it_does_to_an_earlier_statement(text: str, retracts: bool, corrects: bool, adds: bool) -> None:
    claim = claim_of(text)
    assert (claim.retracts, claim.corrects, claim.adds) == (retracts, corrects, adds)
