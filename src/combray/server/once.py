"""Access for `combray explore`: a token that is exchanged once for a key, which is valid until the process ends.

A loopback port is open to every account of the machine, so a server without keys of its own needs one here.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Mapping
from typing import Any

from combray.server.access import KeyedAccess, challenge, credential
from combray.server.callers import Caller, Refused
from combray.server.keys import KeyRing
from combray.verbs.declaration import ADMIN, Parameter

SESSION = {"token": Parameter("token", required=True)}
USED = "The address was used. Stop combray explore and start it again."
_BYTES = 32


class OnceAccess(KeyedAccess):
    """Lets in whoever has the key. The first caller that shows the token gets the key."""

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
