"""Whether a sentence holds what a question asks about: only then `think` says, without a model, that it knows.

The quotes are the same either way. A sentence can be near a question and say nothing of it: "My bike is a Trek"
is the nearest to "Which editor do I use?" in a store about bikes.
"""

from __future__ import annotations

import re

from combray.language.dates import has_time_expression
from combray.language.entities import names
from combray.language.intent import Cue, asked, cues
from combray.language.questions import Question, is_of_speaker
from combray.language.tokens import query_terms, term_set
from combray.think.extraction import Pick

_GENITIVE = re.compile(r"\w['’]s?\s+(\w+)")
"""The English genitive and what it owns: "my sister's name"."""
_STEM = 4
"""Letters from which a stem may differ in the last: "leav" and "leaf"."""


def holds(question: Question, pick: Pick) -> bool:
    """Return whether a sentence has every content word of the question, more, and what the question asks for.

    Names may stand elsewhere in the memory, or be its author's. A question for a day or a number needs one in
    the sentence, one for a reason needs it in the memory.
    """
    text = question.bare or question.text
    wanted = frozenset(query_terms(text))
    if not wanted:
        return False
    named = term_set(" ".join(names(text))) & wanted
    memory = pick.source.memory
    around = term_set(f"{memory.author or ''} {memory.content} {memory.context}")
    said = term_set(pick.sentence)
    if _lacking(wanted - named, said) or _lacking(named, around) or said <= wanted:
        return False
    # "My laptop" is not that of another: a question of the first person needs a sentence in it.
    of_speaker = is_of_speaker(question.text.rstrip("?？ "))
    if of_speaker and (not is_of_speaker(pick.sentence) or _of_others(pick.sentence, text) & wanted):
        return False
    if question.asks_when:
        return has_time_expression(pick.sentence)
    kind = asked(question.text)
    # A place or a person need not have a name; a number and a reason show. The reason may be the next sentence.
    if kind == Cue.REASON:
        return bool(cues(memory.content) & kind)
    return kind != Cue.NUMBER or bool(cues(pick.sentence) & kind)


def _lacking(wanted: frozenset[str], held: frozenset[str]) -> frozenset[str]:
    """Return the terms that are not held, whole or but for the last letter, in which stems of a word differ."""
    short = {term[:-1] for term in held if len(term) >= _STEM}
    return frozenset(term for term in wanted - held if len(term) < _STEM or term[:-1] not in short)


def _of_others(sentence: str, question: str) -> frozenset[str]:
    """Return the terms that somebody else owns in the sentence, and nobody in the question."""
    return term_set(" ".join(_GENITIVE.findall(sentence))) - term_set(" ".join(_GENITIVE.findall(question)))
