"""What other installed packages add to Combray, found by their entry points.

An entry point is read only for a name that is not one of Combray's own, so a start without plugins pays nothing.
A plugin cannot replace a name of Combray's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from combray.errors import CombrayError, PluginError
from combray.records import dataclass

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUPS: Mapping[str, str] = {
    "preset": "combray.presets",
    "embedder": "combray.embedders",
    "reranker": "combray.rerankers",
    "judge": "combray.judges",
    "language_model": "combray.language_models",
    "store": "combray.stores",
}
"""Kind -> group of entry points. A preset is an object; of the other kinds it is a function that makes one.

- preset: a `combray.stages.Preset`.
- embedder, reranker, judge, language_model: called with what follows `NAME:` in the setting ("" if nothing does).
- store: called with the location (`NAME://…`) and the keyword arguments `read_only`, `durability`,
  `busy_timeout`, `witness` and `key`.
"""
VERBS = {
    "embedder": "embed",
    "reranker": "rerank",
    "judge": "judge",
    "language_model": "complete",
    "store": "transaction",
}
"""Kind -> a method that what is made must have."""


_OWN = "combray"
_NONE: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point of an installed package. `problem` says why it is not used; empty if it is."""

    kind: str
    name: str
    package: str
    problem: str = ""


def installed(kind: str, ours: Iterable[str]) -> list[Plugin]:
    """Return what packages offer of this kind, by name, without loading any of it."""
    found = sorted(_entry_points(kind), key=lambda each: (each.name, _package(each)))
    names = [each.name for each in found]
    return [Plugin(kind, each.name, _package(each), _refusal(each.name, names, set(ours))) for each in found]


def load(kind: str, name: str, ours: Mapping[str, str] = _NONE) -> Any:
    """Return the object that a package offers under that name; None if none does. Raises PluginError.

    `ours`: Combray's own entry points, name -> "module:object". The metadata is not read for these names.
    """
    if name in ours:
        module, _, attribute = ours[name].partition(":")
        return getattr(import_module(module), attribute)
    found = [each for each in _entry_points(kind) if each.name == name]
    if len(found) > 1:
        packages = " and ".join(sorted(map(_package, found)))
        raise PluginError(f"{kind} {name!r} is offered by {packages}. Uninstall all but one of them.")
    return _guarded(kind, found[0], found[0].load) if found else None


def make(kind: str, name: str, *values: Any, **settings: Any) -> Any:
    """Return what the function of that name makes of the values; None if no package offers one.

    Raises PluginError; errors of Combray's own classes pass through.
    """
    function = load(kind, name)
    if function is None:
        return None
    (entry,) = (each for each in _entry_points(kind) if each.name == name)
    made = _guarded(kind, entry, lambda: function(*values, **settings))
    if not callable(getattr(made, VERBS[kind], None)):
        raise PluginError(
            f"{kind} {name!r} of package {_package(entry)} has no method {VERBS[kind]!r}: it is "
            f"{type(made).__name__}. Update or uninstall the package."
        )
    return made


def _entry_points(kind: str) -> list[EntryPoint]:
    # Imported here: reading the metadata of installed packages takes longer than most calls of the shell.
    from importlib.metadata import entry_points

    # Combray's own are known without metadata (`presets/__init__.py`).
    found = entry_points(group=GROUPS[kind])
    return [each for each in found if each.dist is None or each.dist.name != _OWN]


def _package(entry: EntryPoint) -> str:
    return "an unknown package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"


def _refusal(name: str, names: list[str], ours: set[str]) -> str:
    if name in ours:
        return "the name belongs to Combray"
    return "more than one package offers this name" if names.count(name) > 1 else ""


def _guarded(kind: str, entry: EntryPoint, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except CombrayError:
        raise
    except Exception as error:
        raise PluginError(
            f"{kind} {entry.name!r} of package {_package(entry)} failed ({type(error).__name__}: {error}). "
            "Update or uninstall the package."
        ) from error
