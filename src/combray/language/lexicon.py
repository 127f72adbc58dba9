"""The word lists of each language (`<code>/words.json`), and the marks of its phrases in a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from combray.language.caches import from_tables
from combray.language.folding import fold
from combray.language.marks import Lists, Marks
from combray.language.tables import section
from combray.language.text import Text, fold_of, fold_words, read_once


class Causality(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases that state that one thing caused, enabled or prevented another."""

    causes: list[str] = []
    enables: list[str] = []
    prevents: list[str] = []


class Polarity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that reverse a statement.

    negations: words and phrases that negate; contracted: contractions and their expansions ("dont": "not");
    affirmative: phrases that hold a negation but do not negate ("not only"); changes: phrases that state that
    an earlier state has ended; accented_only: phrases too ambiguous without their accents; prefixes: prefixes
    that make a word its opposite ("un"); antonyms: pairs that exclude each other; past_unmarked: a denial of what
    happened has no mark of the past (吃了, 没吃).
    """

    negations: list[str] = []
    contracted: dict[str, str] = {}
    affirmative: list[str] = []
    changes: list[str] = []
    accented_only: list[str] = []
    prefixes: list[str] = []
    antonyms: list[tuple[str, str]] = []
    past_unmarked: bool = False


class Claims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that statements are made of.

    neutral: words that can be added or removed without changing a statement ("the", "really"); hedges: words that
    change the claim when added or removed ("might", "if", "by"); synonyms: groups of words of one meaning; verbs:
    frequent verbs, where the subject ends; adverbs: words between subject and verb ("never", "still");
    single: words of a property with one value at a time ("favourite"); states: verbs whose number or date is
    one value at a time ("is", "has"); indefinite: articles of something new; definite: words before something
    known; owner_before, owner_after: what follows or precedes an owner ("'s", "của"); measures: groups of
    spellings of one unit; numbers: number words; endings: verbs that end what the word after them says ("quit");
    light: words that carry no claim; user: names of the user of a program that the tokeniser would split.
    """

    neutral: list[str] = []
    hedges: list[str] = []
    synonyms: list[list[str]] = []
    verbs: list[str] = []
    single: list[str] = []
    states: list[str] = []
    indefinite: list[str] = []
    definite: list[str] = []
    adverbs: list[str] = []
    owner_before: list[str] = []
    owner_after: list[str] = []
    measures: list[list[str]] = []
    numbers: dict[str, str] = {}
    endings: list[str] = []
    light: list[str] = []
    user: list[str] = []


class Cues(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that indicate the type of answer a text holds.

    numbers: number words, or the digits of an unspaced script; counters: what follows such a digit when
    something is counted; reasons: words and phrases before a reason; before_places: words before the name of
    a place; articles: words between those and the name.
    """

    numbers: list[str] = []
    counters: list[str] = []
    reasons: list[str] = []
    before_places: list[str] = []
    articles: list[str] = []


class Speaker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words for who speaks and who is spoken to: pronouns, and nouns for the user.

    i: first person singular; me: those that a question about the speaker ends in ("about me"); you: second
    person, none where the verb alone says it; all: indefinite pronouns; user: nouns for the speaker in notes of
    an assistant.
    """

    all: list[str] = []
    i: list[str] = []
    me: list[str] = []
    you: list[str] = []
    user: list[str] = []


class WordLists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language. Every key is optional, and letter case does not matter.

    letters: letters that distinguish the language from others in its script; calendar: names of days, months and
    days relative to today; not_names: capitalised words that are not names; homographs: everyday words that are
    spelt like a stop word of another language and are no sign of it ("car"); telling: question words of fewer
    than four letters that no other language has; untelling: longer ones that are words of English too; pronouns:
    by person; forms: irregular forms and everyday synonyms by the word they are indexed as ("go": ["went",
    "gone"]); particles: endings stripped from a word (Korean); fillers: characters of an unspaced script that
    carry no topic; asked: phrases of a question by the kind of answer it wants ("number", "reason", "place",
    "person", "title").
    """

    letters: str = ""
    stopwords: list[str] = []
    question_words: list[str] = []
    request_words: list[str] = []
    particles: list[str] = []
    fillers: str = ""
    calendar: list[str] = []
    not_names: list[str] = []
    homographs: list[str] = []
    telling: list[str] = []
    untelling: list[str] = []
    pronouns: dict[str, list[str]] = {}
    speaker: Speaker = Speaker()
    intent: dict[str, list[str]] = {}
    causality: Causality = Causality()
    polarity: Polarity = Polarity()
    claims: Claims = Claims()
    cues: Cues = Cues()
    asked: dict[str, list[str]] = {}
    forms: dict[str, list[str]] = {}


word_lists = section("words", WordLists)


def folded(words: Iterable[str]) -> list[str]:
    """Return every word or phrase folded, in order. One call of `fold` for all keeps the first use fast."""
    joined = "\n".join(words)
    return fold(joined).split("\n") if joined else []


def phrases(pick: Callable[[WordLists], Iterable[str]]) -> set[str]:
    """Return the folded phrases that `pick` takes from every language."""
    return set(folded(phrase for table in word_lists().values() for phrase in pick(table)))


@from_tables
def _lists() -> Lists:
    """The phrases of words.json by what they mark: "intent.WHY", "asked.number", "causality.causes"."""
    listed: dict[str, list[str]] = {}
    for table in word_lists().values():
        causes = msgspec.structs.asdict(table.causality)
        for kind, group in (("intent", table.intent), ("asked", table.asked), ("causality", causes)):
            for name, found in group.items():
                listed.setdefault(f"{kind}.{name}", []).extend(folded(found))
    return Lists(listed)


@read_once
def word_marks(text: Text) -> Marks:
    """Return the marks of intents, of what a question asks for and of causes in a text."""
    return _lists().of(fold_of(text), fold_words(text))
