"""What only the PostgreSQL store promises, and that its answers are those of SQLite."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from emptied import Emptied

import combray
from combray import presets
from combray.engine.engine import Engine
from combray.errors import InvalidInputError, NotFoundError, ReadOnlyStoreError, StoreBusyError, StoreError
from combray.runtime import Arrival, Filter
from combray.stores.postgres import PostgresStore
from combray.stores.postgres.sql import sql
from combray.stores.session import NamespaceState
from combray.testing.fakes import START, memory
from combray.testing.postgres import Server
from combray.testing.store_cases import add, order

TEXTS = (
    "Alice moved from Paris to Berlin in March 2024.",
    "Bob likes green tea and dislikes coffee.",
    "Alice works as a data engineer at Fernwood.",
    "The deployment failed because the disk was full.",
    "Bob's sister Carol plays the cello in Leipzig.",
    "We decided to use PostgreSQL for the shared store.",
    "Carol's birthday is on the 3rd of June.",
    "Alice adopted a cat named Miso.",
    "The team meets every Tuesday at ten.",
    "Bob now lives in Hamburg, he left Leipzig.",
)
QUESTIONS = (
    "Where does Alice live?",
    "What does Bob drink?",
    "Why did the deployment fail?",
    "When is Carol's birthday?",
    "cat",
    "Which database did we choose?",
    "zebra crossings in Antarctica",
)


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COMBRAY_HOME", str(tmp_path / "home"))


def told(engine: Engine) -> list[list[tuple[str, float]]]:
    for place, text in enumerate(TEXTS):
        engine.remember(text, session="s", position=place, occurred_at="2024-05-01")
    answers = [engine.recall(question, limit=10) for question in QUESTIONS]
    return [[(hit.memory.content, round(hit.score, 6)) for hit in answer.hits] for answer in answers]


@pytest.mark.parametrize("preset", presets.names())
def test_every_preset_answers_as_on_sqlite(preset: str, postgres: Emptied, tmp_path: Path) -> None:
    now = START.timestamp()
    answers = []
    for location in (postgres.url, str(tmp_path / "a.db")):
        with combray.open(location, preset=preset, clock=lambda: now, worker=False) as engine:
            answers.append(told(engine))
    assert any(answers[0])
    assert answers[0] == answers[1]


def test_a_forged_namespace_in_a_parameter_sees_nothing(postgres_store: PostgresStore) -> None:
    (secret,) = add(postgres_store, memory("the code of the safe"), namespace="theirs")
    add(postgres_store, memory("mine"), namespace="mine")
    with postgres_store._reading("theirs") as session:
        assert session.state is not None
        their_number = session.state.number
        assert len(session.rows(sql.memories.contents, their_number, [secret])) == 1
    with postgres_store._reading("mine") as session:
        session.state = NamespaceState(their_number, 1, 0, 0)  # what a forged parameter would be
        for statement in (sql.memories.contents, sql.memories.whole):
            assert session.of_rows(statement, [secret]) == []
        assert session.of_rows(sql.memories.counts) == []
        assert session.of_rows(sql.terms.of_namespace) == []
        # A condition for every row of the table counts the one of this namespace.
        assert session.rows(sql.selections.count.format(met="true OR namespace > 0"), their_number) == [(1,)]
        assert session.rows(sql.erasure.memory_texts)[0][1] == "mine"
    with pytest.raises(NotFoundError), postgres_store.transaction("mine") as tx:  # noqa: PT012 - one write
        tx.session.state = NamespaceState(their_number, 1, 0, 0)
        tx.change(secret, "edit", "mallory", 0.0, content="changed")
    with postgres_store._reading("mine") as session, pytest.raises(psycopg.errors.InsufficientPrivilege):
        session.connection.execute(b"SELECT * FROM memory_0")
    assert postgres_store.reader("theirs").contents([secret]) == ["the code of the safe"]


def test_two_hundred_namespaces_at_once_never_meet(postgres_store: PostgresStore) -> None:
    wrong: list[object] = []

    def work(part: int) -> None:
        try:
            for place in range(part, 200, 8):
                name = f"space {place}"
                add(postgres_store, memory(f"tea of {place}"), namespace=name)
                reader = postgres_store.reader(name)
                if reader.contents(order(reader.scan(Filter()))) != [f"tea of {place}"]:
                    wrong.append(name)
        except Exception as error:  # noqa: BLE001 - any error is what the test looks for
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(part,)) for part in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(postgres_store.namespaces()) == 200


def test_columns_hold_names_as_they_were_given(postgres: Emptied) -> None:
    """U+F8FF marks what PostgreSQL cannot hold, so a name with it is stored in another spelling."""
    author, session, source, scope = "\uf8ff0", "a\uf8ff1", "\uf8ff", "scope:user:\uf8ff1"
    with closing(PostgresStore(postgres.url)) as store:
        mine = memory("mine", author=author, session=session, source=source, tags=(scope,))
        add(store, mine, memory("another's"))
    with closing(PostgresStore(postgres.url)) as store:
        reader = store.reader("default")
        assert author in reader.profile().authors
        for where in (
            Filter(authors=(author,)),
            Filter(sessions=(session,)),
            Filter(sources=(source,)),
            Filter(within=(scope,)),
        ):
            assert reader.contents(order(reader.scan(where))) == ["mine"]


def test_stores_that_start_together_make_the_tables_once(postgres_server: Server) -> None:
    url = postgres_server.url() + "&schema=together"
    problems: list[object] = []

    def start() -> None:
        try:
            with closing(PostgresStore(url)) as store:
                add(store, memory("tea"), namespace=threading.current_thread().name)
        except Exception as error:  # noqa: BLE001 - any error is what the test looks for
            problems.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    with closing(PostgresStore(url)) as store:
        assert len(store.namespaces()) == 4
        assert store.check() == []


def test_writers_of_a_namespace_wait_and_then_report(postgres: Emptied) -> None:
    with (
        closing(PostgresStore(postgres.url)) as one,
        closing(PostgresStore(postgres.url, busy_timeout=0.1)) as two,
    ):
        two._pool.busy_timeout = 60.0  # to open a connection may take longer than it waits for a lock
        with one.transaction("default") as tx:
            tx.insert([Arrival(memory("tea"))])
            with pytest.raises(StoreBusyError, match="COMBRAY_BUSY_TIMEOUT"):
                add(two, memory("plum"))
            add(two, memory("plum"), namespace="other")
        add(two, memory("plum"))
        assert len(one.reader("default").scan(Filter())) == 2


def test_a_pool_without_a_free_connection_says_so(postgres: Emptied) -> None:
    with closing(PostgresStore(f"{postgres.url}&pool_size=1")) as store:
        add(store, memory("tea"))
        with store.view("default"):
            # Only now: to open a connection may take longer.
            store._pool.busy_timeout = 0.3
            with pytest.raises(StoreBusyError, match="pool_size"):
                store.namespaces()
        store._pool.busy_timeout = 60.0
        assert store.namespaces() == ["default"]


def test_what_the_server_refuses_is_read_only(postgres: Emptied) -> None:
    refusing = f"{postgres.url}&options=-cdefault_transaction_read_only%3Don"
    with closing(PostgresStore(postgres.url)) as store:
        add(store, memory("tea"))
    with closing(PostgresStore(refusing, read_only=True)) as store:
        with pytest.raises(ReadOnlyStoreError), store.transaction("default"):
            pass
        assert len(store.reader("default").scan(Filter())) == 1


def test_a_repair_computes_the_derived_columns_of_every_memory_again(postgres: Emptied) -> None:
    derived = "SELECT key, words, length, asks, times, cues FROM combray.memory ORDER BY key"
    with (
        combray.open(postgres.url, worker=False, embedder="none") as engine,
        psycopg.connect(postgres.url, autocommit=True) as connection,
    ):
        engine.remember_many([*TEXTS, *QUESTIONS], diff=False)
        before = connection.execute(derived).fetchall()
        connection.execute("UPDATE combray.memory SET words = 0, length = 0, asks = 1, times = 1, cues = 1")
        findings = {each.name: each for each in engine.store.doctor(repair=True)}
        assert connection.execute(derived).fetchall() == before
        assert (findings["writing"].ok, findings["writing"].detail) == (True, "the store can be written to")


def test_a_statement_time_out_is_reported_and_the_store_goes_on(postgres: Emptied) -> None:
    with closing(PostgresStore(postgres.url)) as store:
        with pytest.raises(StoreBusyError, match="statement_timeout"), store._reading("default") as session:  # noqa: PT012
            session.rows("SELECT set_config('statement_timeout', '100', true)")
            session.rows("SELECT pg_sleep(60)")
        add(store, memory("tea"))


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://u:geheim@/d?schema=A-b", "lower-case"),
        ("postgresql://u:geheim@/d?pool_size=0", "1 to 1000"),
        ("postgresql://u:geheim@/d?nonsense=1", "nonsense"),
    ],
)
def test_wrong_urls_are_explained_without_the_password(url: str, told: str) -> None:
    with pytest.raises(InvalidInputError, match=told) as caught:
        PostgresStore(url)
    assert "geheim" not in str(caught.value)


def test_no_server_is_an_error_that_names_it_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be reached") as caught:
        combray.open(f"postgresql://u:geheim@/d?host={tmp_path}")
    assert "geheim" not in str(caught.value)


def test_a_user_that_the_server_refuses_is_explained(tmp_path: Path) -> None:
    server = Server()
    try:
        rules = server.data / "pg_hba.conf"
        rules.write_text("local all all scram-sha-256\n", encoding="utf-8")
        server.stop(remove=False)
        server.start()
        with pytest.raises(StoreError, match=r"refuses this user .*PGPASSWORD") as found:
            PostgresStore(server.url())
        assert "cannot be reached" not in str(found.value)
    finally:
        server.stop()


def test_a_database_that_does_not_exist_is_named(postgres_server: Server) -> None:
    with pytest.raises(StoreError, match=r'no such database .*"nowhere".*createdb'):
        PostgresStore(postgres_server.url("nowhere"))


def test_erased_words_leave_the_tables(postgres: Emptied) -> None:
    with combray.open(postgres.url, clock=lambda: START.timestamp()) as engine:
        engine.remember("Bob likes tea.")
        gone = engine.remember("Xylophonist Quetzalcoatl kept zwieback.")
        report = engine.erase(gone.id, prove=True)
        assert report
        assert [
            hit.memory.content for hit in engine.recall("zwieback").hits if "zwieback" in hit.memory.content
        ] == []
    with psycopg.connect(postgres.url) as connection:
        for (table,) in connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'combray'::regnamespace AND relkind = 'r'"
        ).fetchall():
            rows = connection.execute(f"SELECT t::text FROM combray.{table} AS t").fetchall()
            assert [row for row in rows if "zwieback" in row[0].lower() or "xylophon" in row[0].lower()] == []
