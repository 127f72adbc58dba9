"""The write pipeline that all presets share. A preset names only what it does otherwise."""

from __future__ import annotations

from combray.forms.remembering import Remembering
from combray.pipeline import Pipeline, Stage, Transaction
from combray.presets import WRITE
from combray.remember.diff import Diff
from combray.remember.embed import Embed, FindNearest
from combray.remember.extract import ExtractEntities, Warn
from combray.remember.guard import Guard
from combray.remember.link import (
    LinkCausal,
    LinkEntities,
    LinkSemantic,
    LinkTemporal,
)
from combray.remember.retain import RefreshImportance
from combray.remember.suggest import SuggestCausal, SuggestSemantic
from combray.remember.time import ReadTime
from combray.remember.validate import Validate
from combray.remember.write import Settle, TakeSurvey, Write

Stages = tuple[Stage[Remembering], ...]

LINKS: Stages = (LinkTemporal(), LinkEntities(), LinkCausal(), LinkSemantic())
"""Edges as Mnemon makes them."""
FEWER_LINKS: Stages = (LinkTemporal(nearest=3), LinkEntities(per_entity=3, most=12), LinkCausal(), LinkSemantic())
"""Edges that recall walks, and no more: writing stays fast when one name occurs everywhere."""
_READ: Stages = (Warn(), ExtractEntities(people=True))
_EMBED: Stage[Remembering] = Embed()
_WEIGH: Stages = (RefreshImportance(),)
_SUGGEST: Stages = (SuggestSemantic(), SuggestCausal())


def write_pipeline(
    preset: str,
    diff: Diff,
    *,
    read: Stages = _READ,
    embed: Stage[Remembering] = _EMBED,
    before_write: Stages = (),
    links: Stages = LINKS,
    after_links: Stages = _WEIGH,
    suggest: Stages = _SUGGEST,
) -> Pipeline[Remembering]:
    """Return a preset's write pipeline: check, guard, read, embed, compare, then write in one transaction."""
    inside: Stages = (Settle(), TakeSurvey(), *before_write, Write(), *links, *after_links)
    return Pipeline(
        f"{preset}.remember",
        (Validate(), Guard(), ReadTime(), *read, embed, FindNearest(), diff, Transaction(inside), *suggest),
        WRITE,
    )
