"""Host and Origin: a page of another site, or one whose name was pointed at this machine, may not call."""

from __future__ import annotations

from pathlib import Path

import pytest
from asking import HERE, THERE, bearer, host, refused, scope

from combray.errors import InvalidInputError
from combray.server import keys
from combray.server.access import KeyedAccess, Refused
from combray.server.keys import KeyRing


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeyRing:
    monkeypatch.setattr(keys, "_COST", 1)
    return KeyRing(tmp_path / "a.db.keys.json")


@pytest.mark.parametrize(
    "value", ["127.0.0.1", "127.0.0.1:1", "localhost:8765", "LOCALHOST.", "[::1]:8765", "[::1]"]
)
def test_names_of_loopback(value: str, ring: KeyRing) -> None:
    assert KeyedAccess(ring).authenticate(scope(host(value))).name == "local"


@pytest.mark.parametrize(
    "value",
    [
        *(
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example:8765",
            "192.0.2.1",
            "0.0.0.0",
            "[::]",
        ),
        *(
            "",
            " ",
            "[",
            "a b",
            "127.0.0.1:",
            "127.0.0.1:x",
            "127.0.0.1:123456",
            "x@127.0.0.1",
            "127.0.0.1/x",
            "é",
        ),
        *("127.0.0.1\n", "[::1", "::1"),
    ],
)
def test_other_names_are_refused_before_the_key_is_looked_at(value: str, ring: KeyRing) -> None:
    assert refused(KeyedAccess(ring), host(value)).status == 403
    made = ring.create("ann", "admin", None)
    assert refused(KeyedAccess(ring), host(value), bearer(made.text)).status == 403


def test_one_host_is_needed(ring: KeyRing) -> None:
    access = KeyedAccess(ring)
    assert refused(access, host("127.0.0.1"), host("127.0.0.1")).status == 403
    with pytest.raises(Refused):
        access.authenticate({"client": HERE, "headers": []})


def test_names_of_a_server_for_other_machines(ring: KeyRing) -> None:
    key = bearer(ring.create("ann", "read", None).text)
    one = KeyedAccess(ring, "192.0.2.1", hosts=["Memory.Example."])
    everywhere = KeyedAccess(ring, "0.0.0.0", hosts=["memory.example"])
    for value, alone, anywhere in (
        ("192.0.2.1:80", True, True),
        ("memory.example", True, True),
        ("192.0.2.2", False, True),
        ("[2001:db8::1]:80", False, True),
        ("localhost", False, True),
        ("evil.example", False, False),
        ("192.0.2.2.evil.example", False, False),
    ):
        for access, expected in ((one, alone), (everywhere, anywhere)):
            if expected:
                access.authenticate(scope(host(value), key, client=THERE))
            else:
                assert "COMBRAY_SERVER_HOSTS" in refused(access, host(value), key).sentence


def test_only_pages_of_the_server_and_listed_origins_may_call(ring: KeyRing) -> None:
    access = KeyedAccess(ring, origins=["https://App.example"])
    for origin in ("http://127.0.0.1:8765", "https://app.example"):
        assert access.authenticate(scope((b"origin", origin.encode()))).name == "local"
    assert access.origins == ("https://app.example",)
    for origin in (
        *(
            "https://evil.example",
            "null",
            "",
            "http://127.0.0.1:9999",
            "http://127.0.0.1",
            "https://app.example:1",
        ),
        *(
            "http://app.example",
            "https://app.example.evil.example",
            "http://[",
            "file://",
            "http://x@127.0.0.1:8765",
        ),
    ):
        assert refused(access, (b"origin", origin.encode())).status == 403, origin


@pytest.mark.parametrize("origin", ["*", "app.example", "https://app.example/", "https://*.example", "null", ""])
def test_an_origin_that_is_none_is_refused_at_the_start(origin: str, ring: KeyRing) -> None:
    with pytest.raises(InvalidInputError, match=r"is not an origin\. Write them like https://"):
        KeyedAccess(ring, origins=[origin])
