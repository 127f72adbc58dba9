"""The explorer: a web page that shows what is remembered, and access to it by a token that works once.

The page is static files; all data comes from /v1. The files in `combray/explorer/` are built from `explorer/` at
the root of the repository (`npm run build`).
"""

from __future__ import annotations

import gzip
import hashlib
import hmac
import re
import secrets
import threading
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from combray.records import dataclass
from combray.server.access import Caller, KeyedAccess, Refused, challenge, credential
from combray.server.keys import KeyRing
from combray.server.problems import HttpError
from combray.verbs.declaration import ADMIN, Parameter

FOLDER = "explorer"
PAGE = "index.html"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        # Stored texts are untrusted: the browser refuses every way to parse a text as HTML or script.
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
SAFE = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}
"""Suffix -> media type. Files with other suffixes are not served."""
_HASHED = re.compile(r".+-[A-Z0-9]{8}\.(?:js|css)")
_FOREVER = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"
USED = "The address was used. Stop combray explore and start it again."
_BYTES = 32


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is sent."""

    plain: bytes
    packed: bytes
    tag: str
    media_type: str
    cache: str

    def response(self, request: Request) -> Response:
        """Return the answer: nothing if the browser has this version, else the bytes, compressed if it may be."""
        headers = SAFE | {"ETag": self.tag, "Cache-Control": self.cache, "Vary": "Accept-Encoding"}
        known = request.headers.get("if-none-match", "")
        if self.tag in (each.strip().removeprefix("W/") for each in known.split(",")):
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(self.packed, 200, headers | {"Content-Encoding": "gzip"}, self.media_type)
        return Response(self.plain, 200, headers, self.media_type)


@cache
def assets() -> dict[str, Asset]:
    """Return the built files by name."""
    found = {}
    for each in files("combray").joinpath(FOLDER).iterdir():
        media_type = TYPES.get(each.name.rpartition(".")[2])
        if media_type is not None:
            plain = each.read_bytes()
            tag = f'"{hashlib.sha256(plain).hexdigest()[:32]}"'
            kept = _FOREVER if _HASHED.fullmatch(each.name) else _ASK_AGAIN
            found[each.name] = Asset(plain, gzip.compress(plain, mtime=0), tag, media_type, kept)
    return found


async def page(request: Request) -> Response:
    """Serve the page. It holds no data, so it needs no key."""
    return _served(PAGE, request)


async def asset(request: Request) -> Response:
    """Serve one built file."""
    return _served(request.path_params["name"], request)


def _served(name: str, request: Request) -> Response:
    found = assets().get(name)
    if found is None:
        raise HttpError(404, "The explorer has no such file.")
    return found.response(request)


def explorer_routes() -> list[BaseRoute]:
    """Return the routes of the page and its files."""
    return [Route("/", page), Route(f"/{FOLDER}/{{name}}", asset)]


SESSION = {"token": Parameter("token", required=True)}


class OnceAccess(KeyedAccess):
    """Lets in whoever has the key, until the process ends. The first caller that shows the token gets the key.

    A loopback port is open to every account of the machine, so a server without keys of its own needs one here.
    """

    def __init__(self) -> None:
        super().__init__(KeyRing(None))
        self.token = secrets.token_urlsafe(_BYTES)
        self._key = secrets.token_urlsafe(_BYTES)
        self._unused = True
        self._lock = threading.Lock()

    def exchange(self, scope: Mapping[str, Any], token: str) -> str:
        """Return the key for the token. Raises Refused for a wrong token, or one that was used."""
        self.check_place(list(scope["headers"]))
        with self._lock:
            if not (self._unused and _same(token, self.token)):
                raise Refused(401, USED, challenge())
            self._unused = False
            return self._key

    def authenticate(self, scope: Mapping[str, Any]) -> Caller:
        """Return who makes the request of an ASGI scope. Raises Refused."""
        headers = list(scope["headers"])
        self.check_place(headers)
        given = credential(headers)
        if given is None or not _same(given, self._key):
            raise Refused(401, "Open the address that combray explore printed.", challenge())
        return Caller("explorer", ADMIN)


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())
