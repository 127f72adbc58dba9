"""Facts from turns that were stored: a language model reads them later, or rules store them at once.

Auto-memory, the rules, stores names, preferences and decisions of a user's turn, with the turn as evidence.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from combray.conversation.extraction import mark
from combray.errors import CombrayError
from combray.language.savings import worth_saving
from combray.language.scopes import scopes_of
from combray.runtime import Memories, Rememberer
from combray.settings import EXTRACT
from combray.types import Memory, MemoryItem, Remembered
from combray.values import one_of

LOG = logging.getLogger(__name__)

SOURCE = "auto"
"""Source of the facts stored here; `recall(sources=["auto"])` finds them."""


Extract = Literal["model", "rules", "off"]


def mode_of(settings: Mapping[str, Any], given: str | None = None) -> Extract:
    """Return how facts are extracted: as given, else as the setting says. Raises InvalidInputError."""
    return cast(Extract, one_of("extract", given or str(settings.get("extract", "model")), EXTRACT))


def extract_from(memories: Memories, turns: Sequence[Memory], given: str | None = None) -> list[Remembered]:
    """Do with stored turns what the caller, or the setting `extract`, asks for. Return what rules have stored.

    "model" puts the turns into the queue of extraction, if there is a language model; turns without a mark are
    read once there is one. "rules" stores facts now. What a caller has given as "rules" or "off" is never read by
    a model. A failure is logged, not raised: the turns are stored, and the caller must not add them again.
    """
    mode = mode_of(memories.settings, given)
    saved = [each for turn in turns for each in save_what_is_worth_it(memories, turn)] if mode == "rules" else []
    has_model = memories.runtime.language_model is not None
    if given == "off" or (has_model and (mode == "model" or given is not None)):
        try:
            with memories.runtime.store.transaction(memories.namespace) as tx:
                keys = tx.keys_of([turn.id for turn in turns]).values()
                mark(tx, list(keys), memories.runtime.clock(), read=mode == "model")
        except CombrayError:
            LOG.warning("turns could not be marked for extraction", exc_info=True)
    return saved


def save_what_is_worth_it(memories: Rememberer, turn: Memory) -> tuple[Remembered, ...]:
    """Store the facts in a turn, in the turn's scopes, and return the results.

    Facts go through the diff, so duplicates are skipped and a new value supersedes. Only turns with the trust
    "owner" are read. Failures are logged, not raised: the turn is already stored, and the caller must not add it
    again.
    """
    if turn.trust != "owner":
        return ()
    role = str(turn.metadata.get("role") or turn.author or "")
    items: list[MemoryItem] = [
        {
            "content": saving.text,
            "category": saving.category,
            "importance": saving.importance,
            "source": SOURCE,
            "author": turn.author,
            "trust": "owner",
            "tags": scopes_of(turn.tags),
            "occurred_at": turn.occurred_from if turn.said_at is None else None,
            "evidence": [turn.id],
            "metadata": {"auto": saving.kind, "reason": saving.reason, "session": turn.session},
        }
        for saving in worth_saving(turn.content, role)
    ]
    try:
        results = memories.remember_many(items) if items else []
    except CombrayError:
        LOG.warning("auto-memory could not store the facts of turn %s", turn.id, exc_info=True)
        return ()
    for each in results:
        if each.action == "refused":
            LOG.warning(
                "auto-memory could not store a fact of turn %s: %s", turn.id, each.reason.partition(":")[0]
            )
    return tuple(each for each in results if each.action != "refused")
