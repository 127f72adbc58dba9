"""Reference pages that are one table or a few: settings, exceptions, the stages of presets."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from combray import errors, presets
from combray.settings import SETTINGS


def settings() -> str:
    """Every setting with default, variable and help."""
    rows = [
        f"| `{each.name}` | {_default(each.default)} | `{each.variable}` | {_cell(each.help)} |"
        for each in SETTINGS
    ]
    return "\n".join(
        [
            "# Settings",
            "",
            "In order of precedence: an argument of `combray.open` or an option of the shell,",
            "the environment variable (an empty one counts as unset), the file `combray.toml`, the default.",
            "",
            "| setting | default | environment | meaning |",
            "|---|---|---|---|",
            *rows,
            "",
            "`COMBRAY_HOME` names the data folder (default: the platform's folder for user data),",
            "and `COMBRAY_CONFIG` another TOML file than `combray.toml` in it.",
            "`COMBRAY_KEY` or `COMBRAY_KEY_FILE` opens an encrypted store;",
            "no settings file and no command line takes a key ([encryption](../howto/encrypt-a-store.md)).",
            "",
            "On a busy machine set `OPENBLAS_NUM_THREADS=1`: a write then took a third of the processor time.",
            "",
        ]
    )


def exceptions() -> str:
    """Every public exception, below its parent."""
    known = {name: getattr(errors, name) for name in errors.__all__}
    lines = [
        "# Exceptions",
        "",
        "All of them are in `combray.errors`. `CombrayError` covers everything that Combray raises on purpose.",
        "",
        "| exception | also a | raised when |",
        "|---|---|---|",
    ]
    for name, kind in sorted(
        known.items(), key=lambda each: [base.__name__ for base in reversed(each[1].__mro__)]
    ):
        parents = ", ".join(f"`{base.__name__}`" for base in kind.__bases__ if base is not Exception)
        lines.append(f"| `{name}` | {parents} | {_cell(inspect.getdoc(kind) or '')} |")
    return "\n".join([*lines, ""])


def stages() -> str:
    """The stages of every preset, as `combray presets show` prints them."""
    lines = [
        "# Stages of the presets",
        "",
        "Every stage in order with its settings. [Presets](presets.md) explains them;",
        "`combray presets show NAME` prints one.",
        "",
    ]
    for name in sorted(presets.names()):
        preset = presets.load(name)
        lines += [f"## {name}", ""]
        for walk in ("remember", "recall"):
            lines += [f"### {name}: {walk}", "", "| stage | settings |", "|---|---|"]
            lines += [*_rows(getattr(preset, walk).describe()), ""]
    return "\n".join(lines)


def _rows(described: Sequence[Mapping[str, Any]], indent: str = "") -> Iterator[str]:
    for each in described:
        shown = ", ".join(setting for item in each["settings"].items() for setting in _setting(*item))
        yield f"| {indent}`{each['stage']}` | {_cell(shown)} |"
        yield from _rows(each.get("stages", ()), indent + "· ")


def _setting(name: str, value: object) -> Iterator[str]:
    """A setting in full; of a table, an entry for each key."""
    if not isinstance(value, Mapping):
        yield f"`{name}={value!r}`"
        return
    for key, inner in value.items():
        yield f"`{name}[{key!r}]={dict(inner) if isinstance(inner, Mapping) else inner!r}`"


def _default(value: object) -> str:
    return {"": "none", "None": "unset"}.get(str(value), f"`{value}`")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
