"""Aliases that a text states: "CI stands for continuous integration".

Phrases are in `aliases` of a language. A pair is taken only if the short form abbreviates the long one, or
if both look like names. Source of the rule for abbreviations: Schwartz and Hearst, "A simple algorithm for
identifying abbreviation definitions in biomedical text", PSB 2003,
https://psb.stanford.edu/psb-online/proceedings/psb03/schwartz.pdf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from combray.language.caches import from_tables, late
from combray.language.folding import fold, is_unspaced
from combray.language.lexicon import word_lists
from combray.language.marks import Lists
from combray.language.names import LONGEST, LONGEST_UNSPACED, WORD, normal
from combray.language.tables import section
from combray.language.text import passing
from combray.language.tokens import all_runs, is_stop

MOST_LEARNED = 8
"""Pairs that one text can teach: a glossary of a hundred lines is better declared."""
_READ = 4000
"""Characters of a text that are read for aliases."""


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases of one language that state an alias.

    abbreviates: between the short form and the long one ("stands for"); also: between the long form and the short
    one ("also known as"); articles: words in front of a name
    that do not belong to it; breaks: words that end a name; never: words that are no name ("it"); relatives:
    words in front of a person's name ("my sister Ana").
    """

    abbreviates: list[str] = []
    also: list[str] = []
    articles: list[str] = []
    breaks: list[str] = []
    never: list[str] = []
    relatives: list[str] = []


_tables = section("aliases", Phrases)
_QUOTES = "\"'“”‘’「」『』《》*`"
# A dot within a word is part of an abbreviation: "TP.HCM".
_ENDS = late(r"\.(?=\s|$)|[!?;:。！？；：\n()（）\[\]{}…]|,\s|，|、|\s[-–—]\s")
_PARENTHESES = late(r"[(（]\s*([^()（）]{2,80}?)\s*[)）]")
_SHORT = re.compile(r"[^\W_][\w.&/+-]{1,11}").fullmatch


@from_tables
def _lists() -> Lists:
    tables = _tables().values()
    return Lists(
        {
            name: [phrase.lower() for table in tables for phrase in getattr(table, name)]
            for name in ("abbreviates", "also")
        }
    )


@from_tables
def _word_sets() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    tables = _tables().values()
    articles, breaks, never = (
        frozenset(fold(word) for table in tables for word in getattr(table, name))
        for name in ("articles", "breaks", "never")
    )
    return articles, breaks, never


@from_tables
def _relatives(plain_ascii: bool) -> frozenset[str]:
    """Return words of relatives, folded. Without its accents "mẹ", a mother, would be "me" in a text in ASCII."""
    listed = (word for table in _tables().values() for word in table.relatives)
    return frozenset(fold(word) for word in listed if word.isascii() or not plain_ascii)


@from_tables
def _calendar() -> frozenset[str]:
    return frozenset(fold(word) for table in word_lists().values() for word in table.calendar)


def learned(text: str) -> list[tuple[str, str]]:
    """Return the pairs (long form, short form) that a text states, at most MOST_LEARNED, in order."""
    text = text[:_READ]
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for long, short in (*_in_parentheses(text), *_by_phrases(text)):
        place = normal(long), normal(short)
        if all(place) and place[0] != place[1] and not {*place} & _word_sets()[2] and place[1] not in _calendar():
            found.setdefault(place, (long, short))
    return list(found.values())[:MOST_LEARNED]


# -- "SLO (service level objective)", "service level objective (SLO)" --------------------------------------


def _in_parentheses(text: str) -> Iterator[tuple[str, str]]:
    if "(" not in text and "（" not in text:
        return
    for hit in _PARENTHESES.finditer(text):
        before = _tail(text[: hit.start()])
        inside = hit[1].strip(_QUOTES + " ")
        if _is_acronym(inside):
            # The long form may have two words more than the short one has letters.
            near = before[-(len(inside) + 5) :]
            long = _abbreviated(inside, " ".join(near))
            if long:
                yield long, inside
        elif is_unspaced(inside) and before:
            yield from _unspaced_pair(before[-1], inside)
        elif before and _is_acronym(before[-1]) and _abbreviated(before[-1], inside) == inside:
            yield inside, before[-1]


def _unspaced_pair(before: str, inside: str) -> Iterator[tuple[str, str]]:
    """CI（持续集成）; 北京大学（北大）."""
    fillers = {char for table in word_lists().values() for char in table.fillers}
    if _ENDS.search(inside) or not 2 <= len(inside) <= LONGEST_UNSPACED:
        return
    if _is_acronym(before) and len(inside) >= 4 and not fillers & set(inside):
        yield inside, before
    elif is_unspaced(before) and len(inside) < len(before) <= 2 * LONGEST_UNSPACED:
        start = before.rfind(inside[0])
        while start >= 0 and not (_subsequence(inside, before[start:]) and len(before) - start > len(inside)):
            start = before.rfind(inside[0], 0, start)
        if start >= 0 and not fillers & set(before[start:]):
            yield before[start:], inside


def _subsequence(short: str, long: str) -> bool:
    rest = iter(long)
    return all(char in rest for char in short)


def _tail(text: str) -> list[str]:
    """Return the words of the clause that ends here."""
    clause = text[-160:].rstrip()
    cut = [hit.end() for hit in _ENDS.finditer(clause)]
    return WORD.findall(clause[cut[-1] :] if cut else clause)


def _is_acronym(text: str) -> bool:
    """Two to ten letters and digits of which two are capitals ("SLO", "IPv6"), or a numeronym ("K8s", "i18n")."""
    if not _SHORT(text) or not text.isascii() or len(text) > 10:
        return False
    return sum(map(str.isupper, text)) >= 2 or re.fullmatch(r"[A-Za-z]\d{1,2}[A-Za-z]", text) is not None


def _abbreviated(short: str, text: str) -> str:
    """Return the shortest end of the text that the short form abbreviates; "" if there is none.

    Its letters occur in order, the first one at the start of a word, the others at starts first (Schwartz and
    Hearst read from the right). Digits of a numeronym count the letters that it omits.
    """
    counted = re.fullmatch(r"([A-Za-z])(\d{1,2})([A-Za-z])", short)
    if counted:
        first, number, last = counted[1].lower(), int(counted[2]), counted[3].lower()
        for word in WORD.findall(text)[::-1]:
            if len(word) == number + 2 and fold(word[0]) == first and fold(word[-1]) == last:
                return str(word)
        return ""
    letters, folded = [char for char in fold(short) if char.isalnum()], fold(text)
    if len(folded) != len(text) or not letters:
        return ""
    # First the shortest end in which every letter begins a word: "European Economic Area (EEA)".
    starts = [hit.start() for hit in WORD.finditer(text)]
    for start in starts[::-1][len(letters) - 1 : len(letters) + 4]:
        if folded[start] == letters[0] and _initials(letters, text[start:]) == len(letters):
            return text[start:].strip()
    at = len(folded)
    for place in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= 0 and (folded[at] != letters[place] or (place == 0 and at > 0 and folded[at - 1].isalnum())):
            at -= 1
        if at < 0:
            return ""
    long = text[at:].strip()
    many = len(WORD.findall(long))
    # "Ba (Barbara)" may be; "CI (crisis)" is chance: an acronym of capitals has a word for most letters.
    enough = many >= min(2, len(letters)) and many <= len(letters) + 2
    return long if enough and 2 * _initials(letters, long) >= len(letters) else ""


def _initials(letters: list[str], long: str) -> int:
    starts = [fold(word)[:1] for word in WORD.findall(long)]
    count = 0
    for letter in letters:
        if letter in starts:
            starts = starts[starts.index(letter) + 1 :]
            count += 1
    return count


# -- "stands for", "also known as" --------------------------------------------------------------


def _by_phrases(text: str) -> Iterator[tuple[str, str]]:
    # Letter case is folded one to one, so that offsets stay valid.
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    marks = _lists().of(lowered, all_runs(passing(text)))
    for start, end in marks.spans("abbreviates"):
        clause = _clause(text[end:])
        yield from _stated(_unbroken(clause), _left(text[:start]), clause=clause)
    for start, end in marks.spans("also"):
        yield from _stated(_left(text[:start]), _right(text[end:]), named=True)


def _left(text: str) -> str:
    """Return the end of the clause in front of a phrase."""
    clause = text[-160:].rstrip(" ,，（(")
    cut = [hit.end() for hit in _ENDS.finditer(clause)]
    return clause[cut[-1] :].strip() if cut else clause.strip()


def _clause(text: str) -> str:
    """Return the clause behind a phrase."""
    text = text[:160].lstrip(" :：")
    end = _ENDS.search(text)
    return text[: end.start()] if end else text.rstrip(".!?")


def _right(text: str) -> str:
    """Return the start of the clause behind a phrase, up to a word that ends a name."""
    return _unbroken(_clause(text))


def _unbroken(clause: str) -> str:
    breaks = _word_sets()[1]
    for hit in WORD.finditer(clause):
        if hit.start() and fold(hit[0]) in breaks:
            return clause[: hit.start()].strip()
    return clause.strip()


def _stated(long: str, short: str, *, named: bool = False, clause: str = "") -> Iterator[tuple[str, str]]:
    """Yield the pair if the short form abbreviates the long one, or if both are names.

    The words may be more than the name: a short form is the nearest word, a long one is trimmed. `clause`: all
    words among which an abbreviated long form may end ("objectives and key results").
    """
    near = _nearest(short, from_left=named)
    if not near or not long:
        return
    if _is_acronym(near):
        exact = _abbreviated(near, long) if named else _first_abbreviated(near, clause or long)
        if exact:
            yield _bare(exact), near
            return
    long = _bare(long)
    if is_unspaced(long) and is_unspaced(near):
        # Without spaces the clause in front of a phrase may be longer than the name: "我毕业于北京大学".
        trimmed = next(_unspaced_pair(long, near), None) if named else None
        if trimmed:
            yield trimmed
        elif len(long) <= 2 * LONGEST_UNSPACED and len(near) <= LONGEST_UNSPACED:
            yield (long, near) if named or len(long) >= len(near) else (near, long)
        return
    few = 0 < len(WORD.findall(long)) <= LONGEST
    if few and _name_like(near) and (named or _name_like(long) or is_unspaced(long)):
        yield long, near


def _first_abbreviated(short: str, text: str) -> str:
    """Return the shortest beginning of the text that the short form abbreviates: what follows is not the name.

    One in which every letter begins a word is preferred: "American Telephone and Telegraph" for AT&T.
    """
    letters = [char for char in fold(short) if char.isalnum()]
    beginnings = [text[: hit.end()] for hit in WORD.finditer(text)]
    fitting = [each for each in beginnings if _abbreviated(short, each) == each]
    whole = (each for each in fitting if _initials(letters, each) == len(letters))
    return next(whole, next(iter(fitting), ""))


def _nearest(text: str, *, from_left: bool) -> str:
    """Return the name next to the phrase: a quoted one, a run of capitalised words, or the one word there."""
    text = text.strip()
    quoted = re.match(rf"[{_QUOTES}]([^{_QUOTES}]{{2,40}})[{_QUOTES}]", text if from_left else text[::-1])
    if quoted:
        return quoted[1] if from_left else quoted[1][::-1]
    if is_unspaced(text):
        return text.strip(_QUOTES + " ")
    listed = [word.removesuffix("'s").removesuffix("’s") for word in WORD.findall(text)]
    listed = listed if from_left else listed[::-1]
    run: list[str] = []
    for word in listed[:LONGEST]:
        if not (word[0].isupper() or word[0].isdigit() or _is_acronym(word)):
            break
        run.append(word)
    chosen = run or listed[:1]
    return " ".join(chosen if from_left else chosen[::-1])


def _bare(name: str) -> str:
    """Return the name without quotes, and without articles and a relative in front of it: "my sister Ana"."""
    name = name.strip(_QUOTES + " ,，")
    articles = _word_sets()[0]
    while first := WORD.match(name):
        rest = name[first.end() :].lstrip(_QUOTES + " ")
        of_kin = rest[:1].isupper() and first[0] in _relatives(name.isascii())
        if not of_kin and fold(first[0]) not in articles:
            break
        name = rest
    return name


def _name_like(name: str) -> bool:
    """Whether it has a capital, and is not one everyday word that begins a sentence."""
    inner = name.split()
    return any(char.isupper() for char in name) and not all(is_stop(word) for word in inner)
