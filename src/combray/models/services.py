"""Where model services are, whose key they take, and how a spec names one: `provider:MODEL@URL`."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from combray.errors import InvalidInputError, ModelError
from combray.models.http import Client

_SPEC = re.compile(
    r"(?P<model>(?:(?!@https?:)\S)*?)(?:#(?P<dimensions>[1-9]\d{0,4}))?(?:@(?P<url>https?://\S+))?"
)

_UNREAD_ADDRESS = re.compile(r"@(?:\w+://|[\w.-]+:\d+(?:/|$)|localhost\b)")
"""What was meant as an address and has another scheme than HTTP, or none."""


@dataclass(frozen=True)
class Service:
    """A provider: its address, the environment variable of its key, the header that carries it, its usual model.

    Without `key_variable` no key is sent. A service whose address the caller names may need none: then a
    missing one is no error.
    """

    provider: str
    url: str
    model: str = ""
    key_variable: str = ""
    key_header: str = "Authorization"
    key_prefix: str = "Bearer "
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Spec:
    """What a spec says behind its provider. `dimensions` 0 and `url` "" where it says nothing."""

    model: str
    dimensions: int = 0
    url: str = ""


def parse(kind: str, service: Service, text: str) -> Spec:
    """`MODEL#DIMENSIONS@URL`, all but the model optional, and the model where there is a usual one.

    Raises InvalidInputError, with `kind` ("reranker", "embedder" …) as field.
    """
    read = _SPEC.fullmatch(text)
    model = (read["model"] if read else "") or service.model
    if read is None or not model or not text.isprintable():
        raise InvalidInputError(
            kind, f"{service.provider}:{text} cannot be read.", f"Name a model: {service.provider}:MODEL@URL."
        )
    if "#" in model:
        raise InvalidInputError(
            kind, f"{service.provider}:{text} names no dimensions behind its #.", "Write #1 to #99999."
        )
    if _UNREAD_ADDRESS.search(model):
        raise InvalidInputError(
            kind, f"{service.provider}:{text} has no address behind its @.", "Begin it with http:// or https://."
        )
    url = read["url"] or ""
    if url:
        _check(kind, url)
    return Spec(model, int(read["dimensions"] or 0), url)


def connect(service: Service, spec: Spec, **limits: Any) -> Client:
    """A client for the service, with the key of the environment. Nothing is connected to yet.

    Raises ModelError when the provider's own address needs a key that is not there, when the key cannot be
    one, or when it would go to another machine unencrypted.
    """
    name = f"{service.provider}:{spec.model}"
    url = spec.url or service.url
    key = os.environ.get(service.key_variable, "").strip() if service.key_variable else ""
    if service.key_variable and not key and not spec.url:
        raise ModelError(f"{name}: no key; set {service.key_variable}")
    if not usable_key(key):
        raise ModelError(f"{name}: {service.key_variable} holds characters that no key has")
    if key and url.startswith("http:") and not is_loopback(urlsplit(url).hostname or ""):
        raise ModelError(
            f"{name}: {url} is another machine, without encryption; use https, or unset {service.key_variable}"
        )
    authority = {service.key_header: service.key_prefix + key} if key else {}
    return Client(
        name,
        url,
        key=key,
        key_variable=service.key_variable,
        headers={**service.headers, **authority},
        **limits,
    )


def usable_key(key: str) -> bool:
    """Whether a key, or none, can stand in a header."""
    return key.isascii() and key.isprintable() and " " not in key


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check(kind: str, url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise InvalidInputError(kind, f"{url!r} is no address ({error}).") from None
    if parts.username is not None or parts.password is not None:
        raise InvalidInputError(kind, "an address holds a password.", "Set the provider's key variable instead.")
    if not usable or parts.query or parts.fragment:
        raise InvalidInputError(kind, f"{url!r} is no address of a service.", "Give http(s)://HOST:PORT/PATH.")
