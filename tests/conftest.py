"""What all tests start from. One PostgreSQL server serves all tests of a worker; each finds an empty store."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from emptied import Emptied
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from tiers import RANDOM, Watch, in_slow_folder, is_slow

import combray
from combray import Engine
from combray.settings import PREFIX, SETTINGS
from combray.stores.postgres import PostgresStore
from combray.testing.fakes import FakeClock
from combray.testing.postgres import Server

if TYPE_CHECKING:
    from serving import Served

# No test depends on the zone of the machine, nor does a process that it starts.
os.environ["TZ"] = "UTC"
if hasattr(time, "tzset"):
    time.tzset()
settings.register_profile(
    "combray",
    derandomize=not RANDOM,
    database=None,
    # How long an example takes depends on what else the machine does.
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
# Before any test module is imported: `@settings` takes what it does not name from the profile.
settings.load_profile("combray")
if not RANDOM:
    # Hypothesis also draws constants of the modules that are loaded: which, depends on the tests run before.
    providers.is_local_module_file = lambda path: False  # type: ignore[assignment, attr-defined]


@pytest.fixture(params=["none", "wordllama"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An engine on a file, by preset default, with and without vectors."""
    with combray.open(
        tmp_path / "a.db", embedder=request.param, clock=FakeClock(), language_model="none", worker=False
    ) as opened:
        yield opened


@pytest.fixture
def a_new_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder to work in, a data folder of one's own, no settings."""
    for setting in SETTINGS:
        monkeypatch.delenv(setting.variable, raising=False)
    monkeypatch.setenv(f"{PREFIX}HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    server = Server()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def postgres(postgres_server: Server) -> Emptied:
    database = Emptied(postgres_server.url())
    database.empty()
    return database


@pytest.fixture
def postgres_store(postgres: Emptied) -> Iterator[PostgresStore]:
    with closing(PostgresStore(postgres.url)) as store:
        yield store


WATCH = Watch()


def pytest_configure(config: pytest.Config) -> None:
    """Processes that tests start heed Ctrl-C, also where the tests themselves were started in the background."""
    config.addinivalue_line("markers", "slow(why): not in the fast tier, see tests/tiers.py")
    config.addinivalue_line("markers", "nightly(why): not in `run.py test`, but in `run.py test --all`")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The fast tier does not import the files of slow folders."""
    return True if config.option.markexpr == "not slow" and in_slow_folder(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow before pytest selects by marks."""
    for item in items:
        if is_slow(item):
            item.add_marker("slow")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    WATCH.watching = item.get_closest_marker("slow") is None
    try:
        return (yield)
    finally:
        WATCH.watching = False


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over HTTP for the tests of one file in `tests/server`."""
    from serving import serving

    with serving(tmp_path_factory.mktemp("served") / "a.db") as found:
        yield found
