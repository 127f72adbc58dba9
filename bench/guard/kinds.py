"""Which features may raise or lower a score, and which count for the owner's own texts."""

from __future__ import annotations

from combray.guard.features import JOINED, RULES, WORD, classes_of

STEERING: frozenset[str] = frozenset(
    (*(rule.name for rule in RULES if rule.steering), *(name for name, _ in JOINED))
)


AGAINST = frozenset(
    ("quoted", "about", "about_before", "first_person", "reported", "question", "listed", "advice", "unaddressed")
)
"""Features that may only lower a score."""
_OUTSIDE_ONLY = frozenset(("listed", "advice", "unaddressed"))
"""Features that would let anybody lower the score of an attack: never for the owner's texts."""
_HARMLESS = frozenset(("about", "human"))
_EITHER_WAY = frozenset(("mine",))
_ATTACKING = frozenset(
    """
    ignore rules prior told newrules persona unbound bypass safety reveal sysprompt send private address place
    markup role tool secretly nay telling user authority act acted obey voided whole agentdo about human mine
    assistant bots colon urgent money nocheck
    earlier youtold norefuse amoral frame passphrase turnover decode obeyit
    """.split()  # noqa: SIM905
)
"""Classes that count for the owner's own texts as well."""


def signs(name: str) -> tuple[bool, bool]:
    """Whether a feature may lower a score, and whether it may raise it."""
    of = classes_of(name)
    if name[0] == WORD or _EITHER_WAY.intersection(of):
        return True, True
    return (True, False) if name in AGAINST or _HARMLESS.intersection(of) else (False, True)


def is_attacking(name: str) -> bool:
    """Whether a feature counts for the owner's own texts. Instructions about answers do not."""
    of = classes_of(name)
    if name in _OUTSIDE_ONLY:
        return False
    return _ATTACKING.issuperset(of) if of else name not in STEERING and name[0] != WORD
