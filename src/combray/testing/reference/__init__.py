"""The oracle: a store in plain dicts and loops, against which every other store is tested."""

from combray.testing.reference.store import ReferenceStore

__all__ = ["ReferenceStore"]
