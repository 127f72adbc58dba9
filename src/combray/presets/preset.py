"""What a preset is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combray.pipeline import Pipeline
from combray.records import dataclass, field

if TYPE_CHECKING:
    from combray.forms.recalling import Recalling
    from combray.forms.remembering import Remembering

READ = ("query",)
WRITE = ("items",)


@dataclass(frozen=True)
class Preset:
    """A write and a read pipeline under one name, and where they come from.

    `queues`: whether writes leave their vectors to a worker. With None the write pipeline is loaded to find out,
    which doubles the time of opening a store. `fades`: whether consolidation lets the confidence of stored
    facts decay, until it deprecates them, and not only that of facts that it derived.
    """

    name: str
    summary: str
    source: str
    remember: Pipeline[Remembering]
    recall: Pipeline[Recalling]
    notes: dict[str, str] = field(default_factory=dict)
    queues: bool | None = None
    fades: bool = False
