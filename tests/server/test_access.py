"""Who is let in: keys in headers, Host and Origin, servers without keys, and what a refusal says."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from asking import THERE, bearer, host, refused, scope
from hypothesis import given
from hypothesis import strategies as st

from combray import settings
from combray.errors import InvalidInputError
from combray.server import keys
from combray.server.access import Caller, KeyedAccess, Refused, credential
from combray.server.keys import KeyRing


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_COST", 1)
    monkeypatch.setattr(keys, "_NOBODY", f"1${'0' * 32}${'0' * 64}")


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    return KeyRing(tmp_path / "a.db.keys.json")


# -- keys ------------------------------------------------------------------------------------------


def test_the_three_headers(ring: KeyRing) -> None:
    made = ring.create("ann", "write", ("team",))
    access = KeyedAccess(ring)
    for header in (
        bearer(made.text),
        (b"authorization", f"bearer   {made.text} ".encode()),
        (b"authorization", f"Token {made.text}".encode()),
        (b"x-api-key", made.text.encode()),
    ):
        assert access.authenticate(scope(header)) == Caller("key:ann", "write", frozenset({"team"}))
    both = bearer(made.text), (b"x-api-key", made.text.encode())
    assert access.authenticate(scope(*both)).name == "key:ann"
    proxied = (b"authorization", b"Basic cHJveHk6cHJveHk="), (b"x-api-key", made.text.encode())
    assert access.authenticate(scope(*proxied)).name == "key:ann"


def test_a_role_may_what_those_before_it_may_in_its_namespaces(ring: KeyRing) -> None:
    access = KeyedAccess(ring)
    made = {role: ring.create(role, role, ("a", "b")) for role in ("read", "write", "admin")}
    for role, rights in (("read", ["read"]), ("write", ["read", "write"]), ("admin", ["read", "write", "admin"])):
        caller = access.authenticate(scope(bearer(made[role].text)))
        for each in ("read", "write", "admin"):
            for namespace in ("a", "b"):
                assert caller.may(each, namespace) == (each in rights)
            assert not caller.may(each, "c")
            assert not caller.may(each, None), "the whole store is more than some namespaces"
    everywhere = access.authenticate(scope(bearer(ring.create("ops", "write", None).text)))
    assert everywhere.may("write", "any")
    assert everywhere.may("read", None)
    assert not everywhere.may("admin", None)


def test_wrong_unknown_and_revoked_keys_get_the_same_answer(ring: KeyRing) -> None:
    access = KeyedAccess(ring)
    kept, gone = ring.create("ann", "write", None), ring.create("bob", "write", None)
    secret = gone.text.rpartition("_")[2]
    assert access.authenticate(scope(bearer(gone.text))).name == "key:bob"
    ring.revoke("bob")
    said = set()
    for text in (
        gone.text,
        f"cmb_{kept.key.id}_{secret}",
        f"cmb_{'0' * 12}_{secret}",
        "cmb_x",
        "x" * 10_000,
    ):
        answer = refused(access, bearer(text))
        assert secret not in str(answer.headers) + answer.sentence
        said.add((answer.status, answer.sentence, *answer.headers.items()))
    assert said == {
        (401, "The key is not valid.", ("WWW-Authenticate", 'Bearer realm="combray", error="invalid_token"'))
    }


def test_no_key_is_asked_for_one(ring: KeyRing) -> None:
    ring.create("ann", "write", None)
    for headers in ((), ((b"authorization", b"Basic eDp5"),), ((b"authorization", b"Bearer "),)):
        answer = refused(KeyedAccess(ring), *headers)
        assert answer.status == 401
        assert "Authorization: Bearer KEY" in answer.sentence
        assert answer.headers == {"WWW-Authenticate": 'Bearer realm="combray"'}


def test_different_keys_in_one_request_are_refused(ring: KeyRing) -> None:
    one, two = ring.create("ann", "read", None), ring.create("bob", "admin", None)
    answer = refused(KeyedAccess(ring), bearer(one.text), (b"x-api-key", two.text.encode()))
    assert answer.status == 400
    assert refused(KeyedAccess(ring), bearer(one.text), bearer(two.text)).status == 400


def test_only_the_holder_of_an_expired_key_learns_that_it_has_expired(ring: KeyRing) -> None:
    now = [0.0]
    ring._clock = lambda: now[0]
    made = ring.create("ann", "read", None, lifetime=60)
    access = KeyedAccess(ring, clock=lambda: now[0])
    assert access.authenticate(scope(bearer(made.text))).name == "key:ann"
    now[0] = 60.0
    for _ in range(2):
        assert "has expired. Ask for: combray keys rotate ann" in refused(access, bearer(made.text)).sentence
    assert "expired" not in refused(access, bearer(made.text[:-4] + "0000")).sentence
    # A key that was rotated ends without a word: its holder has the new one.
    ring.create("bob", "read", None, lifetime=600)
    again = ring.rotate("ann")
    ring.rotate("ann", grace=5)
    assert access.authenticate(scope(bearer(again.text))).name == "key:ann"
    now[0] = 65.0
    assert refused(access, bearer(again.text)).sentence == "The key is not valid."


def test_keys_that_were_not_verified_before_are_slowed_down_by_address(
    ring: KeyRing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("combray.server.access.time", SimpleNamespace(monotonic=lambda: 0.0))
    good = ring.create("ann", "read", None)
    access = KeyedAccess(ring)
    access.authenticate(scope(bearer(good.text)))
    statuses = [refused(access, bearer(f"cmb_{'0' * 12}_{number:040x}")).status for number in range(30)]
    assert statuses[0] == 401
    assert statuses[-1] == 429
    answer = refused(access, bearer("cmb_x"))
    assert int(answer.headers["Retry-After"]) >= 1
    # Who was verified is not slowed down by who guesses, and neither are other addresses.
    assert access.authenticate(scope(bearer(good.text))).name == "key:ann"
    assert refused(access, bearer("cmb_x"), client=THERE).status == 401


def test_many_addresses_together_cannot_make_the_server_hash_all_day(
    ring: KeyRing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("combray.server.access.time", SimpleNamespace(monotonic=lambda: 0.0))
    ring.create("ann", "read", None)
    access = KeyedAccess(ring)
    for addresses in ("2001:db8:0:1::", "10.0.0."):
        clients = [(f"{addresses}{number}", 1) for number in range(60)]
        statuses = [refused(access, bearer("cmb_x"), client=each).status for each in clients]
        assert statuses == [401] * 20 + [429] * 40


# -- servers without keys --------------------------------------------------------------------------


def test_this_machine_needs_no_key_until_there_is_one(ring: KeyRing) -> None:
    access = KeyedAccess(ring)
    assert access.authenticate(scope()) == Caller("local", "admin", None)
    # A client that must send a key, as mem0's, may send any.
    assert access.authenticate(scope((b"authorization", b"Token any"))).name == "local"
    made = ring.create("ann", "read", None)
    assert refused(access).status == 401
    assert refused(access, bearer("any")).status == 401
    assert access.authenticate(scope(bearer(made.text))).role == "read"
    ring.revoke("ann")
    assert access.authenticate(scope()).name == "local"


@pytest.mark.parametrize("client", [THERE, ("", 0), None, ("testclient", 1)])
def test_other_machines_need_a_key(client: tuple[str, int] | None, ring: KeyRing) -> None:
    assert refused(KeyedAccess(ring), client=client).status == 401


@pytest.mark.parametrize("header", [b"x-forwarded-for", b"forwarded", b"via", b"x-real-ip", b"x-forwarded-host"])
def test_what_a_proxy_passes_on_needs_a_key(header: bytes, ring: KeyRing) -> None:
    answer = refused(KeyedAccess(ring), (header, b"127.0.0.1"))
    assert answer.status == 401
    assert "combray keys create" in answer.sentence
    made = ring.create("ann", "read", None)
    assert KeyedAccess(ring).authenticate(scope((header, b"x"), bearer(made.text))).name == "key:ann"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "memory.example", ""])
def test_any_other_address_refuses_to_start_without_a_valid_key(host: str, ring: KeyRing) -> None:
    now = [0.0]
    ring._clock = lambda: now[0]
    with pytest.raises(InvalidInputError, match=r"no valid key\. Make one with: combray keys create NAME"):
        KeyedAccess(ring, host)
    ring.create("ann", "read", None, lifetime=60)
    access = KeyedAccess(ring, host, hosts=["127.0.0.1"], clock=lambda: now[0])
    now[0] = 60.0
    with pytest.raises(InvalidInputError, match="no valid key"):
        KeyedAccess(ring, host, clock=lambda: now[0])
    # Without keys it lets nobody in, this machine included.
    ring.revoke("ann")
    assert refused(access).status == 401
    with pytest.raises(InvalidInputError, match="no valid key"):
        KeyedAccess(KeyRing(None), host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost"])
def test_loopback_starts_without_a_key(host: str, ring: KeyRing) -> None:
    assert KeyedAccess(ring, host).authenticate(scope()).name == "local"


def test_keys_that_cannot_be_read_let_nobody_in(ring: KeyRing, caplog: pytest.LogCaptureFixture) -> None:
    made = ring.create("ann", "read", None)
    access = KeyedAccess(ring)
    access.authenticate(scope(bearer(made.text)))
    assert ring.path is not None
    text = ring.path.read_text(encoding="utf-8")
    ring.path.write_text("{", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="is not a file of keys"):
        KeyedAccess(KeyRing(ring.path))
    with caplog.at_level(logging.WARNING):
        for headers in ((), (bearer(made.text),)):
            answer = refused(access, *headers)
            assert answer.status == 503
            assert str(ring.path) not in answer.sentence
    assert caplog.text.count(str(ring.path)) == 1
    ring.path.write_text(text, encoding="utf-8")
    assert access.authenticate(scope(bearer(made.text))).name == "key:ann"


def test_no_secret_is_logged(ring: KeyRing, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        made = ring.create("ann", "read", None)
        access = KeyedAccess(ring)
        access.authenticate(scope(bearer(made.text)))
        refused(access, bearer(made.text[:-1]))
        refused(access, bearer(made.text), (b"x-api-key", b"other"))
        ring.rotate("ann")
        refused(access, bearer(made.text))
    assert made.text.rpartition("_")[2][:-1] not in caplog.text


def test_the_settings(tmp_path: Path) -> None:
    found = settings.load(
        {
            "server_hosts": "memory.example, m2.example",
            "server_origins": "https://app.example,",
            "server_keys": str(tmp_path / "k.json"),
        }
    )
    access = KeyedAccess.of(found, "/nowhere/a.db", "127.0.0.1")
    assert access.origins == ("https://app.example",)
    assert access.ring.path == tmp_path / "k.json"
    assert access.authenticate(scope(host("m2.example"))).name == "local"
    assert KeyedAccess.of(settings.load(), ":memory:", "127.0.0.1").origins == ()


# -- any header ------------------------------------------------------------------------------------

NAMES = st.sampled_from([b"authorization", b"x-api-key", b"cookie", b"host", b"origin", b"via"])
VALUES = st.one_of(
    st.binary(max_size=80),
    st.from_regex(rb"(?i)(bearer|token|basic) ?[ -~]{0,60}", fullmatch=True),
    st.sampled_from([b"127.0.0.1", b"localhost:1", b"http://127.0.0.1"]),
)
HEADERS = st.lists(st.tuples(NAMES, VALUES), max_size=5)


@given(headers=HEADERS)
def test_a_credential_is_what_the_headers_of_keys_say(headers: list[tuple[bytes, bytes]]) -> None:
    said = [(name, value.decode("latin-1").strip()) for name, value in headers]
    keys_of = {text for name, text in said if name == b"x-api-key"}
    schemes = [
        re.fullmatch(r"(?is)(?:bearer|token) (.*)", text) for name, text in said if name == b"authorization"
    ]
    keys_of |= {found[1].strip() for found in schemes if found}
    keys_of -= {""}
    if len(keys_of) > 1:
        with pytest.raises(Refused):
            credential(headers)
    else:
        assert credential(headers) == (keys_of.pop() if keys_of else None)


@given(headers=HEADERS)
def test_no_header_lets_anybody_in_or_breaks_the_server(
    headers: list[tuple[bytes, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    ring = KeyRing(tmp_path_factory.mktemp("ring") / "keys.json")
    ring.create("ann", "read", None)
    with pytest.raises(Refused) as caught:
        KeyedAccess(ring).authenticate(scope(*headers))
    assert caught.value.status in (400, 401, 403)
    caught.value.sentence.encode("ascii")
