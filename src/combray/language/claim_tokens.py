"""Statements as comparable tokens, where spelling variants of one meaning share a key; and their subjects.

The subject of a statement is the words before its first verb, with the owners it names.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence
from typing import Literal, NamedTuple

from combray.language.caches import from_tables, keyed_by_text
from combray.language.folding import UNSPACED, fold, is_unspaced, plain
from combray.language.lexicon import word_lists
from combray.language.marks import Lists
from combray.language.text import Text, Written, read_once
from combray.language.tokens import stem, term_set

Kind = Literal["word", "number", "date", "unit", "symbol"]


class Token(NamedTuple):
    """One token. Equal keys mean the same; `word` is the spelling in lower case."""

    key: str
    word: str
    kind: Kind
    capital: bool

    @property
    def is_verb(self) -> bool:
        """Whether the word or its stem is in the table of frequent verbs."""
        verbs = vocabulary().verbs
        return self.kind == "word" and (self.word in verbs or self.key in verbs)


_DATE = r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}/\d{1,2}/\d{2,4}"
_LETTER = rf"[^\W{UNSPACED}]"
_NUMBER = rf"(?<!{_LETTER})(?<!\.)[-+]?\d+(?:[.,:]\d+)*"
_token = re.compile(
    rf"(?P<date>(?<!\w)(?:{_DATE})(?!\w))|(?P<number>{_NUMBER})(?P<tail>[^\W\d_{UNSPACED}]*)(?!{_LETTER})"
    rf"|(?P<char>[{UNSPACED}])|(?P<word>{_LETTER}+(?:'{_LETTER}+)*)|(?P<symbol>[^\w\s])"
)
# Punctuation that carries meaning; "!=" is an operator, "?" makes a question of a statement.
_SAYS_SOMETHING = frozenset("%#&@/?")
_SEPARATOR_CATEGORIES = frozenset(("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Cf", "Cc", "Cs", "Sk"))
_year = re.compile(r"(?:19|20)\d\d").fullmatch
_thousands = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?").fullmatch
# Endings that do not change the meaning of a stem; past forms stay distinct.
_INFLECTIONS = ("s", "es", "ing", "e", "y", "ies", "ying")


class Vocabulary(NamedTuple):
    """The `claims` sections of all tables, ready for lookups."""

    neutral: frozenset[str]
    hedges: frozenset[str]
    verbs: frozenset[str]
    single: frozenset[str]
    states: frozenset[str]
    indefinite: frozenset[str]
    definite: frozenset[str]
    adverbs: frozenset[str]
    owner_before: frozenset[str]
    owner_after: frozenset[str]
    endings: frozenset[str]
    light: frozenset[str]
    user: frozenset[str]
    synonyms: dict[str, str]
    measures: dict[str, str]
    numbers: dict[str, str]
    contracted: dict[str, str]
    pronouns: dict[str, str]
    calendar: frozenset[str]


_WORD_SETS = Vocabulary._fields[: Vocabulary._fields.index("synonyms")]


@from_tables
def vocabulary() -> Vocabulary:
    """Return the words of all languages together: a wrong match only makes a verdict more careful."""
    every = [table.claims for table in word_lists().values()]

    def words(section: str) -> frozenset[str]:
        return frozenset(plain(word) for claims in every for word in getattr(claims, section))

    def canonical(section: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for claims in every:
            for group in getattr(claims, section):
                first = found.get(plain(group[0]), plain(group[0]))
                for word in group:
                    found.setdefault(plain(word), first)
        return found

    return Vocabulary(
        **{section: words(section) for section in _WORD_SETS},
        synonyms=canonical("synonyms"),
        measures=canonical("measures"),
        numbers={plain(word): value for claims in every for word, value in claims.numbers.items()},
        contracted={
            word: full for table in word_lists().values() for word, full in table.polarity.contracted.items()
        },
        pronouns={
            plain(word): f"{code}:{person}"
            for code, table in word_lists().items()
            for person, listed in table.pronouns.items()
            for word in listed
        },
        calendar=frozenset(plain(word) for table in word_lists().values() for word in table.calendar),
    )


@from_tables
def neutral_terms() -> frozenset[str]:
    """Return the terms of the words that do not change a statement ("still", "really")."""
    return term_set(" ".join(sorted(vocabulary().neutral)))


@from_tables
def _long_phrases() -> Lists:
    """Synonyms, dates and units that the tokeniser would split: of several words, or in an unspaced script."""
    known = vocabulary()
    listed = {*known.synonyms, *known.calendar, *known.measures}
    return Lists({"long": [word for word in listed if " " in word or (is_unspaced(word) and len(word) > 1)]})


_STRAIGHT = str.maketrans("\u2018\u2019\u2212", "''-")


def tokenise(text: Written, *, accents: bool = True) -> Sequence[Token]:
    """Return every token that carries meaning, in order, without punctuation and letter case.

    With `accents` False the words are compared by their base letters, for texts typed without accents.
    """
    return _spelt(text) if accents else _bare(text)


@read_once
def _bare(text: Text) -> tuple[Token, ...]:
    found = []
    for token in _spelt(text):
        key, word = fold(token.key), fold(token.word)
        # Most words have no accents, and a new token takes longer than folding one.
        same = key == token.key and word == token.word
        found.append(token if same else Token(key, word, token.kind, token.capital))
    return tuple(found)


@read_once
def _spelt(read: Text) -> tuple[Token, ...]:
    text = read.text
    straight = text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_STRAIGHT)
    found: list[Token] = []
    done = 0
    # Lower-casing may lengthen a text and shift its offsets; such a text is split in its lowered form.
    lowered = straight.lower()
    source = straight if len(lowered) == len(straight) else lowered
    for start, end in _long_phrases().of(lowered).spans("long"):
        _cut(source[done:start], found)
        found.append(_phrase(lowered[start:end]))
        done = end
    _cut(source[done:], found)
    # The numbers beside a date word are dates too, as in "3 May" and "May 5th".
    dated = {place for place, token in enumerate(found) if token.kind == "date"}
    beside = {near for place in dated for near in (place - 1, place + 1)}
    for place in beside & set(range(len(found))):
        if found[place].kind == "number":
            found[place] = found[place]._replace(kind="date")
    return tuple(found)


def _phrase(phrase: str) -> Token:
    known = vocabulary()
    # The words may be on two lines, or far apart.
    phrase = " ".join(phrase.split())
    if phrase in known.calendar:
        return Token(phrase, phrase, "date", False)
    if phrase in known.measures:
        return Token(known.measures[phrase], phrase, "unit", False)
    return Token(known.synonyms[phrase], phrase, "word", False)


def _cut(text: str, found: list[Token]) -> None:
    for hit in _token.finditer(text):
        kind = hit.lastgroup
        written = hit[0]
        if kind == "symbol":
            quiet = unicodedata.category(written) in _SEPARATOR_CATEGORIES and written not in _SAYS_SOMETHING
            if not quiet or (written == "!" and text.startswith("=", hit.end())):
                money = vocabulary().measures.get(written)
                found.append(Token(money or written, written, "unit" if money else "symbol", False))
        elif kind == "date":
            found.append(Token(written, written, "date", False))
        elif hit["number"]:
            _number(hit["number"], hit["tail"].casefold(), found)
        elif kind == "char":
            found.append(_word(written, False, found))
        else:
            _spaced(written, found)


def _number(digits: str, tail: str, found: list[Token]) -> None:
    if _thousands(digits):
        digits = digits.replace(",", "")
    if not tail:
        found.append(Token(digits, digits, "date" if _year(digits) else "number", False))
    elif tail in vocabulary().measures:
        found.append(Token(digits, digits, "number", False))
        found.append(Token(vocabulary().measures[tail], tail, "unit", False))
    else:
        found.append(Token(digits + tail, digits + tail, "number", False))


def _spaced(written: str, found: list[Token]) -> None:
    """Add a spaced word: contractions are expanded, a possessive is a token of its own."""
    parts, clitic = _parts(written)
    for part in parts:
        found.append(part if isinstance(part, Token) else _word(*part, found))
    if clitic:
        found.append(clitic)


@keyed_by_text
@functools.lru_cache(maxsize=20_000)
def _parts(written: str) -> tuple[tuple[Token | tuple[str, bool], ...], Token | None]:
    """Return the tokens of a spaced word; a word whose token depends on the one before it, as a pair for `_word`.

    Most words of a text were met before, and reading one again takes ten times as long.
    """
    word = written.casefold()
    capital = written[:1].isupper()
    known = vocabulary()
    full = known.contracted.get(word.replace("'", ""))
    base, _, clitic = word.partition("'")
    pairs = [(part, False) for part in full.split()] if full else [(base, capital)]
    parts = tuple(pair if pair[0] in known.measures else _word(*pair, []) for pair in pairs)
    owner = Token("'" + clitic, "'" + clitic, "word", False) if clitic and not full else None
    return parts, owner


def _word(word: str, capital: bool, before: list[Token]) -> Token:
    known = vocabulary()
    # A unit follows a number, or the slash of "100/min".
    last = before[-2:] if before and before[-1].key == "/" else before[-1:]
    if word in known.measures and last and last[0].kind == "number":
        return Token(known.measures[word], word, "unit", capital)
    if word in known.numbers:
        return Token(known.numbers[word], word, "number", capital)
    # "may" and "march" are months only with a capital.
    if word in known.calendar and (capital or not (word in known.hedges or word in known.verbs)):
        return Token(word, word, "date", capital)
    return Token(known.synonyms.get(word) or _uninflected(word), word, "word", capital)


@keyed_by_text
@functools.lru_cache(maxsize=20_000)
def _uninflected(word: str) -> str:
    """Return the stem if the word only adds an inflection of number or person to it, else the word."""
    stemmed = stem(word)
    shared = 0
    while shared < min(len(word), len(stemmed)) and word[shared] == stemmed[shared]:
        shared += 1
    rest = word[shared:]
    doubled = rest[1:] if rest[:1] == word[shared - 1 : shared] else rest
    return stemmed if not rest or rest in _INFLECTIONS or doubled in ("ing", "es") else word


# A subject longer than this is a sentence whose verb the table does not know.
_MAX_SUBJECT = 12
_FIRST_PERSON = (":i", ":we")
"""Endings of the keys of pronouns, after the language."""


class Subject(NamedTuple):
    """The subject's keys in order; none if the statement omits it ("Chose SQLite").

    owners: owners of something, as keys of names or persons ("en:i"); definite: it is something known ("our
    cache"); indefinite: it is something new ("a man", "there is").
    """

    keys: tuple[str, ...]
    owners: frozenset[str]
    definite: bool
    indefinite: bool

    def fits(self, other: Subject) -> bool:
        """Return whether two statements can be about the same: equal subjects and owners, or an omitted "we"."""
        if self.owners != other.owners:
            return False
        if self.keys == other.keys:
            return True
        return all(
            not subject.keys or (len(subject.keys) == 1 and subject.keys[0].endswith(_FIRST_PERSON))
            for subject in (self, other)
        )


def subject_of(tokens: Sequence[Token]) -> Subject:
    """Return the subject of a statement: a conservative guess by the table of frequent verbs."""
    known = vocabulary()
    end = next((place for place, token in enumerate(tokens[:_MAX_SUBJECT]) if token.is_verb), None)
    if end is None:
        # Without a known verb: the names or the pronoun that the statement begins with.
        starts = (token.capital or token.word in known.pronouns for token in tokens)
        end = next((place for place, named in enumerate(starts) if not named), len(tokens))
    head = tokens[:end]
    dropped = (known.neutral, known.definite, known.indefinite, known.adverbs)
    keys = tuple(
        known.pronouns.get(token.word, token.key)
        for token in head
        if token.kind != "date"
        and (token.word in known.pronouns or not any(token.word in each for each in dropped))
    )
    opening = {token.word for token in head}
    return Subject(
        keys=keys,
        owners=_owners(tokens),
        definite=bool(opening & (known.definite | known.owner_before)),
        indefinite=bool(opening & known.indefinite),
    )


def _owners(tokens: Sequence[Token]) -> frozenset[str]:
    known = vocabulary()
    found = set()
    for place, token in enumerate(tokens):
        owner = None
        if token.word in known.owner_before and place:
            owner = tokens[place - 1]
        elif token.word in known.owner_after and place + 1 < len(tokens):
            owner = tokens[place + 1]
        elif token.word in known.definite and token.word in known.pronouns:
            owner = token
        if owner is not None:
            found.add(known.pronouns.get(owner.word, owner.key))
    return frozenset(found)
