"""The explorer as it is served: its files, what browsers are told about them, and who gets data."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

import combray
from combray.server import explorer, keys
from combray.server.access import Access, KeyedAccess, Limits
from combray.server.app import application
from combray.server.explorer import OnceAccess
from combray.server.keys import KeyRing
from combray.server.spaces import Schedule, Spaces

HOME = "http://127.0.0.1:8765"
BUILT = files("combray").joinpath("explorer")
LARGEST = 150_000
"""Compressed bytes of everything that the explorer may load."""


class Asking:
    """A client of an application in this process."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def __call__(self, method: str, path: str, **how: Any) -> httpx2.Response:
        async def ask() -> httpx2.Response:
            transport = httpx2.ASGITransport(self.app)
            async with httpx2.AsyncClient(transport=transport, base_url=HOME) as client:
                return await client.request(method, path, **how)

        return anyio.run(ask)


@contextmanager
def serving(access: Access) -> Iterator[Asking]:
    with combray.open(":memory:", embedder="none", worker=False) as engine:
        engine.remember("Mara chose PostgreSQL for the orders.")
        yield Asking(application(Spaces(engine, Limits()), access, Schedule()))


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with serving(KeyedAccess(KeyRing(None))) as asking:
        yield asking


@pytest.fixture
def keyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Asking, KeyRing]]:
    monkeypatch.setattr(keys, "_COST", 1)
    ring = KeyRing(tmp_path / "a.db.keys.json")
    with serving(KeyedAccess(ring)) as asking:
        yield asking, ring


def test_the_page_names_only_files_that_are_served(ask: Asking) -> None:
    page = ask("GET", "/").text
    named = re.findall(r'(?:href|src)="([^"]+)"', page)
    assert {each.rpartition(".")[2] for each in named} == {"js", "css", "svg"}
    for each in named:
        assert ask("GET", f"/{each}").status_code == 200


def test_the_files_refer_to_one_another_and_to_nothing_else(ask: Asking) -> None:
    names = {each.name for each in BUILT.iterdir()}
    for name in names:
        if not name.endswith(".js"):
            continue
        text = ask("GET", f"/explorer/{name}").text
        found = re.findall(r'(?:\}from|\bimport\()"([^"]+)"', text)
        assert {each.removeprefix("./") for each in found} <= names


@pytest.mark.parametrize("path", ["/", "/explorer/icon.svg", "/explorer/licences.txt"])
def test_the_headers_let_nothing_in_and_nothing_out(ask: Asking, path: str) -> None:
    headers = ask("GET", path).headers
    policy = dict(each.strip().partition(" ")[::2] for each in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    for source in ("script-src", "style-src", "connect-src"):
        assert policy[source] == "'self'"
    for none in ("frame-ancestors", "base-uri", "form-action", "trusted-types"):
        assert policy[none] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_the_page_has_no_script_and_no_style_in_it(ask: Asking) -> None:
    page = ask("GET", "/").text
    assert re.findall(r"<script\b[^>]*>(.*?)</script>", page, re.DOTALL) == [""]
    assert "<style" not in page
    assert not re.search(r"\son[a-z]+=|\sstyle=", page)


def test_a_file_with_a_hash_is_kept_and_the_page_is_asked_for_again(ask: Asking) -> None:
    page = ask("GET", "/")
    assert page.headers["cache-control"] == "no-cache"
    script = re.search(r'src="(explorer/app-[A-Z0-9]{8}\.js)"', page.text)
    assert script
    answer = ask("GET", f"/{script[1]}")
    assert "immutable" in answer.headers["cache-control"]
    again = ask("GET", f"/{script[1]}", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert ask("GET", "/", headers={"If-None-Match": page.headers["etag"]}).status_code == 304


def test_files_are_compressed_for_who_can_read_it(ask: Asking) -> None:
    plain = ask("GET", "/explorer/licences.txt", headers={"Accept-Encoding": "identity"})
    packed = ask("GET", "/explorer/licences.txt", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert plain.text == packed.text


def test_it_stays_small() -> None:
    sizes = {each.name: len(gzip.compress(each.read_bytes(), mtime=0)) for each in BUILT.iterdir()}
    assert sum(sizes.values()) <= LARGEST, sizes


def test_every_bundled_library_has_its_licence() -> None:
    text = BUILT.joinpath("licences.txt").read_text(encoding="utf-8")
    found = re.findall(r"^(\S+) \d[\w.-]* \((MIT|Apache-2\.0)\)$", text, re.MULTILINE)
    assert {"preact", "htm", "@preact/signals", "sigma", "graphology"} <= {name for name, _ in found}
    assert text.count("-" * 80) == len(found) - 1


@pytest.mark.parametrize("path", ["/explorer/none.js", "/explorer/..%2Fpy.typed", "/explorer/%2e%2e%2fpy.typed"])
def test_nothing_else_is_served(ask: Asking, path: str) -> None:
    assert ask("GET", path).status_code == 404


def test_only_known_kinds_of_files_are_served() -> None:
    assert {each.name for each in BUILT.iterdir()} == set(explorer.assets())


def test_without_keys_the_caller_of_this_machine_may_do_everything(ask: Asking) -> None:
    said = ask("GET", "/v1/caller").json()
    assert (said["name"], said["role"], said["namespaces"]) == ("local", "admin", None)
    assert said["presets"][0] == "default"
    assert said["version"] == combray.__version__


def test_with_keys_the_page_is_served_and_data_is_not(keyed: tuple[Asking, KeyRing]) -> None:
    ask, ring = keyed
    made = ring.create("ann", "read", ("team",))
    assert ask("GET", "/").status_code == 200
    for path in ("/v1/caller", "/v1/memories", "/v1/status"):
        assert ask("GET", path).status_code == 401
    said = ask("GET", "/v1/caller", headers={"Authorization": f"Bearer {made.text}"}).json()
    assert (said["name"], said["role"], said["namespaces"]) == ("key:ann", "read", ["team"])


def test_a_token_is_exchanged_once() -> None:
    access = OnceAccess()
    with serving(access) as ask:
        assert ask("GET", "/").status_code == 200
        assert ask("GET", "/v1/memories").status_code == 401
        assert ask("POST", "/v1/session", json={"token": "wrong"}).status_code == 401
        answer = ask("POST", "/v1/session", json={"token": access.token})
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-store"
        bearer = {"Authorization": f"Bearer {answer.json()['key']}"}
        assert ask("POST", "/v1/session", json={"token": access.token}).status_code == 401
        assert ask("GET", "/v1/memories", headers=bearer).json()["total"] == 1
        assert ask("GET", "/v1/caller", headers=bearer).json()["role"] == "admin"
        # The token is no key, and the key is no token.
        token = {"Authorization": f"Bearer {access.token}"}
        assert ask("GET", "/v1/memories", headers=token).status_code == 401
        assert ask("POST", "/v1/session", json={"token": answer.json()["key"]}).status_code == 401


def test_a_page_of_another_site_cannot_use_the_token() -> None:
    access = OnceAccess()
    with serving(access) as ask:
        for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            body = {"token": access.token}
            assert ask("POST", "/v1/session", json=body, headers=headers).status_code == 403
        assert ask("POST", "/v1/session", json={"token": access.token}).status_code == 200


def test_a_server_without_tokens_has_no_session(ask: Asking) -> None:
    assert ask("POST", "/v1/session", json={"token": "x"}).status_code == 404


def test_looking_counts_nothing(ask: Asking) -> None:
    def counted() -> tuple[int, int]:
        memory = ask("GET", "/v1/memories").json()["memories"][0]
        return memory["access_count"], ask("GET", "/v1/status/metrics").json()["asked"]

    before = counted()
    found = ask("POST", "/v1/look", json={"query": "Which database did Mara choose?", "preset": "mnemon"}).json()
    assert found["hits"]
    assert found["preset"] == "mnemon"
    assert found["trace"]
    # A write would store the counts that wait.
    ask("POST", "/v1/memories", json={"content": "The orders are in Oslo."})
    assert counted()[1] == before[1]
    assert [each["access_count"] for each in ask("GET", "/v1/memories").json()["memories"]] == [0, before[0]]
