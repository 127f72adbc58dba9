"""Models that settle at write what a text may change, if the setting asks for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from combray.errors import InvalidInputError
from combray.runtime import Runtime
from combray.types import Remembered, Verdict

if TYPE_CHECKING:
    from combray.consolidate.revisions import Decided


def judged(runtime: Runtime, namespace: str, done: list[Remembered]) -> list[Remembered]:
    """Let judge and language model settle what texts may change; what they leave open stays asked about.

    A model that fails or gives an invalid answer settles nothing: the write is done.
    """
    from combray.consolidate.revisions import settled

    pairs = [(each.id, candidate.id) for each in done for candidate in each.may_revise]
    if (runtime.judge is None and runtime.language_model is None) or not pairs:
        return done
    ids = list(dict.fromkeys(end for pair in pairs for end in pair))
    reader = runtime.store.reader(namespace)
    memories = {each.id: each for each in reader.memories(reader.keys_of(ids).values())}
    asked = [pair for pair in pairs if memories.keys() >= set(pair)]
    decided, _ = settled(runtime, [(memories[new], memories[old]) for new, old in asked], runtime.clock())
    verdicts = {asked[number - 1]: each for number, each in decided.items() if each.decision != "unsure"}
    applied = {pair for pair, each in verdicts.items() if _settled_by_model(runtime, namespace, *pair, each)}
    return [_without_settled(each, applied, verdicts) for each in done]


def _settled_by_model(runtime: Runtime, namespace: str, new: str, old: str, decided: Decided) -> bool:
    from combray.consolidate.settling import settle as apply

    verdict = cast("Verdict", decided.decision)
    try:
        with runtime.store.transaction(namespace) as tx:
            keys = tx.keys_of([new, old])
            apply(tx, keys[new], keys[old], verdict, decided.reason, "model", runtime.clock())
    except InvalidInputError:
        # What is not trusted replaces nothing, and an earlier verdict may have replaced one of the two.
        return False
    return True


def _without_settled(
    done: Remembered, settled: set[tuple[str, str]], verdicts: dict[tuple[str, str], Decided]
) -> Remembered:
    mine = {pair: each for pair, each in verdicts.items() if pair in settled and pair[0] == done.id}
    if not mine:
        return done
    rest = tuple(each for each in done.may_revise if (done.id, each.id) not in mine)
    ended = [old for (_, old), each in mine.items() if each.decision in ("supersedes", "corrects")]
    if not ended or done.replaced_id is not None:
        return replace(done, may_revise=rest)
    reason = f"{mine[done.id, ended[0]].reason}, says the model"
    return replace(done, may_revise=rest, action="replaced", replaced_id=ended[0], reason=reason)
