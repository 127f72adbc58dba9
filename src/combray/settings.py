"""Settings: name, default, environment variable, one line of help.

Precedence: the caller's value, the environment (an empty variable counts as unset), a TOML file, the default.
Uses msgspec because pydantic-settings would add 100 ms to every shell command.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from combray.errors import InvalidInputError
from combray.folders import data_folder
from combray.records import dataclass

PREFIX = "COMBRAY_"
DEFAULT_EMBEDDER = "wordllama"
KEY, NEW_KEY = f"{PREFIX}KEY", f"{PREFIX}NEW_KEY"
"""Variables of the store's key, and of the key of an encrypted backup (`combray backup --encrypt`)."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Effective values, with their help."""

    db: Annotated[
        str,
        "path of the store, postgresql://…, or https://… of a server (default: default.db in the data folder)",
    ] = ""
    plain_http: Annotated[bool, "send the key of a server on another machine without encryption too"] = False
    replica: Annotated[str, "postgresql://… of a streaming replica that answers reads"] = ""
    namespace: Annotated[str, "namespace; memories of one namespace are not visible in another"] = "default"
    timezone: Annotated[
        str, "IANA name of the time zone of days, such as Europe/Berlin; default: the machine's"
    ] = ""
    preset: Annotated[str, "pipelines to use, such as default or mnemon (combray presets lists all)"] = "default"
    embedder: Annotated[str, "none, wordllama, onnx:PATH, openai, ollama, gemini, voyage, jina:MODEL@URL"] = (
        DEFAULT_EMBEDDER
    )
    embedder_before: Annotated[
        str, "embedder to use until every memory has a vector of `embedder` (default: wordllama)"
    ] = ""
    late_interaction: Annotated[
        str, "none, onnx:PATH: a ColBERT model that matches each token of a question with those of the best hits"
    ] = "none"
    models: Annotated[
        str,
        "local: the listed embedder and late interaction, on this machine (combray models fetch local)",
    ] = ""
    reranker: Annotated[str, "none, onnx:PATH, jina, voyage, siliconflow, pinecone, ollama:MODEL@URL"] = "none"
    judge: Annotated[str, "none, onnx:PATH: an NLI model that settles pairs it is sure of"] = "none"
    language_model: Annotated[str, "none, openai:MODEL@URL, anthropic:MODEL, gemini:MODEL"] = "none"
    languages: Annotated[str, "folder of added languages (docs/howto/add-a-language.md)"] = ""
    durability: Annotated[str, "normal survives a killed process, full also a power failure"] = "normal"
    busy_timeout: Annotated[
        float, "seconds that a write waits for the write lock of another process; reads never wait"
    ] = 30.0
    max_memories: Annotated[
        int, "preset mnemon: maximum of live memories, the least important are hidden; 0: no limit"
    ] = 1000
    decay: Annotated[
        bool, "preset default: rank newer memories slightly higher; openclaw: halve scores every 30 days"
    ] = False
    keep: Annotated[
        float, "preset default: drop hits below this share of the best score, 0 to 1; 0 fills the limit"
    ] = 0.5
    caution: Annotated[
        float,
        "least confidence of an answer, 0 to 1; a recall that is less sure is empty, 0: only the evidence floor",
    ] = 0.0
    context_budget: Annotated[int, "maximum tokens of a prompt context"] = 1500
    extract: Annotated[
        str,
        "how facts are found in turns of conversations: model (the language model, if one is set), rules or off",
    ] = "model"
    extract_calls: Annotated[int, "calls of extraction a day in a namespace; 0: no limit"] = 500
    extract_tokens: Annotated[int, "tokens of extraction a day in a namespace; 0: no limit"] = 1_000_000
    extract_cost: Annotated[
        float, "money of extraction a day in a namespace, by the setting `prices`; 0: no limit"
    ] = 0.0
    ignore_files: Annotated[bool, "leave out of the index what .gitignore and .ignore files name"] = True
    revision_budget: Annotated[
        float | None,
        "maximum share of writes that report memories they may change, 0 to 1; unset: preset default only",
    ] = None
    judge_at_write: Annotated[
        bool,
        "let judge and language model settle at once what a text changes; otherwise at consolidation",
    ] = False
    guard: Annotated[
        bool, "quarantine text that looks like prompt injection; secrets are redacted in any case"
    ] = True
    guard_model: Annotated[
        str,
        "none, onnx:PATH, onnx:ORG/NAME: a prompt injection classifier for texts of agents and third parties",
    ] = "none"
    guard_policy: Annotated[
        str,
        "instructions about later answers that an agent stores itself: quarantine, mark (as untrusted) or allow",
    ] = "quarantine"
    require_trust: Annotated[
        str, "lowest trust level that reads return: untrusted, agent or owner; or NAMESPACE=agent,…"
    ] = "untrusted"
    mmr: Annotated[bool, "preset openclaw: rank near-duplicate hits lower (maximal marginal relevance)"] = False
    mmr_lambda: Annotated[
        float | None,
        "presets openclaw, mnemo: weight of relevance in `mmr`, diversity has the rest; 0 to 1, unset: 0.7",
    ] = None
    hybrid: Annotated[bool, "preset openclaw: search by keywords and vectors; off: vectors only"] = True
    vector_weight: Annotated[float | None, "preset openclaw: weight of the cosine, 0 to 1; unset: 0.7"] = None
    text_weight: Annotated[float | None, "preset openclaw: weight of the keyword score, 0 to 1; unset: 0.3"] = (
        None
    )
    candidate_multiplier: Annotated[
        int | None, "preset openclaw: candidates per search, in units of 50, at most 200; 1 to 20, unset: 4"
    ] = None
    half_life_days: Annotated[
        float | None, "preset openclaw: days in which `decay` halves a score, 0.001 to 36500; unset: 30"
    ] = None
    chunk_tokens: Annotated[
        int, "maximum tokens of a chunk of a file, 8 to 8000; applies when a file is read (index --rebuild)"
    ] = 400
    chunk_overlap: Annotated[int, "tokens that two chunks of a file share, 0 to 4000, below chunk_tokens"] = 80
    candidate_pool_size: Annotated[
        int, "preset mnemo: candidates per search path, 1 to 1000, and how many are reranked"
    ] = 20
    peers: Annotated[
        str, "preset engram: other memory services to query: kind=url,… (combray, mem0, lightrag)"
    ] = ""
    peer_timeout: Annotated[float, "preset engram: seconds to wait for peers, at most 60"] = 3.0
    prices: Annotated[str, "price of a million tokens, for cost estimates in status: provider:MODEL=0.5,…"] = ""
    worker: Annotated[
        bool | None,
        "make vectors in a background thread; unset: for semantic-facts, and after a change of embedder",
    ] = None
    hook_milliseconds: Annotated[
        int, "time that a hook of an agent client may take, 50 to 60000; past it, it prints nothing"
    ] = 2000
    hook_resident: Annotated[
        int, "seconds without a hook after which the process that keeps the store open for hooks ends; 0: none"
    ] = 600
    hook_capture: Annotated[bool, "hooks store the turns of a session"] = True
    hook_tools: Annotated[bool, "hooks store results of tools too, as untrusted memories"] = False
    server_keys: Annotated[
        str, "file of the keys of `combray serve` (default: beside the store, STORE.keys.json)"
    ] = ""
    server_hosts: Annotated[
        str, "names by which requests may call the server besides its address: a.example,…"
    ] = ""
    server_origins: Annotated[
        str, "origins of web pages that may call the server (CORS): https://app.example,…; unset: none"
    ] = ""
    mem0_api: Annotated[bool, "`combray serve` also answers the paths of mem0's server and platform"] = False
    audit: Annotated[bool, "record every operation in a hash-chained log beside the store"] = True
    audit_anchor: Annotated[
        str, "folder, preferably on another disk, for the latest audit hash; reveals a truncated log"
    ] = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting."""

    name: str
    default: Any
    variable: str
    help: str


# Reading the types of all settings takes milliseconds, and a shell call loads its settings three times.
_FIELDS = msgspec.structs.fields(Settings)
SETTINGS: tuple[Setting, ...] = tuple(
    Setting(field.name, field.default, PREFIX + field.name.upper(), field.type.__metadata__[0])
    for field in _FIELDS
)


def load(overrides: Mapping[str, Any] | None = None, *, file: Path | None = None) -> Settings:
    """Load settings from caller, environment, file and defaults. Raises InvalidInputError."""
    values: dict[str, Any] = {}
    path = file or _settings_file()
    if path is not None:
        values.update(_from_file(path))
    for setting in SETTINGS:
        text = os.environ.get(setting.variable, "")
        if text:
            values[setting.name] = text
    values.update({name: value for name, value in (overrides or {}).items() if value is not None})
    if values.get("models"):
        values = {**_tier(str(values["models"])), **values}
    settings = _convert(values)
    _check_ranges(settings)
    if settings.durability not in ("normal", "full"):
        raise InvalidInputError("durability", f"{settings.durability!r} is not known.", "Use normal or full.")
    if settings.extract not in EXTRACT:
        raise InvalidInputError("extract", f"{settings.extract!r} is not known.", f"Use {', '.join(EXTRACT)}.")
    if settings.guard_policy not in POLICIES:
        problem = f"{settings.guard_policy!r} is not known."
        raise InvalidInputError("guard_policy", problem, f"Use {', '.join(POLICIES)}.")
    read_prices(settings.prices)
    return settings


TIERS: Mapping[str, Mapping[str, str]] = {
    "local": {
        "embedder": "onnx:bge-small-en-v1.5",
        "late_interaction": "onnx:answerai-colbert-small-v1",
    }
}
"""Values of `models`, each with the settings that it stands for where they are not set themselves."""


def _tier(name: str) -> Mapping[str, str]:
    if name not in TIERS:
        raise InvalidInputError("models", f"{name!r} is not known.", f"Use {', '.join(TIERS)}.")
    return TIERS[name]


EXTRACT = ("model", "rules", "off")
"""Values of `extract`."""
POLICIES = ("quarantine", "mark", "allow")
"""Values of `guard_policy`."""
RANGES: Mapping[str, tuple[float, float]] = {
    "candidate_pool_size": (1, 1000),
    "revision_budget": (0, 1),
    "extract_calls": (0, 2**53),
    "extract_tokens": (0, 2**53),
    "extract_cost": (0, 2**53),
    "keep": (0, 1),
    "caution": (0, 1),
    "hook_milliseconds": (50, 60_000),
    "hook_resident": (0, 86_400),
    "mmr_lambda": (0, 1),
    "vector_weight": (0, 1),
    "text_weight": (0, 1),
    "candidate_multiplier": (1, 20),
    "half_life_days": (0.001, 36_500),
    "chunk_tokens": (8, 8000),
    "chunk_overlap": (0, 4000),
}
"""Least and greatest value of settings, both included."""


def _check_ranges(settings: Settings) -> None:
    for name, (least, most) in RANGES.items():
        value = getattr(settings, name)
        if value is not None and not least <= value <= most:
            raise InvalidInputError(name, f"{value} is out of range.", f"Use {least:g} to {most:g}.")
    if settings.vector_weight == settings.text_weight == 0:
        raise InvalidInputError("vector_weight", "and text_weight are both 0.", "Give one of them a weight.")
    if settings.chunk_overlap >= settings.chunk_tokens:
        problem = f"{settings.chunk_overlap} is not below chunk_tokens, {settings.chunk_tokens}."
        raise InvalidInputError("chunk_overlap", problem, "Use a smaller overlap.")


def read_prices(text: str) -> dict[str, float]:
    """Parse `provider:MODEL=PRICE,…` to prices of a million tokens by model. Raises InvalidInputError."""
    prices: dict[str, float] = {}
    for each in filter(None, (part.strip() for part in text.split(","))):
        name, _, price = each.rpartition("=")
        try:
            prices[name.strip()] = float(price)
        except ValueError:
            name = ""
        if not name or not 0 <= prices[name.strip()] < float("inf"):
            raise InvalidInputError(
                "prices", f"{each!r} is not a price.", 'Use a list such as "openai:MODEL=0.5,voyage:MODEL=0.06".'
            )
    return prices


def secret(variable: str) -> str | None:
    """Return a variable's value, or the content of the file that VARIABLE_FILE names, or None.

    This is the only way to pass a key: no command-line option and no settings file accepts one. Raises
    InvalidInputError, whose message never contains the secret.
    """
    value, named = os.environ.get(variable, ""), os.environ.get(f"{variable}_FILE", "")
    if value and named:
        raise InvalidInputError(variable, f"and {variable}_FILE are both set.", "Unset one of them.")
    if not named:
        return value or None
    try:
        place = Path(os.path.expanduser(named))  # noqa: PTH111 - Path's raises for unknown users
        value = place.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise InvalidInputError(f"{variable}_FILE", f"{named!r} cannot be read ({why}).") from None
    if not value:
        raise InvalidInputError(f"{variable}_FILE", f"{named!r} is empty.", "Write the key into it.")
    return value


def default_location() -> str:
    """Return the path of the default store."""
    return str(Path(data_folder(), "default.db"))


def _settings_file() -> Path | None:
    named = os.environ.get(f"{PREFIX}CONFIG")
    if named:
        path = Path(os.path.expanduser(named))  # noqa: PTH111 - Path's raises for unknown users
        if not path.is_file():
            raise InvalidInputError(
                f"{PREFIX}CONFIG", f"there is no file {named}.", "Unset it, or use the path of a TOML file."
            )
        return path
    path = Path(data_folder(), "combray.toml")
    return path if path.is_file() else None


def _from_file(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError, RecursionError) as error:
        raise InvalidInputError(str(path), f"cannot be read as TOML ({error}).") from error
    known = {setting.name for setting in SETTINGS}
    for name in values:
        if name not in known:
            raise InvalidInputError(
                f"{path}: {name}", "is not a setting.", "Settings: " + ", ".join(sorted(known)) + "."
            )
    return values


def _convert(values: dict[str, Any]) -> Settings:
    converted: dict[str, Any] = {}
    for field in _FIELDS:
        if field.name in values:
            try:
                converted[field.name] = msgspec.convert(values[field.name], field.type, strict=False)
            except (msgspec.ValidationError, UnicodeEncodeError) as error:
                # Nobody writes null: unset a setting instead.
                told = str(error).replace(" | null", "")
                raise InvalidInputError(
                    field.name, f"{values[field.name]!r} is invalid ({told}).", field.type.__metadata__[0] + "."
                ) from error
    return Settings(**converted)
