"""Namespaces whose server fails or changes while they are written: nothing confirmed is lost.

The address is a libpq service, so that the file of services is the directory of servers.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from postgres_load import Load

import combray
from combray.errors import StoreError
from combray.stores.postgres import PostgresStore
from combray.stores.postgres.pool import Address
from combray.testing.postgres import Server
from combray.transfer.moving import checksum, move

pytestmark = pytest.mark.nightly("makes and stops servers and replicas for two minutes")
URL = "postgresql:///?service=team"
SOME = 30
"""Writes before and after."""


class Services:
    """A file of libpq services."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def name(self, **addresses: str) -> None:
        """Write the file anew: the hosts of each service, and what else belongs to it."""
        text = "".join(
            f"[{name}]\nuser=postgres\ndbname=postgres\nhost={hosts}\ntarget_session_attrs=read-write\n"
            for name, hosts in addresses.items()
        )
        # Renamed into place: a connection that begins meanwhile reads a whole file.
        fresh = self.path.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(self.path)


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Services:
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services.conf"))
    return Services(tmp_path / "services.conf")


@pytest.fixture
def servers() -> Iterator[list[Server]]:
    """Two servers, the second a replica of the first. Both flush to the disk."""
    started = [Server(durable=True)]
    try:
        with closing(PostgresStore(started[0].url())):
            pass
        started.append(Server(durable=True, primary=started[0]))
        yield started
    finally:
        for server in started:
            server.stop()


def run(server: Server, *statements: str) -> None:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


PAGE = Path(__file__).parents[2] / "docs" / "howto" / "scale-postgresql.md"


def of_page(beginning: str) -> list[str]:
    """Return the statements of the page's SQL block with a word in it, for the namespaces of the load."""
    blocks = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = [each for each in blocks if beginning in each]
    return [each for each in block.replace("'work'", "'space 0'").split(";") if each.strip()]


def test_a_synchronous_replica_takes_over_and_has_everything(servers: list[Server], services: Services) -> None:
    primary, replica = servers
    run(primary, *of_page("synchronous_standby_names"))
    services.name(team=f"{primary.folder},{replica.folder}")
    with closing(PostgresStore(URL, durability="full")) as store, Load(store) as load:
        load.goes_on(SOME)
        started = time.monotonic()
        primary.kill()
        run(replica, "SELECT pg_promote()")
        paused = time.monotonic() - started + load.goes_on(SOME)
    with closing(PostgresStore(replica.url())) as store:
        load.assert_kept(store)
        assert store.check() == []
    print(f"{len(load.confirmed)} confirmed, next after {paused:.2f} s, failed: {load.failed}")


def test_a_group_of_namespaces_moves_by_promotion(servers: list[Server], services: Services) -> None:
    old, new = servers
    services.name(team=str(old.folder))
    with closing(PostgresStore(URL)) as store, Load(store) as load:
        load.goes_on(SOME)
        started = time.monotonic()
        # A clean stop sends the replica everything that was confirmed, also without synchronous commits.
        old.stop(remove=False, clean=True)
        run(new, "SELECT pg_promote()")
        services.name(team=str(new.folder))
        paused = time.monotonic() - started + load.goes_on(SOME)
    with closing(PostgresStore(new.url())) as store:
        load.assert_kept(store)
        assert store.check() == []
    print(f"{len(load.confirmed)} confirmed, next after {paused:.2f} s, failed: {load.failed}")


def test_one_namespace_moves_and_the_old_one_takes_no_more_writes(
    servers: list[Server], services: Services
) -> None:
    old, _ = servers
    new = Server(durable=True)
    try:
        services.name(team=str(old.folder), other=str(new.folder))
        with (
            closing(PostgresStore(URL)) as source,
            closing(PostgresStore("postgresql:///?service=other")) as target,
        ):
            with Load(source) as load:
                load.goes_on(SOME)
                run(old, *of_page("CREATE POLICY"))
                while not load.failed:
                    load.goes_on()
                moved = move(source, target, "space 0")
                load.goes_on(SOME)
            for error in load.failed:
                assert re.search('refuses this write .* policy "moved to service other"', str(error)), error
            assert moved.memories == sum(namespace == "space 0" for namespace, _ in load.confirmed)
            assert checksum(source, "space 0") == checksum(target, "space 0")
        with combray.open(URL, namespace="space 0") as engine:
            assert engine.recall("tea").hits
    finally:
        new.stop()


def test_two_services_are_two_stores() -> None:
    assert Address(URL).shown == URL
    assert Address("postgresql:///?service=team&schema=a").shown == "postgresql:///?service=team&schema=a"


def test_an_error_names_the_service(services: Services) -> None:
    services.name(other="/nowhere")
    with pytest.raises(StoreError, match=r"service=team.*definition of service"):
        PostgresStore(URL)
