"""Relations that are worth a link: examples written from everyday speech, by what they show."""

import pytest

from combray.language.relations import relation


def kind(old: str, new: str) -> str | None:
    found = relation(old, new)
    return found.kind if found is not None else None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # an opposite in the predicate
        ("The canteen is open on Sundays.", "The canteen is closed on Sundays."),
        ("Smoking is allowed on the balcony.", "Smoking on the balcony is forbidden."),
        ("The cellar is always locked.", "The cellar is never locked."),
        ("Everyone in the team knows Rust.", "Nobody in the team knows Rust."),
        ("Marta lives alone.", "Marta lives with her parents."),
        # a negation and nothing else, or less
        ("The printer supports duplex printing.", "The printer doesn't support duplex printing."),
        ("Our tool imports CSV files from any folder.", "Our tool imports no CSV files, only JSON."),
        # another value of a property that has one
        ("The standup starts at half past nine.", "The standup starts at 10:15."),
        ("The garden gate is green.", "The garden gate is dark blue."),
        ("My cousin lives in Ghent.", "My cousin lives in Antwerp."),
        ("A man in a red coat is feeding pigeons.", "A man in a white coat is feeding pigeons."),
        # other languages
        ("食堂周一开门。", "食堂周一关门。"),
        ("仓库在二楼。", "仓库在五楼。"),
        ("门是开着的。", "门是关着的。"),
        ("Wir haben einen Garten.", "Wir haben keinen Garten."),
        ("Ich habe ein Auto.", "Ich habe kein Auto."),
        ("Quán này luôn luôn đông.", "Quán này không bao giờ đông."),
        ("Hồ bơi mở cửa lúc 6 giờ.", "Hồ bơi mở cửa lúc 9 giờ."),
        ("Das Freibad ist offen.", "Das Freibad ist geschlossen."),
        ("Le parking est gratuit.", "Le parking est payant."),
        ("La puerta está abierta.", "La puerta está cerrada."),
    ],
)
def test_contradictions(old: str, new: str) -> None:
    assert kind(old, new) == "contradicts"
    assert kind(new, old) in ("contradicts", None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The lift of our apartment building is broken.",
            "The elevator of our apartment building is out of order.",
        ),
        ("I get up at half past six each day.", "Every day I get up at 6:30."),
        ("Our contract with Larch ends in May.", "The agreement we have with Larch expires in May."),
        ("My dentist is Dr. Okoye.", "Dr. Okoye is my dentist."),
        ("The museum is closed on Mondays.", "The museum isn't open on Mondays."),
        ("Ines is older than Tom.", "Tom is younger than Ines."),
        ("The thief was seen by a guard.", "A guard saw the thief."),
        ("爸爸每天早上跑步。", "父亲每天清晨跑步。"),
        ("Mẹ tôi dị ứng với đậu phộng.", "Má tôi dị ứng với lạc."),
    ],
)
def test_restatements(old: str, new: str) -> None:
    assert kind(old, new) == "restates"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # the opposite or the value says which thing is meant
        ("The left drawer is full of cables.", "The right drawer is full of cables."),
        ("The blue box holds winter clothes.", "The red box holds winter clothes."),
        ("My old laptop runs Debian.", "My new laptop runs Debian."),
        # a property with several values
        ("I like tea.", "I like coffee."),
        ("I have a meeting at 9 on Tuesday.", "I have a meeting at 11 on Tuesday."),
        # somebody else, something more, a condition
        ("My son is allergic to milk.", "My daughter is allergic to milk."),
        ("Our holiday starts in June.", "Their holiday starts in June."),
        ("I like hiking.", "I don't like hiking in the rain."),
        ("Lena teaches Omar.", "Omar teaches Lena."),
        ("The train goes from Lyon to Paris.", "The train goes from Paris to Lyon."),
        ("The office is open.", "The office door is closed."),
        ("Nils runs a bakery.", "Nils runs a bakery in Oslo with his aunt."),
        # what was, or might be
        ("The rent was 800 euros.", "The rent is 900 euros."),
        ("If it rains the pool is closed.", "The pool is open."),
        ("The gate is open until ten.", "The gate is no longer closed at night."),
        ("儿子对牛奶过敏。", "女儿对牛奶过敏。"),
        ("小林借给小周一本书。", "小周借给小林一本书。"),
        ("", "The pool is open."),
    ],
)
def test_different_statements_have_no_relation(old: str, new: str) -> None:
    assert kind(old, new) is None


def test_the_reason_names_the_words() -> None:
    found = relation("The pool is open.", "The pool is closed.")
    assert found is not None
    assert found.reason == "open against closed"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # where a thing stands, or what it runs on
        ("The piano stands in the attic.", "The piano stands in the garage."),
        ("The spare key hangs in the hallway.", "The spare key hangs in the kitchen."),
        ("The nightly job runs on Heron.", "The nightly job runs on Osprey."),
        ("书架放在客厅。", "书架放在书房里。"),
        ("Xe này chạy bằng dầu.", "Xe này chạy bằng xăng."),
        # verbs that deny
        ("The importer reads the header.", "The importer fails to read the header."),
        ("Petra signed the lease.", "Petra refused to sign the lease."),
        # a denial that does not name who did it
        ("Oskar approved the budget.", "The budget hasn't been approved yet."),
        # what is allowed for one kind, and forbidden for all
        ("Dogs are allowed in the garden.", "Pets are forbidden in the garden."),
        # negation in other languages, also in a text too short to show its language
        ("Der Hof ist nachts beleuchtet.", "Der Hof ist nachts nicht beleuchtet."),
        ("Die Bäckerei liefert sonntags.", "Die Bäckerei liefert sonntags nicht."),
        ("Le chauffage marche.", "Le chauffage ne marche pas."),
        ("El ascensor funciona.", "El ascensor no funciona."),
        ("老师同意我请假。", "老师不同意我请假。"),
    ],
)
def test_contradictions_by_place_denying_verb_and_negation(old: str, new: str) -> None:
    assert kind(old, new) == "contradicts"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # the passive without its agent
        ("We archive all tickets after a year.", "All tickets are archived after a year."),
        ("The ticket includes a drink.", "A drink is included in the ticket."),
        # a measure at another place
        ("The migration takes about ten minutes.", "It takes around ten minutes to migrate."),
        # the genitive of a name
        ("Annas Rad steht im Keller.", "Im Keller steht das Rad von Anna."),
    ],
)
def test_restatements_by_voice_and_order(old: str, new: str) -> None:
    assert kind(old, new) == "restates"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # who does it to whom
        ("The fox watches the heron.", "The heron watches the fox."),
        ("The auditor is paid by the bank.", "The auditor pays the bank."),
        ("The teacher is praised.", "The teacher praises us."),
        ("Two dogs chased three cats.", "Three cats chased two dogs."),
        # another thing at another place
        ("The piano stands in the attic.", "The harp stands in the garage."),
        ("我在苏州上的小学。", "我在苏州开的店。"),
        # who refuses is not who signs
        ("Petra signed the lease.", "Jonas refused to sign the loan."),
    ],
)
def test_swapped_roles_and_other_things_are_not_related(old: str, new: str) -> None:
    assert kind(old, new) is None
