"""What a statement claims about time: the examples of the page, and sentences that only look hedged."""

from __future__ import annotations

import pytest

from combray.language.tables import section
from combray.language.tense import TenseTable, claim_of, says_put_off, tense_of


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
        ("Found a flat in Porto. We moved in on Friday.", "present"),
        ("When I joined in 2016 the backend was one huge PHP file.", "past"),
        ("之前看错了，合同的编号应该是 HT-7754。", "present"),
        ("If the lottery ever likes us, we live by the sea.", "hypothetical"),
        ("From 1 April the Basic plan will cost 12 a month.", "planned"),
        ("We are going to move to Aarhus.", "planned"),
        ("If we get the grant we move to Jena.", "hypothetical"),
        ("If I get a headache I take ibuprofen.", "present"),
        ("There's a rumour that we move to Rome.", "quoted"),
        ("从上个月起我在华为上班。", "present"),
        ("自去年二月起房租是三千。", "present"),
        ("从二月起房租是三千。", "planned"),
        ("Từ tháng 2 năm ngoái tiền nhà là ba triệu.", "present"),
        ("Từ tháng hai tiền nhà là ba triệu.", "planned"),
        ("I might work at the archive one day.", "hypothetical"),
        ("If they paid better I'd work there from tomorrow.", "hypothetical"),
        ("If you look for Petra: ground level, next to the bike room.", "present"),
        ("For scripts I'd pick Python.", "present"),
        ('That blog says: "We deploy to production on a Friday."', "quoted"),
        ('"The CEO is Piet", said the parody newsletter.', "quoted"),
        ("The thermostat is set to 21.", "present"),
        ("The shop is set to open a second branch.", "planned"),
        ("Someone at lunch said Joachim is our CEO by Christmas. Gossip.", "quoted"),
        ("The sign on the door says so too.", "present"),
        ("Does Kiran live in Mumbai?", "asked"),
        ("以前我住在西湖区的老房子里。", "past"),
        ("我住在杭州滨江区。", "present"),
        ("要是小区物业换成万科,物业费怕是得涨。", "hypothetical"),
        ("听说物业公司要换成万科。", "quoted"),
        ("群里都传我要转去开货车了。", "quoted"),
        ("外面传说很多，我最喜欢龙的那个。", "present"),
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


@pytest.mark.parametrize(
    ("text", "tense"),
    [
        # Words that only look like another tense.
        ("My brother Will lives in Leeds.", "present"),
        ("May is the month with the most tickets.", "present"),
        ("My grandmother left me the house in her will.", "present"),
        ("The key used to sign releases is in the vault.", "present"),
        ("I'm used to the cold.", "present"),
        ("I've worked at Nokia since 2015.", "present"),
        ("I have lived here for ten years.", "present"),
        ("I was born in 1990.", "present"),
        ("I'm in Oslo until Friday.", "present"),
        ("The deadline was extended until Friday.", "present"),
        ("My dentist appointment is tomorrow.", "present"),
        ("If it rains I take the bus.", "present"),
        ("The insurance claims department is in Cork.", "present"),
        ("八点以前到公司。", "present"),
        ("我会弹钢琴。", "present"),
        ("这个计划很好。", "present"),
        ("Tôi quyết định mua xe.", "present"),
        ("Mai là em gái tôi.", "present"),
        # An event whose result lasts is present; a state with an end is past.
        ("I finished the marathon in 2015.", "present"),
        ("I lived in Rome for three years.", "past"),
        ("I was at Siemens before joining Bosch.", "past"),
        ("I worked at Nokia from 2010 to 2015.", "past"),
        ("We used Trello until October 2022.", "past"),
        ("I volunteered at the shelter for six years.", "past"),
        ("There used to be a bakery where the bank is.", "past"),
        ("In my last job I wrote Perl.", "past"),
        ("I booked the flat for two years.", "present"),
        ("We've used Jest for two years.", "present"),
        ("I quit smoking in January.", "present"),
        ("We move to Cork on 3 May.", "planned"),
        ("我在北京住过三年。", "past"),
        ("Trước khi chuyển sang Bosch tôi làm ở Siemens.", "past"),
        ("We're moving next month.", "planned"),
        ("From Monday the pool is closed.", "planned"),
        ("The law comes into force on 1 July.", "planned"),
        ("六月一号起涨价。", "planned"),
        ("Hai tuần nữa tôi cưới.", "planned"),
        ("If I won the lottery I'd buy a boat.", "hypothetical"),
        ("也许我们会搬家。", "hypothetical"),
        ("In the film the hero lives in Prague.", "quoted"),
    ],
)
def test_words_that_mark_a_tense_only_sometimes(text: str, tense: str) -> None:
    assert tense_of(text) == tense


def test_a_question_ends_nothing() -> None:
    claim = claim_of("Has the meeting been cancelled?")
    assert (claim.tense, claim.retracts) == ("asked", False)


def test_only_the_lead_is_read() -> None:
    lead = "The user lives in Berlin and works at a bank. "
    assert tense_of(lead * 10 + "She used to live in Lisbon.") == "present"
    assert tense_of("The user used to live in Lisbon. " + lead * 100) == "past"


def test_every_pattern_of_a_language_with_spaces_names_a_word_that_it_needs() -> None:
    """Without one it would be tried on every text, or never."""
    tables = section("tense", TenseTable)()
    tenses = ("past", "present", "planned", "hypothetical", "conditional", "quoted", "asked")
    of_tense = [f"{tense}_patterns" for tense in tenses]
    for code in ("en", "vi"):
        missing = [each for kind in of_tense for each in getattr(tables[code], kind) if "=> " not in each]
        assert missing == []


@pytest.mark.parametrize(
    ("text", "outright"),
    [
        ("The hip operation is put off to 18 May.", True),
        ("The move has been called off.", True),
        ("The daily run is shelved.", True),
        ("Der Ausflug ist abgesagt.", True),
        ("The wedding has been postponed.", True),
        ("They postponed the launch, no new day yet.", True),
        ("My train was delayed.", False),
        ("婚礼推迟了。", True),
        ("Đám cưới bị hoãn.", True),
        ("Die Hochzeit wurde verschoben.", True),
        ("德国客户说机票买不到，验厂推迟到4月28日。", True),
        ("今年不来验厂了，取消。", True),
        ("Ban tổ chức dời giải đấu sang ngày 7/3.", True),
        ("Giải Liên Quân thì không dời sang tháng ba.", False),
        ("Rye is sold out before nine.", False),
        ("Shoe hire stays at 4.", False),
        ("The bank said no.", False),
        ("What if I just took the train to Oslo on the 8th instead? 19 hours...", False),
    ],
)
def test_what_is_put_off_outright(text: str, outright: bool) -> None:
    assert says_put_off(text) is outright


@pytest.mark.parametrize(
    ("text", "tense"),
    [
        ("I grew up in Porto.", "past"),
        ("上一家公司用的是钉钉。", "past"),
        ("大学的时候我住校。", "past"),
        ("Dạo trước mình hay chạy bộ.", "past"),
        ("I almost bought the red bike.", "hypothetical"),
        ("I'd love to live in Lisbon one day.", "hypothetical"),
        ("我想过搬到北京。", "hypothetical"),
        ("My aunt still thinks I'm a vegan.", "quoted"),
        ("My mother keeps telling people I'm a doctor.", "quoted"),
        ("Ai cũng tưởng mình làm ở Google.", "quoted"),
        ("Guess what? I moved to Porto.", "present"),
        ("Did I tell you? I work at Acme now.", "present"),
        ("Everybody keeps to the left here.", "present"),
    ],
)
def test_what_is_no_statement_about_the_present(text: str, tense: str) -> None:
    assert tense_of(text) == tense
