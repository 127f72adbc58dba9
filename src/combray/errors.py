"""Every exception a caller may catch. Each message says what was wrong, the value, and how to mend it."""

from __future__ import annotations

__all__ = [
    "CombrayError",
    "CorruptStoreError",
    "DiskFullError",
    "EncryptionError",
    "InvalidInputError",
    "MissingExtraError",
    "ModelError",
    "NewerSchemaError",
    "NotFoundError",
    "PipelineError",
    "PluginError",
    "ReadOnlyStoreError",
    "StoreBusyError",
    "StoreError",
]


def brief(value: object) -> str:
    """Not more than a line of a value, whatever it is: for messages that name it."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        # Lists in lists without end; a whole number of more digits than Python prints.
        return "too deep or too long to be shown"
    return text if len(text) <= 60 else text[:57] + "..."


class CombrayError(Exception):
    """Root of every error Combray raises on purpose."""


class InvalidInputError(CombrayError, ValueError):
    """The caller's value cannot be used; nothing was written."""

    def __init__(self, field: str, problem: str, remedy: str = "") -> None:
        self.field = field
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{field}: {problem}" + (f" {remedy}" if remedy else ""))


class NotFoundError(CombrayError, LookupError):
    """No memory of that id in this namespace."""


class PipelineError(CombrayError):
    """A pipeline is put together wrongly: a stage needs what no earlier stage gives."""


class PluginError(CombrayError):
    """An installed package offers something to Combray that cannot be used. The message names the package."""


class ModelError(CombrayError):
    """An embedder, reranker or language model failed or is not to be had."""


class MissingExtraError(ModelError, ImportError):
    """A part that is not in the small default install was asked for."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra that is not installed: pip install 'combray[{extra}]'")


class StoreError(CombrayError):
    """The store could not do what was asked; nothing was half-written."""


class ReadOnlyStoreError(StoreError):
    """The file or its folder cannot be written to."""


class DiskFullError(StoreError):
    """No room is left on the device; the write was rolled back."""


class StoreBusyError(StoreError):
    """Another process held the write lock for longer than the busy timeout."""


class CorruptStoreError(StoreError):
    """The file is damaged, or is not a Combray store."""


class EncryptionError(StoreError):
    """The file is encrypted and its key is missing or does not fit, or it is not and a key was given."""


class NewerSchemaError(StoreError):
    """The file was written by a newer Combray than this one."""
