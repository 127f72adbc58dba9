"""Records: what modules import instead of the standard `dataclasses`, which compiles methods at once."""

from __future__ import annotations

from dataclasses import field, fields, replace

from combray.records.deferred import deferred
from combray.records.late import dataclass

__all__ = ["dataclass", "deferred", "field", "fields", "replace"]
