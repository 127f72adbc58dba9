"""Exceptions. Every error that Combray raises on purpose is a `CombrayError`.

A message names the value and the problem, and says what to do.
"""

from __future__ import annotations

from typing import Any

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
    "StaleVersionError",
    "StoreBusyError",
    "StoreError",
]


def brief(value: object) -> str:
    """Return at most 60 characters of a value's `repr`, for error messages."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        # Deeply nested lists; integers with more digits than Python converts.
        return "too deep or too long to show"
    return text if len(text) <= 60 else text[:57] + "..."


class CombrayError(Exception):
    """Base class of all errors that Combray raises on purpose. Catch it to catch them all."""


class InvalidInputError(CombrayError, ValueError):
    """Raised before anything is written, if an argument, option or setting is invalid.

    Correct the value and call again. `field` names it, `problem` says what is wrong, and `remedy` what to do.
    """

    def __init__(self, field: str, problem: str, remedy: str = "") -> None:
        self.field = field
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{field}: {problem}" + (f" {remedy}" if remedy else ""))


class NotFoundError(CombrayError, LookupError):
    """Raised if an id does not exist in the namespace, or a prefix of an id is ambiguous.

    Check the id and the namespace. An erased memory cannot be found again.
    """


class StaleVersionError(CombrayError):
    """Raised if a change was meant for another version of a memory: somebody changed it meanwhile.

    Nothing was written. Read the memory again and repeat the change on what it says now.
    """


class PipelineError(CombrayError):
    """Raised if a pipeline or preset is invalid, for example if an edited stage does not exist.

    Correct the edit. The message names the stages of the pipeline.
    """


class PluginError(CombrayError):
    """An installed package offers something to Combray that cannot be used. The message names the package."""


class ModelError(CombrayError):
    """Raised if an embedder, reranker, language model or peer fails, is not configured, or lacks its key.

    `recall` and `remember` do not raise it for a failed call: they continue without the model, and say so in
    the answer's `details["degraded"]`. `combray models test` shows the cause.

    `request_only`: the service works and rejected this one request, or gave it no complete answer.
    """

    request_only = False


class MissingExtraError(ModelError, ImportError):
    """Raised if a feature needs an optional dependency that is not installed.

    The message names the extra and the command that installs it.
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra {extra}, which is not installed: {install_command(extra)}.")


class StoreError(CombrayError):
    """Raised if the store cannot do what was requested. Transactions are atomic: nothing was written in part.

    Subclasses name the causes that a caller can handle.
    """


class ReadOnlyStoreError(StoreError):
    """Raised if a write is not permitted: the store was opened read-only, or its file or folder is not writable.

    Reads still work. Grant write access, or open a store in another folder.
    """


class DiskFullError(StoreError):
    """Raised if the disk is full. The transaction was rolled back.

    Free some space and call again. Reads still work.
    """


class StoreBusyError(StoreError):
    """Raised if another process held the write lock for longer than `busy_timeout`.

    Call again later, or increase the setting `busy_timeout`.
    """


class CorruptStoreError(StoreError):
    """Raised if the file is damaged or is not a Combray store.

    Run `combray doctor`, which checks the file. `combray doctor --repair` rebuilds the indexes. Otherwise restore
    a backup.
    """


class EncryptionError(StoreError):
    """Raised if a store is encrypted and the key is missing or wrong, or a key was given for a plain store.

    Set COMBRAY_KEY or COMBRAY_KEY_FILE to the right key, or unset both.
    """


class NewerSchemaError(StoreError):
    """Raised if the file was written by a newer version of Combray. Update Combray to open it."""


def install_command(extra: str) -> str:
    """Return what installs an extra beside this copy of Combray, in the words of the way it came here.

    It names no folder: a message may reach a client of a server. An installer notes in `direct_url.json` what was
    installed, unless it came from a package index: PEP 610,
    https://packaging.python.org/en/latest/specifications/direct-url/.
    """
    origin = _origin()
    if "vcs_info" in origin:
        return f"pip install 'combray[{extra}] @ {origin['vcs_info'].get('vcs', 'git')}+{origin['url']}'"
    if "archive_info" in origin:
        place = _archive(origin["url"])
        return (
            f"pip install 'combray[{extra}] @ {place}'" if "://" in place else f"pip install '{place}[{extra}]'"
        )
    if "dir_info" in origin:
        option = "-e " if origin["dir_info"].get("editable") else ""
        return f"pip install {option}'.[{extra}]' in the clone"
    return f"pip install 'combray[{extra}]'"


def _archive(url: str) -> str:
    """Return the address of an archive, or the name of a file."""
    return f"./{url.rpartition('/')[2]}" if url.startswith("file:") else url


def _origin() -> dict[str, Any]:
    """Return what the installer noted; empty for a package of an index."""
    # Not loaded with every process.
    import json
    from contextlib import suppress
    from importlib.metadata import PackageNotFoundError, distribution

    with suppress(PackageNotFoundError, OSError, ValueError):
        noted = json.loads(distribution("combray").read_text("direct_url.json") or "{}")
        return noted if isinstance(noted, dict) and isinstance(noted.get("url"), str) else {}
    return {}
