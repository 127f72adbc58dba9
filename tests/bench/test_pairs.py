from bench.pairs.deciding import Decided, decide, score
from bench.pairs.sources import Pair, sample, sentence_pairs, statement_pairs
from bench.quality.sets import Collection, Item, QuestionSet


def turns(*texts: str) -> QuestionSet:
    items = tuple(Item(str(n), text, "Ann" if n % 2 else "Bo") for n, text in enumerate(texts))
    return QuestionSet("t", (Collection("t", items, ()),))


def test_every_statement_gives_eight_pairs_with_its_relations() -> None:
    pairs = list(statement_pairs())
    assert len(pairs) % 8 == 0
    first = {pair.kind: pair for pair in pairs[:8]}
    assert first["spelling"].new == "the staging server runs on debian 12"
    assert first["changed number"].new == "The staging server runs on Debian 13."
    assert first["negation"].new == "The staging server does not run on Debian 12."
    assert first["other subject"].relation == "other"
    assert all(pair.old != pair.new for pair in pairs)


def test_rules_on_real_sentences() -> None:
    pairs = sentence_pairs(turns("Bo said the 3 boats are ready. They can leave at dawn tomorrow."), most=9)
    found = {pair.kind: pair.new for pair in pairs if pair.old.startswith("Bo said")}
    assert found == {
        "sentences: changed number": "Bo said the 4 boats are ready.",
        "sentences: negation": "Bo said the 3 boats are not ready.",
        "sentences: next one": "They can leave at dawn tomorrow.",
        "sentences: spelling": "bo said the 3 boats are ready",
    }


def test_a_name_is_exchanged_for_another_speaker_of_the_conversation() -> None:
    pairs = sentence_pairs(turns("Ann has painted the whole fence.", "Very nice work."), most=9)
    (renamed,) = [pair for pair in pairs if pair.kind == "sentences: changed name"]
    assert (renamed.new, renamed.relation) == ("Bo has painted the whole fence.", "other")


def test_a_negated_sentence_is_not_negated_again() -> None:
    pairs = sentence_pairs(turns("The old bridge is not safe for trucks."), most=9)
    assert "sentences: negation" not in {pair.kind for pair in pairs}


def test_a_sample_is_the_same_for_the_same_seed_and_keeps_the_order() -> None:
    pairs = [Pair(str(n), "", "other", "k") for n in range(50)]
    drawn = sample(pairs, 10, seed=3)
    assert drawn == sample(pairs, 10, seed=3)
    assert [int(pair.old) for pair in drawn] == sorted(int(pair.old) for pair in drawn)
    assert len(drawn) == 10
    assert sample(pairs, None, seed=3) == pairs


def test_precision_and_recall_by_hand() -> None:
    def made(decision: str, relation: str) -> Decided:
        return Decided(Pair("a", "b", relation, "k"), decision, "", 0.0)

    decided = [made("DUPLICATE", "duplicate"), made("DUPLICATE", "other"), made("ADD", "duplicate")]
    duplicate, update, _ = score([*decided, made("ADD", "update")])
    assert (duplicate.precision, duplicate.recall) == (1 / 2, 1 / 2)
    # Never made: no harm, but nothing found either.
    assert (update.precision, update.recall) == (1.0, 0.0)


def test_the_engine_decides_each_pair_on_its_own() -> None:
    same = Pair("The ferry leaves at nine.", "The ferry leaves at nine.", "duplicate", "same")
    other = Pair("The ferry leaves at nine.", "My aunt keeps bees.", "other", "unrelated")
    decided = decide([same, other, same], "default", None)
    assert [each.decision for each in decided] == ["DUPLICATE", "ADD", "DUPLICATE"]
