"""Current facts: superseded memories lead to what replaced them; the present stands before the past and plans.

`recall.later` puts later statements behind older ones. Nothing is sorted by age. Measurements:
bench/results/truth.md; reasons: docs/explanation/current-facts.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from combray.language.answer_kinds import voice
from combray.language.asked_words import asked_words
from combray.language.kin import begins_with_kin, names_kin
from combray.language.named_days import names_a_day
from combray.language.states import states_of
from combray.language.tense import TENSE_BITS
from combray.language.tokens import term_set, terms
from combray.pipeline import stage
from combray.recall.open_pairs import chain_heads
from combray.recall.put_off import slips
from combray.recall.state import Recalling, aligned
from combray.recall.times import hedged, planned
from combray.runtime import Found, Keys, Link, Ranked, Runtime
from combray.scoring.scratch import ascending
from combray.types import STATUSES

_OUTDATED = [STATUSES.index(each) for each in ("superseded", "merged")]
_TINY = 1e-6


@stage
class FollowRevisions:
    """Finds for each candidate that was superseded or merged the live memory at the end of its chain.

    The candidate is ranked and judged by its own words: "I live in Leipzig" answers "Which city do I live in?" as
    well as before "Big news: I moved! Porto it is" superseded it. `ShowSuccessors` then shows the latter instead.
    A chain that ends in a memory which is forgotten, or which the filters exclude, gives nothing. For a question
    about the past superseded candidates stay, but for those that were corrected.
    """

    needs = ("found", "candidates")

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if state.found is None or not len(state.keys):
            return state
        if state.keeps_superseded:
            hidden = dict.fromkeys(self._never_true(state) if state.asks_past else (), -1)
        else:
            outdated = self._outdated(state)
            state.successors = chain_heads(state, state.keys[outdated].tolist()) if outdated.any() else {}
            hidden = {key: end for key, end in state.successors.items() if end < 0}
        if hidden:
            state.found = _instead(state.found, hidden)
            state.keys = state.found.keys
        return state

    @staticmethod
    def _never_true(state: Recalling) -> list[int]:
        """Return the candidates that were corrected: for no question they say how things were."""
        superseded = state.keys[state.columns().status == _OUTDATED[0]].tolist()
        links = state.reader.links_to(superseded, ("supersedes",)) if superseded else ()
        return sorted({each.target for each in links if each.subtype == "corrects"})

    @staticmethod
    def _outdated(state: Recalling) -> NDArray[np.bool_]:
        if state.where.as_of is not None:
            # What was superseded since was no less true then.
            return ~state.reader.eligible(state.keys, state.where)
        rows = state.columns()
        # What a plan replaced stays live until the plan's day, and is outdated from then on.
        ended = (rows.valid_to <= state.now) & ((rows.cues & TENSE_BITS["past"]) == 0)
        outdated: NDArray[np.bool_] = np.isin(rows.status, _OUTDATED) | ended
        return outdated


@stage
class ShowSuccessors:
    """Replaces each outdated candidate by the end of its chain (`FollowRevisions`), with its evidence.

    If the question finds both, the better place counts.
    """

    needs = ("sorted",)

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        heads = state.successors
        if not heads or state.found is None or not len(state.keys):
            return state
        found = state.keys.tolist()
        shown = [heads.get(key, key) for key in found]
        first = {key: place for place, key in reversed(list(enumerate(shown)))}
        places = sorted(first.values())
        if shown != found:
            state.found = _instead(state.found, {key: heads[key] for key in found if key in heads})
            state.take(np.array(places, dtype=np.int64))
            state.keys = np.array([shown[place] for place in places], dtype=np.int64)
            state.via.update(dict.fromkeys(set(shown) - set(found), "revision"))
        return state


def _instead(found: Found, heads: dict[int, int]) -> Found:
    """Return what was found with the heads in place of the outdated keys: the better rank, the higher scores."""

    known = np.array(sorted(heads), dtype=np.int64)
    ends = np.array([heads[key] for key in known.tolist()], dtype=np.int64)

    def renamed(keys: Keys) -> Keys:
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        return np.where(known[at] == keys, ends[at], keys)

    places = renamed(found.keys)
    stays = places >= 0
    keys = ascending(places[stays])
    place = np.searchsorted(keys, places[stays])
    scores = {}
    for name, values in found.scores.items():
        scores[name] = np.full(len(keys), -np.inf)
        np.maximum.at(scores[name], place, values[stays])
    lists = {}
    for name, ranked in found.lists.items():
        mine = renamed(ranked.keys)
        # The first place of each key, in the order of the list.
        order = np.argsort(mine, kind="stable")
        first = order[np.append(True, mine[order[1:]] != mine[order[:-1]])] if len(order) else order
        kept = np.sort(first[mine[first] >= 0])
        lists[name] = Ranked(mine[kept], ranked.scores[kept])
    return replace(found, keys=keys, lists=lists, scores=scores)


@stage
class LeadWithPresent:
    """Moves a statement about the present in front of a first hit that is about the past, a plan or a rumour.

    "I used to live in Lisbon" then does not lead over "I live in Berlin". The statement is one of the next three
    and is about the same: it has at least `share` of the first score, as many words of the question, and both
    hold at least the share `alike` of the words of the shorter text, or both are by one author and it has
    `share_of_author` of the score. In front of a plan that is not due stands what it will supersede, or change by
    an open edge, even if the question does not find it. A later plan whose date has come leads over a statement
    about the present if it has `share_of_topic` of the score, and a topic that the two and the question have in
    common (`language.states`). If none of the next three is about the same, the statement leads that the first
    hit would change if it were about the present (a `contrasts` edge of at least `contrast_from`). It holds every
    name of the question that the first hit holds: "Ludmila used to play the harp" does not yield to "I play the
    viola".

    For a question about the past ("before Graz") a statement about the past leads in the same way: one with a
    `contrasts` edge to the first hit, else one of the next three that is about the same. A first hit about a
    relative yields to one about its author, if the question is about the author. Texts of more than
    `longest` words say many things and stay. Measured: bench/results/truth.md.
    """

    needs = ("sorted", "question")
    among: int = 4
    share: float = 0.6
    share_of_topic: float = 0.5
    alike: float = 0.4
    share_of_author: float = 0.8
    edge_from: float = 0.05
    """Probability of a plan's edge from which the plan and a statement are about the same."""
    contrast_from: float = 0.01
    """Probability of a `contrasts` edge from which two statements are about the same."""
    longest: int = 60

    def __call__(self, state: Recalling, _runtime: Runtime) -> Recalling:
        if not len(state.keys) or state.found is None:
            return state
        rows = state.columns()
        if rows.words[0] > self.longest:
            return state
        if state.asks_past:
            self._lead_with_past(state)
            return state
        asks_plan = state.question is not None and state.question.asks_plan
        plans = planned(rows)[: self.among]
        yields = hedged(rows, state.present, ("planned",) if asks_plan else ())[: self.among]
        # A plan that came due, unless it was put off or cancelled before.
        due = plans & ~yields & (rows.valid_from[: self.among] <= state.present)
        if due.any():
            off = np.isin(state.keys[: self.among], list(slips(state, state.keys[: self.among][due].tolist())))
            yields, due = yields | off, due & ~off
        shares = state.scores[: self.among] / max(float(state.scores[0]), _TINY)
        if yields[0]:
            # "The party is on the 18th", later "we'll hold it on the 25th": a plan does not yield to the old day.
            told = ~yields & ~(plans[0] & rows.times[: self.among] & (rows.moment[: self.among] < rows.moment[0]))
            if plans[0] and self._leads_what_it_revises(state):
                return state
            place = self._about_the_same(state, told, shares)
            if not place and not plans[0]:
                self._lead_with_contrast(state)
        else:
            later = rows.moment[: self.among] > rows.moment[0]
            near = due & later & (shares >= self.share_of_topic)
            place = self._of_a_topic(state, near) if near.any() and not plans[0] else 0
            if place:
                plan, old = int(state.keys[place]), int(state.keys[0])
                state.led = [Link(plan, old, "may_revise", self.share_of_topic)]
            else:
                place = self._of_the_author(state, ~yields, shares)
        if place:
            _lead(state, int(state.keys[place]))
        return state

    def _lead_with_past(self, state: Recalling) -> None:
        """Put a statement about the past in front of a first hit about the present that it is about."""
        first = int(state.keys[0])
        rows = state.columns()
        past = ((rows.cues & TENSE_BITS["past"]) > 0) | (rows.valid_to <= state.present)
        if past[0]:
            return
        links = [
            each for each in state.reader.links_to([first], ("contrasts",)) if each.weight >= self.contrast_from
        ]
        keys = np.array(sorted({each.source for each in links}), dtype=np.int64)
        if len(keys):
            told = (state.reader.rows(keys).cues & TENSE_BITS["past"]) > 0
            shown = set(keys[told & state.reader.eligible(keys, state.where)].tolist())
            best = max((each for each in links if each.source in shown), key=_by_weight, default=None)
            if best is not None:
                _lead(state, best.source)
                return
        shares = state.scores[: self.among] / max(float(state.scores[0]), _TINY)
        place = self._about_the_same(state, past[: self.among], shares)
        if place:
            _lead(state, int(state.keys[place]))

    def _lead_with_contrast(self, state: Recalling) -> None:
        """Put the statement about the present that the first hit would change, if it were one, in front of it."""
        first = int(state.keys[0])
        found = {
            each.target: each.weight
            for each in state.reader.links([first], ("contrasts",))
            if each.source == first and each.weight >= self.contrast_from
        }
        if not found:
            return
        keys = np.array(sorted(found), dtype=np.int64)
        told = state.reader.eligible(keys, state.where) & ~hedged(state.reader.rows(keys), state.present)
        naming = self._naming(state, keys[told].tolist())
        # "When I was small dad drove a Lada" is like "My parents live in Pirna", but a car is asked for.
        asked = states_of(state.query).topics & states_of(state.contents([first])[0]).topics
        topics = [states_of(text).topics & asked for text in state.contents(naming)] if asked else []
        naming = [key for key, shared in zip(naming, topics, strict=False) if shared] or naming
        best = max(naming, key=lambda key: (found[key], -key), default=None)
        if best is not None:
            _lead(state, best)

    def _naming(self, state: Recalling, keys: Sequence[int]) -> list[int]:
        """Return those of the memories that hold each name of the question that the first hit holds."""
        if not keys:
            return []
        names = {each.term for each in asked_words(state.query) if each.name}
        if not names:
            return list(keys)
        every = [int(state.keys[0]), *keys]
        rows = state.reader.rows(np.array(every, dtype=np.int64))
        by = [rows.author_names[code] if code >= 0 else "" for code in rows.author.tolist()]
        first, *others = (
            names & {*term_set(text), *terms(text), *terms(author)}
            for text, author in zip(state.reader.contents(every), by, strict=True)
        )
        return [key for key, held in zip(keys, others, strict=True) if first <= held]

    def _leads_what_it_revises(self, state: Recalling) -> bool:
        """Put the statement that the first hit, a plan, most probably changes in front of it; False for none."""
        plan = int(state.keys[0])
        links = [
            each
            for each in state.reader.links([plan], ("may_revise", "supersedes"))
            # What it supersedes on its day is settled.
            if each.source == plan and not each.subtype and each.weight >= self.edge_from
        ]
        if not links:
            return False
        keys = np.array(sorted({each.target for each in links}), dtype=np.int64)
        rows = state.reader.rows(keys)
        told = state.reader.eligible(keys, state.where) & ~hedged(rows, state.present)
        shown = set(keys[told].tolist())
        if state.columns().times[0]:
            # "The party is on the 18th", later "on the 25th": a plan does not yield to the old day.
            timed = keys[told & rows.times].tolist()
            texts = state.reader.contents(timed) if timed else []
            shown -= {key for key, text in zip(timed, texts, strict=True) if names_a_day(text)}
        shown = set(self._naming(state, sorted(shown)))
        best = max((each for each in links if each.target in shown), key=_by_weight, default=None)
        if best is not None:
            _lead(state, best.target)
        return best is not None

    def _about_the_same(self, state: Recalling, told: NDArray[np.bool_], shares: NDArray[np.float64]) -> int:
        """Return the first of the places whose text is about the same as the first hit; 0 for none."""
        if state.found is None:
            return 0
        author = state.columns().author[: self.among]
        held = aligned(state.keys[: self.among], *_by_key(state.found, "held"))
        told = told & (held > 0)
        places = np.flatnonzero(told & (held >= held[0]) & (shares >= self.share))
        names = set(self._naming(state, state.keys[places].tolist()))
        places = np.array([place for place in places.tolist() if int(state.keys[place]) in names], dtype=np.int64)
        if len(places):
            first, *texts = state.reader.contents(state.keys[[0, *places]])
            said = term_set(first)
            for place, text in zip(places.tolist(), texts, strict=True):
                mine = term_set(text)
                if author[place] == author[0] >= 0 and shares[place] >= self.share_of_author:
                    return int(place)
                if len(said & mine) >= self.alike * max(1, min(len(said), len(mine))):
                    return int(place)
        return 0

    def _of_the_author(self, state: Recalling, told: NDArray[np.bool_], shares: NDArray[np.float64]) -> int:
        """Return the first of the places whose text is about its author, where the first hit is about a relative.

        The question is about that author and no relative: "Where does Mira live?", "My parents live in Antwerp".
        """
        if state.question is None or state.found is None:
            return 0
        if not begins_with_kin(state.contents([int(state.keys[0])])[0]) or names_kin(state.query):
            return 0
        rows = state.columns()
        author = rows.author[: self.among]
        if author[0] < 0:
            return 0
        asks_self = any(voice(state.query)[:2])
        if not asks_self and state.question.subject != rows.author_names[author[0]]:
            return 0
        held = aligned(state.keys[: self.among], *_by_key(state.found, "held"))
        near = told & (author == author[0]) & (shares >= self.share) & (held >= held[0])
        places = [place for place in np.flatnonzero(near).tolist() if place]
        texts = state.contents(state.keys[places].tolist())
        return next((place for place, text in zip(places, texts, strict=True) if not names_kin(text)), 0)

    def _of_a_topic(self, state: Recalling, told: NDArray[np.bool_]) -> int:
        """Return the first of the places that shares a topic with the first hit and the question; 0 for none."""
        places = np.flatnonzero(told)
        if not len(places):
            return 0
        first, *texts = state.reader.contents(state.keys[[0, *places]])
        wanted = states_of(state.query).topics & states_of(first).topics
        found = (
            place for place, text in zip(places.tolist(), texts, strict=True) if states_of(text).topics & wanted
        )
        return int(next(found, 0))


def _lead(state: Recalling, key: int) -> None:
    """Put a memory in front, with the first score: a score never rises down the list."""
    order = [key, *(each for each in state.keys.tolist() if each != key)]
    scores = dict(zip(state.keys.tolist(), state.scores.tolist(), strict=True)) | {key: float(state.scores[0])}
    if key not in set(state.keys.tolist()):
        state.via.setdefault(key, "revision")
    state.arrange(np.array(order, dtype=np.int64), np.array([scores[each] for each in order]))


def _by_weight(link: Link) -> tuple[float, int]:
    return link.weight, -link.target


def _by_key(found: Found, name: str) -> tuple[Keys, NDArray[np.float64]]:
    order = np.argsort(found.keys)
    scores = found.scores.get(name, np.zeros(len(found.keys)))
    return found.keys[order], scores[order]
