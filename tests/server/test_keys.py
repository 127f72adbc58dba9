"""Keys: stored as hashes, verified, rotated, revoked in running servers; files that cannot be trusted."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from combray.errors import InvalidInputError
from combray.server import keys
from combray.server.keys import FORM, AccessKey, Issued, KeyRing, ring_path

HOUR = 3600.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    # The parameters are in each hash, so a low cost verifies the same way.
    monkeypatch.setattr(keys, "_COST", 1)
    monkeypatch.setattr(keys, "_NOBODY", f"1${'0' * 32}${'0' * 64}")


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The salts of the hashes that are computed."""
    salts: list[str] = []
    real = keys._scrypt

    def counted(secret: str, salt: str, cost: int) -> str:
        salts.append(salt)
        return real(secret, salt, cost)

    monkeypatch.setattr(keys, "_scrypt", counted)
    return salts


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ring(tmp_path: Path, clock: Clock) -> KeyRing:
    return KeyRing(tmp_path / "a.db.keys.json", clock)


def ann(ring: KeyRing, **more: Any) -> Issued:
    return ring.create("ann", "write", ("team", "ann"), **more)


def names(ring: KeyRing) -> list[str]:
    return [each.name for each in ring.listed()]


def wrong(text: str) -> str:
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def unknown(text: str) -> str:
    return f"cmb_{'0' * 12}_{text.rpartition('_')[2]}"


def test_a_key_is_verified_and_its_secret_is_in_no_file(ring: KeyRing) -> None:
    made = ann(ring)
    assert FORM.fullmatch(made.text)
    found = ring.verified(made.text)
    assert found == made.key
    assert (found.name, found.role, found.namespaces) == ("ann", "write", ("team", "ann"))
    assert ring.path is not None
    secret = made.text.rpartition("_")[2]
    for each in ring.path.parent.iterdir():
        assert secret not in each.read_text(encoding="utf-8")
        assert stat.S_IMODE(each.stat().st_mode) == 0o600
    assert secret not in repr(ring.listed())


SLOW = keys._COST, keys._NOBODY


def test_the_hash_is_slow_and_that_of_an_unknown_id_as_slow() -> None:
    cost, nobody = SLOW
    assert cost == 14
    assert nobody.startswith("14$")


def test_a_wrong_an_unknown_and_a_revoked_key_take_the_path_of_a_right_one(
    ring: KeyRing, hashed: list[str]
) -> None:
    made, gone = ann(ring), ring.create("bob", "read", None)
    ring.revoke("bob")
    hashed.clear()
    for text in (wrong(made.text), unknown(made.text), gone.text):
        assert ring.remembered(text) is None
        assert ring.verified(text) is None
    assert len(hashed) == 3
    assert ring.verified(made.text) is not None
    assert len(hashed) == 4


@pytest.mark.parametrize("text", ["", "cmb_", "x" * 5000, "cmb_é_ü", "\ud800", "cmb_000000000000_" + "g" * 40])
def test_what_is_no_key_is_not_hashed(text: str, ring: KeyRing, hashed: list[str]) -> None:
    ann(ring)
    hashed.clear()
    assert ring.remembered(text) is ring.verified(text) is None
    assert hashed == []


def test_a_verified_key_is_hashed_once_until_it_changes(ring: KeyRing, hashed: list[str]) -> None:
    made = ann(ring)
    ring.verified(made.text)
    hashed.clear()
    other = KeyRing(ring.path)
    other.create("bob", "read", None)
    assert ring.remembered(made.text) == made.key
    assert ring.remembered(wrong(made.text)) is None
    assert hashed[1:] == []
    other.rotate("ann")
    assert ring.remembered(made.text) is ring.verified(made.text) is None


def test_a_running_server_knows_changes_of_another_process_at_once(ring: KeyRing) -> None:
    other = KeyRing(ring.path)
    made = ann(other)
    assert ring.verified(made.text) is not None
    other.revoke("ann")
    assert ring.remembered(made.text) is ring.verified(made.text) is None
    again = ann(other)
    assert again.key.id != made.key.id
    assert ring.verified(again.text) is not None
    assert ring.path is not None
    ring.path.unlink()
    assert ring.listed() == []
    assert ring.remembered(again.text) is None


def test_a_rotated_key_ends_at_once_or_after_its_grace(ring: KeyRing, clock: Clock) -> None:
    first = ann(ring, lifetime=90 * HOUR)
    clock.now += HOUR
    second = ring.rotate("ann")
    assert ring.verified(first.text) is None
    assert (second.key.role, second.key.namespaces) == (first.key.role, first.key.namespaces)
    assert second.key.expires == clock.now + 90 * HOUR
    third = ring.rotate("ann", grace=HOUR)
    old = ring.verified(second.text)
    assert old is not None
    assert old.replaced
    assert old.expires == clock.now + HOUR
    assert ring.verified(third.text) == third.key
    clock.now += HOUR
    assert not old.valid(clock.now)
    ring.create("bob", "read", None)
    assert [each.id for each in ring.listed()][:1] == [third.key.id], (
        "what has ended is removed by the next change"
    )
    # A grace does not lengthen a life.
    clock.now += 89 * HOUR - 1
    ring.rotate("ann", grace=10 * HOUR)
    assert [each.expires for each in ring.listed() if each.replaced] == [third.key.expires]
    ring.revoke("ann")
    assert names(ring) == ["bob"]


def test_uses_are_written_once_a_minute_and_forget_nobody(ring: KeyRing, clock: Clock) -> None:
    made, other = ann(ring).key, ring.create("bob", "read", None).key
    assert ring.path is not None
    ring.use(made)
    first = ring.path.stat().st_ino, ring.path.read_bytes()
    assert [each.used for each in ring.listed()] == [clock.now, None]
    for _ in range(3):
        clock.now += 15
        ring.use(made)
        ring.use(other)
    assert (ring.path.stat().st_ino, ring.path.read_bytes()) == first
    clock.now += 15
    ring.use(made)
    assert [each.used for each in ring.listed()] == [clock.now, clock.now - 15]
    clock.now += 1
    ring.use(other)
    ring.write_uses()
    assert [each.used for each in ring.listed()] == [clock.now - 1, clock.now]


def test_a_use_that_cannot_be_written_is_kept_for_later(
    ring: KeyRing, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = ann(ring)
    with monkeypatch.context() as patched:

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        patched.setattr(keys, "_write", full)
        ring.use(made.key)
    assert "No space left" in caplog.text
    used = clock.now
    clock.now += 61
    ring.write_uses()
    assert ring.listed()[0].used == used


def test_a_write_that_fails_leaves_the_old_keys_and_no_draft(
    ring: KeyRing, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ann(ring)
    assert ring.path is not None

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        ring.rotate("ann")
    assert ring.verified(made.text) == made.key
    assert {each.name for each in ring.path.parent.iterdir()} == {ring.path.name, f"{ring.path.name}.lock"}


def test_writers_at_the_same_time_lose_no_key(ring: KeyRing) -> None:
    def some(number: int) -> None:
        own = KeyRing(ring.path)
        for each in range(5):
            own.create(f"n{number}-{each}", "read", None)

    threads = [threading.Thread(target=some, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len({*names(ring)}) == 20


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610])
def test_a_file_that_others_may_open_is_refused(mode: int, ring: KeyRing) -> None:
    ann(ring)
    assert ring.path is not None
    ring.path.chmod(mode)
    for refused in (ring.listed, lambda: ring.create("bob", "read", None), lambda: ring.revoke("ann")):
        with pytest.raises(InvalidInputError, match=f"mode {mode:03o}.*chmod 600"):
            refused()
    ring.path.chmod(0o600)
    assert names(ring) == ["ann"]


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"\xff", b'{"keys": [{"id": "SECRET"}]}', b'{"version": 2, "keys": []}', b'{"other": "SECRET"}'],
)
def test_a_damaged_file_is_refused_and_not_quoted(content: bytes, ring: KeyRing) -> None:
    assert ring.path is not None
    ring.path.write_bytes(content)
    ring.path.chmod(0o600)
    for refused in (ring.listed, lambda: ring.create("bob", "read", None)):
        with pytest.raises(InvalidInputError, match="is not a file of keys") as caught:
            refused()
        assert "SECRET" not in str(caught.value)
    assert ring.path.read_bytes() == content


@pytest.mark.parametrize(
    "stored", ["", "x", "1$zz$00", "1$00$00", "1$00", "16$SALT$HASH", "0$SALT$HASH", "1$SALT$HASH$"]
)
def test_a_damaged_hash_is_refused(stored: str, ring: KeyRing) -> None:
    made = ann(ring)
    stored = stored.replace("SALT", "0" * 32).replace("HASH", "0" * 64)
    assert ring.path is not None
    ring.path.write_text(ring.path.read_text(encoding="utf-8").replace(made.key.hash, stored), encoding="utf-8")
    with pytest.raises(InvalidInputError, match="is not a file of keys"):
        ring.verified(made.text)


@pytest.mark.parametrize("name", ["", " ann", "-ann", "a b", "a" * 65, "ann\n", "é", "key:ann"])
def test_names_are_plain(name: str, ring: KeyRing) -> None:
    with pytest.raises(InvalidInputError, match="cannot be used"):
        ring.create(name, "read", None)
    assert ring.path is not None
    assert not ring.path.exists()


def test_wrong_wishes_are_refused(ring: KeyRing) -> None:
    ann(ring)
    for wish, words in (
        (lambda: ann(ring), "'ann' has a key already. Use another name, or: combray keys rotate ann"),
        (lambda: ring.create("bob", "owner", None), "'owner' is not known"),
        (lambda: ring.create("bob", "read", ()), "names no namespace"),
        (lambda: ring.create("bob", "read", (" x",)), "cannot be used"),
        (lambda: ring.rotate("bob"), "'bob' has no key. See: combray keys list"),
        (lambda: ring.revoke("bob"), "'bob' has no key"),
        (lambda: KeyRing(None).create("bob", "read", None), "is a store in memory"),
    ):
        with pytest.raises(InvalidInputError) as caught:
            wish()
        assert words in str(caught.value)
    assert names(ring) == ["ann"]


def test_the_file_of_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path))
    assert ring_path("/srv/a.db") == ring_path("sqlite:////srv/a.db") == Path("/srv/a.db.keys.json")
    assert ring_path("") == tmp_path / "default.db.keys.json"
    assert ring_path(":memory:") is ring_path("sqlite:///:memory:") is None
    remote = ring_path("postgresql://me:hidden@host/db")
    assert remote is not None
    assert remote.parent == tmp_path
    assert "hidden" not in str(remote)
    assert ring_path("postgresql://host/db", "~/k.json") == Path.home() / "k.json"
    assert KeyRing(ring_path(":memory:")).listed() == []


def test_the_file_is_plain_json(ring: KeyRing) -> None:
    ann(ring)
    assert ring.path is not None
    read = json.loads(ring.path.read_text(encoding="utf-8"))
    assert read["version"] == 1
    assert read["keys"][0].keys() == {"id", "name", "role", "namespaces", "hash", "created"}
    assert AccessKey(**read["keys"][0]).role == "write"
