"""Words of time that name somebody, a street or a share: no time is meant."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from combray.language.dates.statements import resolve_stated

NOW = datetime(2026, 3, 14, 10, tzinfo=UTC)
NO_TIME = (
    "Is June's surname Carter?",
    "My cousin May keeps bees.",
    "Our neighbour April waters the plants.",
    "She lives at 12 March Road.",
    "Add 3/4 cup of sugar.",
    "The vote passed by a 2/3 majority.",
    "Who has August's shoe size?",
    "Die Nichte Juni? Nein, meine Kollegin Mai backt gern.",
    "Herr März hat den Schlüssel.",
    "Das Büro liegt in der Straße des 17. Juni.",
    "Wir brauchen 1/4 Liter Sahne.",
    "Ma voisine Avril collectionne les timbres.",
    "Il habite rue du 8 mai.",
    "On se retrouve place du 14-Juillet.",
    "Mets 1/2 litre de lait.",
    "Mi hermana Abril toca el violín.",
    "Vive en la avenida 9 de Julio.",
    "La plaza 2 de Mayo está cerrada por obras.",
    "Minha prima Abril dança balé.",
    "O escritório fica na Avenida 23 de Maio.",
    "Preciso da segunda dose.",
    "A quinta da minha avó tem oliveiras.",
    "Nhà tôi ở hẻm 15/4.",
    "Anh ấy ở đường 30 tháng 4.",
    "Quán nằm trên phố 19/5.",
    "我家在八一路。",
    "他们在五四广场卖花。",
    "比分是3/2。",
    "彼は二日酔いだ。",
    "ダイエットは三日坊主に終わった。",
)
TIME = (
    "See you in June.",
    "My sister is coming in May.",
    "My wife's birthday is April 3.",
    "The April release slipped.",
    "In April's report we saw growth.",
    "My daughter starts school on 4 September.",
    "Am 17. Juni treffen wir uns.",
    "Frau Berger kommt im März.",
    "Rendez-vous le 8 mai.",
    "Ma tante arrive en avril.",
    "Mi hermana llega en abril.",
    "Nos vemos el 9 de julio.",
    "Minha prima chega em abril.",
    "A reunião é na segunda.",
    "A quinta da próxima semana está livre.",
    "Họp ngày 30 tháng 4.",
    "Hẹn nhau 19/5.",
    "五一我们去杭州。",
    "八月一日开会。",
    "3/4 交报告。",
    "二日に会いましょう。",
)


@pytest.mark.parametrize("text", NO_TIME)
def test_a_name_a_street_and_a_share_are_no_time(text: str) -> None:
    assert [each.text for each in resolve_stated(text, NOW)] == []


@pytest.mark.parametrize("text", TIME)
def test_beside_the_same_words_a_time_is_found(text: str) -> None:
    assert resolve_stated(text, NOW)
