"""The oracle: a store in plain dicts and loops, against which every other store is tested."""

from combray.stores.reference.store import ReferenceStore

__all__ = ["ReferenceStore"]
