"""Asking two stores everything a reader can tell, in a form that compares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from combray.runtime import Arm, Filter, Found, Reader


def found(answer: Found) -> dict[str, Any]:
    return {
        "keys": answer.keys.tolist(),
        "eligible": (answer.eligible, answer.vectorless),
        "lists": {name: (each.keys.tolist(), each.scores.tolist()) for name, each in answer.lists.items()},
        "scores": {name: each.tolist() for name, each in answer.scores.items()},
    }


def searched(reader: Reader, arms: Mapping[str, Arm], where: Filter, limit: int) -> dict[str, Any]:
    return found(reader.search(arms, where, limit))


def rows(reader: Reader, keys: list[int]) -> list[dict[str, Any]]:
    """Rows with names for codes: the codes are each store's own."""
    columns = reader.rows(np.array(keys, dtype=np.int64))
    plain = ("position", "words", "moment", "recorded", "importance", "confidence", "tier")
    derived = ("asks", "times", "cues", "gain")
    sessions = columns.session.tolist()
    return [
        {
            **{name: getattr(columns, name)[place] for name in (*plain, *derived)},
            "author": columns.author_names[code] if (code := columns.author[place]) >= 0 else None,
            "same_session": [sessions[place] == each for each in sessions],
            "has_session": sessions[place] >= 0,
        }
        for place in range(len(keys))
    ]


def everything(reader: Reader, models: tuple[str, ...], names: tuple[str, ...]) -> dict[str, Any]:
    """All that can be asked without arms."""
    keys = reader.scan(Filter(statuses=(), trusts=())).tolist()
    array = np.array(keys, dtype=np.int64)
    vectors = {model: reader.vectors(model, array) for model in models}
    profile = reader.profile()
    return {
        "keys": keys,
        "memories": reader.memories(keys),
        "contents": reader.contents([*keys, 10**6]),
        "rows": rows(reader, keys) if keys else [],
        "stored ids": (reader.ids(array), reader.accesses(array).tolist()),
        "neighbours": reader.neighbours(array, 2, 1),
        "vectors": {
            model: (found.tolist(), has.tolist()) for model, (found, has) in vectors.items() if len(keys)
        },
        "tokens": [None if each is None else each.tolist() for each in reader.tokens("late:2", array)],
        "links": reader.links(keys),
        "edges": reader.edges(),
        "histories": [reader.history(key) for key in keys],
        "status": reader.status(),
        "log": reader.log(1000),
        "revision": reader.revision(),
        "entities": (reader.entity_counts(1000), reader.known_entities(names)),
        "profile": profile,
        "queue": (reader.queue.backlogs(), [reader.queue.jobs(model) for model in models]),
        "vectorless": [(reader.queue.orphans(each), reader.queue.lacking(each)) for each in models],
        "ids": reader.keys_of([each.id for each in reader.memories(keys)]),
    }
