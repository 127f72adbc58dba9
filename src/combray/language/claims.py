"""Comparison of two statements: identical, paraphrase, extension, update, contradiction or different.

Similarity only proposes a pair: contradictions are as similar as paraphrases. Negation, numbers, dates, names,
units, opposites and the subject decide here. The rule is conservative: "identical" and "paraphrase", which let a
caller skip the new text, require that no significant word was replaced, added, removed or moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from typing import Literal

import msgspec

from combray.language import polarity
from combray.language.claim_tokens import Subject, Token, subject_of, tokenise, vocabulary
from combray.language.entities import technology_words
from combray.language.indexing import case_differs
from combray.language.restatements import denies
from combray.language.text import Text, read_once
from combray.language.tokens import is_stop, term_set

Verdict = Literal["identical", "paraphrase", "extends", "contradicts", "update", "different"]

# Above this many token pairs the words are counted, not aligned: the time is bounded for any text.
_MAX_ALIGNED = 250_000
_LONGEST_MOVED = 60
"""Words of a text up to which moved phrases are looked for."""
_LEAST_ROOT, _MOST_ENDING = 3, 3
"""Letters that two forms of a word share at its beginning, and by which their lengths differ at most."""


class Comparison(msgspec.Struct, frozen=True):
    """The differences between an old and a new statement.

    word_substitution: (old words, new words) that replaced each other; antonyms: opposites among them; changes:
    phrases only in the new text that end an earlier state; overlap: Jaccard index of the content terms.
    """

    same_text: bool
    same_subject: bool
    same_polarity: bool
    negation_differs: bool
    numbers_differ: bool
    dates_differ: bool
    names_differ: bool
    units_differ: bool
    antonyms: tuple[tuple[str, str], ...]
    changes: tuple[str, ...]
    word_substitution: tuple[tuple[str, str], ...]
    overlap: float
    verdict: Verdict


class _Difference(msgspec.Struct):
    """The aligned difference of two token lists, without neutral words."""

    replaced: list[tuple[list[Token], list[Token]]]
    removed: list[Token]
    added: list[Token]
    common: list[Token]

    @property
    def gone(self) -> list[Token]:
        return [token for old, _ in self.replaced for token in old] + self.removed

    @property
    def came(self) -> list[Token]:
        return [token for _, new in self.replaced for token in new] + self.added


@read_once
def _subject(text: Text) -> Subject:
    return subject_of(tokenise(text))


@read_once
def _bare_subject(text: Text) -> Subject:
    return subject_of(tokenise(text, accents=False))


def is_same_text(old: str, new: str) -> bool:
    """Return whether two texts are the same but for punctuation and spaces.

    Accents count, and case does where it carries meaning.
    """
    if old.isascii() != new.isascii() or case_differs(old, new):
        return False
    return [token.word for token in tokenise(old)] == [token.word for token in tokenise(new)]


def compare(old: str, new: str) -> Comparison:
    """Compare an old statement with a new one. Never raises.

    Accents count, unless one of the texts has none at all.
    """
    accents = old.isascii() == new.isascii()
    old_tokens, new_tokens = tokenise(old, accents=accents), tokenise(new, accents=accents)
    old_words, new_words = _significant(old_tokens), _significant(new_tokens)
    difference = _difference(old_words, new_words)
    gone, came = difference.gone, difference.came
    subject = _subject if accents else _bare_subject
    subjects = subject(old), subject(new)
    opposites = polarity.antonyms(old, new, [token.word for token in gone], [token.word for token in came])
    negated = not polarity.same_polarity(old, new)
    known = polarity.changes(old)
    ended = [phrase for phrase in polarity.changes(new) if phrase not in known]
    owners = subjects[0].owners, subjects[1].owners
    respelt = case_differs(old, new)
    facts = {
        "numbers_differ": _conflict(gone, came, "number"),
        "dates_differ": _conflict(gone, came, "date"),
        "units_differ": _conflict(gone, came, "unit"),
        "names_differ": _names_conflict(gone, came)
        or bool(owners[0] and owners[1] and owners[0] != owners[1])
        or respelt,
    }
    old_terms, new_terms = term_set(old), term_set(new)
    found = Comparison(
        same_text=is_same_text(old, new),
        same_subject=subjects[0].fits(subjects[1]),
        same_polarity=not negated and not opposites,
        negation_differs=negated,
        antonyms=tuple(opposites),
        changes=tuple(ended),
        word_substitution=tuple((_spell(before), _spell(after)) for before, after in difference.replaced),
        overlap=len(old_terms & new_terms) / max(1, len(old_terms | new_terms)),
        verdict="different",
        **facts,
    )
    moved = _same_words(old_words, new_words) and _only_moved(old_words, new_words)
    if moved and not (negated or ended or respelt):
        return msgspec.structs.replace(found, verdict="paraphrase")
    denials = frozenset((*polarity.negations(old), *polarity.negations(new))) if negated else frozenset[str]()
    if denies(old, new):
        return msgspec.structs.replace(found, verdict="contradicts")
    verdict = _verdict(found, difference, subjects[0], new_tokens, denials)
    return msgspec.structs.replace(found, verdict=verdict)


def subjects_conflict(old: str, new: str) -> bool:
    """Return whether each text is about something of which the other says nothing: frontend and backend."""
    before, after = (set(_subject(text).keys) for text in (old, new))
    words = [{token.key for token in tokenise(text)} for text in (old, new)]
    return any(not _has_form(key, words[1]) for key in before - words[1]) and any(
        not _has_form(key, words[0]) for key in after - words[0]
    )


def replaces_another(old: str, new: str) -> bool:
    """Return whether a text that replaces one named thing by another names neither thing of the old text.

    "Chose PostgreSQL to replace SQLite" ends nothing that was said about Qdrant.
    """
    before, after = ({token.key for token in tokenise(text) if _is_name(token)} for text in (old, new))
    return bool(before) and not before & after and len(after) > 1


def _significant(tokens: Sequence[Token]) -> list[Token]:
    neutral = vocabulary().neutral
    return [token for token in tokens if token.word not in neutral or (token.capital and token.kind == "date")]


def _difference(old: list[Token], new: list[Token]) -> _Difference:
    old_keys, new_keys = [token.key for token in old], [token.key for token in new]
    if old_keys == new_keys:
        return _Difference([], [], [], new)
    if len(old) * len(new) > _MAX_ALIGNED:
        return _counted(old, new)
    difference = _Difference([], [], [], [])
    for action, i, j, k, m in SequenceMatcher(None, old_keys, new_keys, autojunk=False).get_opcodes():
        if action == "equal":
            difference.common += new[k:m]
        elif action == "replace":
            difference.replaced.append((old[i:j], new[k:m]))
        else:
            difference.removed += old[i:j]
            difference.added += new[k:m]
    return difference


def _counted(old: list[Token], new: list[Token]) -> _Difference:
    """Return the difference of long texts as one replaced block: words by count, not by place."""
    by_key = {token.key: token for token in old + new}
    old_counts, new_counts = (Counter(token.key for token in tokens) for tokens in (old, new))
    gone = [by_key[key] for key in (old_counts - new_counts).elements()]
    came = [by_key[key] for key in (new_counts - old_counts).elements()]
    # Equal counts in another order do not prove equal meaning, so even an empty block counts as replaced.
    return _Difference([(gone, came)], [], [], [by_key[key] for key in old_counts & new_counts])


def _conflict(gone: list[Token], came: list[Token], kind: str) -> bool:
    """Return whether each side holds tokens of the kind that the other lacks."""
    old, new = ({token.key for token in side if token.kind == kind} for side in (gone, came))
    return bool(old - new and new - old)


def _names_conflict(gone: list[Token], came: list[Token]) -> bool:
    """Return whether each side holds names, or pronouns of other persons, that the other lacks."""
    pronouns = vocabulary().pronouns
    persons = [{pronouns[token.word] for token in side if token.word in pronouns} for side in (gone, came)]
    named = [{token.key for token in side if _is_name(token)} for side in (gone, came)]
    old, new = (found | people for found, people in zip(named, persons, strict=True))
    return bool(old - new and new - old)


def _is_name(token: Token) -> bool:
    known = vocabulary()
    ordinary = token.word in known.verbs or token.word in known.pronouns
    return token.kind == "word" and not ordinary and (token.capital or token.word in technology_words())


def _spell(tokens: list[Token]) -> str:
    return " ".join(token.word for token in tokens)


def _verdict(
    found: Comparison,
    difference: _Difference,
    subject: Subject,
    new_tokens: Sequence[Token],
    denials: frozenset[str],
) -> Verdict:
    gone, came = difference.gone, difference.came
    if found.same_text:
        return "identical"
    if not gone and not came and not difference.replaced and not found.negation_differs:
        # "5 MW", "5 mW": the same letters in another case are another value, or another thing.
        return "different" if found.names_differ else "paraphrase"
    if not found.same_subject:
        return "different"
    shared = len(difference.common) / max(1, len(difference.common) + min(len(gone), len(came)))
    if found.changes and _ends_old(found.changes, difference, subject, new_tokens):
        return "update"
    if not found.same_polarity:
        plain_denial = shared >= 0.5 and difference.common and not _says_more(found, difference, denials)
        return "contradicts" if plain_denial else "different"
    if came and not gone:
        return "different" if _changes_claim(came) else "extends"
    return "update" if _new_value(difference, subject, new_tokens) else "different"


def _says_more(found: Comparison, difference: _Difference, denials: frozenset[str]) -> bool:
    """Return whether two texts with opposites or a denial differ in more.

    "Carp in this pond", "eels in that one"; "the flight on 3 May is booked", "the one on 4 May is not".
    """
    known = {word for pair in found.antonyms for each in pair for word in each.split()} | denials
    gone, came = (
        {
            token.key
            for token in side
            if token.word not in known and not is_stop(token.word) and token.kind != "symbol"
        }
        for side in (difference.gone, difference.came)
    )
    return any(not _has_form(each, came) for each in gone) and any(not _has_form(each, gone) for each in came)


def _has_form(word: str, others: Collection[str]) -> bool:
    """Return whether another form of a word is among others: "starts" and "start"."""
    return any(
        word[:_LEAST_ROOT] == each[:_LEAST_ROOT] and abs(len(word) - len(each)) <= _MOST_ENDING
        for each in others
        if len(each) >= _LEAST_ROOT and word.isalpha()
    )


def _same_words(old: Sequence[Token], new: Sequence[Token]) -> bool:
    if len(old) != len(new) or len(old) > _LONGEST_MOVED:
        return False
    before, after = [token.key for token in old], [token.key for token in new]
    return before != after and sorted(before) == sorted(after)


def _only_moved(old: Sequence[Token], new: Sequence[Token]) -> bool:
    """Return whether a phrase of time or place only stands elsewhere: "On Fridays we meet", "We meet on Fridays".

    A date may move anywhere; a phrase after a preposition only between the start and the end, because in the
    middle it would belong to another word ("the boy with the dog sees the girl").
    """
    before, after = [token.key for token in old], [token.key for token in new]
    start = next(place for place, (one, other) in enumerate(zip(before, after, strict=True)) if one != other)
    stop = len(before)
    while before[stop - 1] == after[stop - 1]:
        stop -= 1
    whole = stop - start == len(before)
    for cut in range(start + 1, stop):
        if before[cut:stop] + before[start:cut] == after[start:stop]:
            return any(_is_adjunct(old[low:high], whole) for low, high in ((start, cut), (cut, stop)))
    return False


def _is_adjunct(block: Sequence[Token], fronted: bool) -> bool:
    dated = [_is_date(token) for token in block]
    if any(dated) and all(
        date or token.kind in ("number", "unit") or is_stop(token.word)
        for date, token in zip(dated, block, strict=True)
    ):
        return True
    preposition = is_stop(block[0].word) and block[0].word not in vocabulary().pronouns
    return fronted and preposition and len(block) > 1 and not any(map(_is_name, block))


def _is_date(token: Token) -> bool:
    return token.kind == "date" or token.key in vocabulary().calendar  # "Thursdays"


def _ends_old(
    ended: tuple[str, ...], difference: _Difference, subject: Subject, new_tokens: Sequence[Token]
) -> bool:
    """Return whether the state that ended is the old text's: they share a name, most words, or the ended word.

    The subject does not count: that Bob replaced something ends only what is said about that thing.
    """
    kept = [token for token in difference.common if token.key not in subject.keys]
    fewer = min(len(difference.gone), len(difference.came))
    if any(_is_name(token) or token.kind in ("number", "date") for token in kept) or len(kept) > fewer:
        return True
    common = {token.key for token in kept}
    words = [token.word for token in new_tokens]
    for phrase in (phrase.split() for phrase in ended if " " in phrase):
        for place in range(len(words) - len(phrase)):
            if words[place : place + len(phrase)] == phrase:
                after = new_tokens[place + len(phrase) : place + len(phrase) + 2]
                return any(token.key in common for token in after)
    return False


def _changes_claim(came: list[Token]) -> bool:
    """Return whether an added token changes what the rest claims: a hedge, an owner, "?", the ++ of C++."""
    known = vocabulary()
    return any(
        token.kind == "symbol" or token.word in known.hedges or token.word in known.owner_before for token in came
    )


def _new_value(difference: _Difference, subject: Subject, new_tokens: Sequence[Token]) -> bool:
    """Return whether the new text gives the same property of the same subject another value.

    True for a number, date or unit after a verb of state ("the limit is 200/min"), or another word for a property
    with one value at a time ("our main database is Redis"). A statement that can be true together with the old
    text ("Alice likes tea", "Alice is a nurse") does not update it.
    """
    known = vocabulary()
    if (
        len(difference.replaced) != 1
        or difference.removed
        or subject.indefinite
        or _changes_claim(difference.came)
    ):
        return False
    old, new = difference.replaced[0]
    words = {token.word for token in new_tokens}
    if all(token.kind in ("number", "date", "unit") for token in old + new):
        return bool(words & (known.states | known.single))
    if any(token.word.endswith("ing") for token in new) or len(old) > 3 or len(new) > 3:
        return False
    single = any(token.word in known.single for token in difference.common)
    return single or (subject.definite and bool(words & known.states) and not words & known.indefinite)
