from bench.quality.measuring import Result, measure, shortfalls
from bench.quality.sets import Collection, Item, Question, QuestionSet
from bench.quality.systems import Combray, Plain, parts

ITEMS = (
    Item("1", "I bought a kayak for the lake.", author="Ann", session="a"),
    Item("2", "My aunt keeps bees behind the barn.", author="Bo", session="a"),
    Item("3", "The bus to town was late again.", author="Ann", session="b"),
)
SMALL = QuestionSet(
    "small",
    (
        Collection(
            "c",
            ITEMS,
            (
                Question("Who keeps bees?", frozenset({"2"}), "one"),
                Question("What did Ann buy for the lake?", frozenset({"1"}), "two"),
                Question("Who plays the oboe?", frozenset(), "none", answerable=False),
            ),
        ),
    ),
)


def test_long_texts_come_in_parts_cut_at_spaces() -> None:
    assert parts("aaa bbb ccc", most=8) == ["aaa bbb", "ccc"]
    assert parts("a" * 20, most=8) == ["a" * 8, "a" * 8, "a" * 4]
    assert parts("short", most=8) == ["short"]


def test_every_system_answers_the_same_answerable_questions() -> None:
    results = measure(SMALL, [Plain("bm25"), Combray("default", "none")], lambda line: None)
    assert [result.categories for result in results] == [["one", "two"]] * 2
    assert [result.mean("recall@5") for result in results] == [1.0, 1.0]
    assert set(results[0].by_category()) == {"one", "two"}


def test_an_ablation_runs_without_the_stage_and_says_so() -> None:
    ablated = Combray("default", "none", ("AuthorMatch",))
    assert ablated.name == "default none -AuthorMatch"
    left = [each["stage"] for each in ablated.loaded().recall.describe()]
    assert "AuthorMatch" not in left
    assert "AuthorMatch" in [each["stage"] for each in Combray("default", "none").loaded().recall.describe()]


def test_shortfalls_compare_an_engine_only_with_plain_systems_of_its_own_model() -> None:
    def result(system: str, model: str, plain: bool, value: float) -> Result:
        return Result("s", system, model, plain, rows=[{"recall@10": value}])

    plain = [result("bm25", "none", True, 0.5), result("dense big", "big", True, 0.9)]
    elsewhere = Result("other set", "bm25", "none", True, rows=[{"recall@10": 1.0}])
    assert shortfalls([elsewhere, *plain, result("default none", "none", False, 0.6)]) == []
    (said,) = shortfalls([*plain, result("default big", "big", False, 0.6)])
    assert said == "s: default big 60.0, dense big 90.0"
