"""Model services: addresses, keys, and the spec `provider:MODEL#DIMENSIONS@URL`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any
from urllib.parse import SplitResult, urlsplit

from combray.errors import InvalidInputError, ModelError
from combray.models import DETECTORS, EMBEDDERS, JUDGES, LANGUAGE_MODELS, LATE, RERANKERS
from combray.models.http import Client
from combray.records import dataclass, field
from combray.values import is_loopback

_SPEC = re.compile(
    r"(?P<model>(?:(?!@https?:)\S)*?)(?:#(?P<dimensions>[1-9]\d{0,4}))?(?:@(?P<url>https?://\S+))?"
)

_UNREAD_ADDRESS = re.compile(r"@(?:\w+://|[\w.-]+:\d+(?:/|$)|localhost\b)")
"""A malformed address: another scheme than HTTP, or none."""


@dataclass(frozen=True)
class Service:
    """A provider: address, environment variable of its key, header for the key.

    Without `key_variable` no key is sent. A missing key is an error only at the provider's own address.
    """

    provider: str
    url: str
    key_variable: str = ""
    key_header: str = "Authorization"
    key_prefix: str = "Bearer "
    headers: Mapping[str, str] = field(default_factory=dict)


SERVICES = {
    each.provider: each
    for each in (
        Service(
            "anthropic",
            "https://api.anthropic.com/v1",
            "ANTHROPIC_API_KEY",
            "x-api-key",
            key_prefix="",
            headers={"anthropic-version": "2023-06-01"},
        ),
        Service(
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta",
            "GEMINI_API_KEY",
            "x-goog-api-key",
            key_prefix="",
        ),
        Service("jina", "https://api.jina.ai/v1", "JINA_API_KEY"),
        Service("ollama", "http://127.0.0.1:11434"),
        Service("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
        Service(
            "pinecone",
            "https://api.pinecone.io",
            "PINECONE_API_KEY",
            "Api-Key",
            key_prefix="",
            headers={"X-Pinecone-Api-Version": "2026-04"},
        ),
        # The Chinese site is siliconflow:MODEL@https://api.siliconflow.cn/v1.
        Service("siliconflow", "https://api.siliconflow.com/v1", "SILICONFLOW_API_KEY"),
        Service("voyage", "https://api.voyageai.com/v1", "VOYAGE_API_KEY"),
    )
}


@dataclass(frozen=True)
class Spec:
    """A parsed spec without its provider. `dimensions` 0 and `url` "" if absent."""

    model: str
    dimensions: int = 0
    url: str = ""


def parse(kind: str, provider: str, text: str, default: str = "") -> Spec:
    """Parse `MODEL#DIMENSIONS@URL`. Only the model is required, unless there is a default.

    Raises InvalidInputError with `kind` ("reranker", "embedder" …) as field.
    """
    read = _SPEC.fullmatch(text)
    model = (read["model"] if read else "") or default
    if read is None or not model or not text.isprintable():
        raise InvalidInputError(
            kind, f"{provider}:{text} cannot be parsed.", f"Name a model: {provider}:MODEL@URL."
        )
    if "#" in model:
        raise InvalidInputError(kind, f"{provider}:{text} has no valid dimensions after #.", "Use #1 to #99999.")
    if _UNREAD_ADDRESS.search(model):
        raise InvalidInputError(
            kind, f"{provider}:{text} has no valid address after @.", "Start it with http:// or https://."
        )
    url = read["url"] or ""
    if url:
        check_address(kind, url, "Use http(s)://HOST:PORT/PATH.", "the provider's key variable")
    return Spec(model, int(read["dimensions"] or 0), url)


def connect(service: Service, spec: Spec, **limits: Any) -> Client:
    """Return a client with the key from the environment. It does not connect yet.

    Raises ModelError if the key is missing at the provider's own address, is malformed, or would be sent to
    another machine unencrypted.
    """
    name = f"{service.provider}:{spec.model}"
    url = spec.url or service.url
    key = os.environ.get(service.key_variable, "").strip() if service.key_variable else ""
    if service.key_variable and not key and not spec.url:
        raise ModelError(f"{name}: no key; set {service.key_variable}")
    if not usable_key(key):
        raise ModelError(f"{name}: {service.key_variable} has characters that are invalid in a key")
    if key and url.startswith("http:") and not is_loopback(urlsplit(url).hostname or ""):
        raise ModelError(
            f"{name}: {url} is on another machine and unencrypted; use https, or unset {service.key_variable}"
        )
    authority = {service.key_header: service.key_prefix + key} if key else {}
    return Client(
        name, url, key=key, key_variable=service.key_variable, headers={**service.headers, **authority}, **limits
    )


def usable_key(key: str) -> bool:
    """Return whether a key, or none, can be sent in a header."""
    return key.isascii() and key.isprintable() and " " not in key


def check_address(field: str, url: str, remedy: str, key_variable: str) -> SplitResult:
    """Split the address of an HTTP service. Raises InvalidInputError for malformed ones and for passwords."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError as error:
        raise InvalidInputError(field, f"{url!r} is not a valid address ({error}).", remedy) from None
    if parts.username is not None or parts.password is not None:
        raise InvalidInputError(field, "the address contains a password.", f"Set {key_variable} instead.")
    if not usable or parts.query or parts.fragment:
        raise InvalidInputError(field, f"{url!r} is not the address of an HTTP service.", remedy)
    return parts


# -- the catalogue ---------------------------------------------------------------------------------

_TABLES = {
    "embedder": EMBEDDERS,
    "late_interaction": LATE,
    "reranker": RERANKERS,
    "judge": JUDGES,
    "guard_model": DETECTORS,
    "language_model": LANGUAGE_MODELS,
}
_IN_PROCESS: Mapping[str, tuple[str, str]] = {"onnx": ("onnxruntime", "onnx")}
"""Provider -> the package it needs, and the extra that installs it."""
_INCLUDED = ("none", "wordllama")


@dataclass(frozen=True, slots=True)
class Offer:
    """One value of a setting. `installed`: its library is present. `key_is_set`: `key_variable` holds a key."""

    kind: str
    spec: str
    about: str
    extra: str = ""
    installed: bool = True
    key_variable: str = ""
    key_is_set: bool = False


def offers() -> list[Offer]:
    """Return every embedder, reranker, judge, guard model and language model, in the order of their tables."""
    return [_offer(kind, spec, about) for kind, table in _TABLES.items() for spec, about in table.items()]


def is_set(variable: str) -> bool:
    """Return whether an environment variable has a value."""
    return bool(variable and os.environ.get(variable, "").strip())


def _offer(kind: str, spec: str, about: str) -> Offer:
    provider = spec.partition(":")[0]
    if provider in _INCLUDED:
        return Offer(kind, spec, about)
    if provider in _IN_PROCESS:
        package, extra = _IN_PROCESS[provider]
        return Offer(kind, spec, about, extra, find_spec(package) is not None)
    variable = SERVICES[provider].key_variable
    return Offer(kind, spec, about, key_variable=variable, key_is_set=is_set(variable))
