"""Integrity checks and repair, as far as they are the same for every database."""

from __future__ import annotations

from combray.language.indexing import terms_version
from combray.stores.indexes import Indexed, aliases, labels
from combray.stores.session import Row, StoreSession

REMEDY = "'combray doctor --repair' rebuilds it"
_OF_MEMORIES = ("vector", "token_vector", "label", "alias", "version", "chunk")
"""Tables whose rows belong to a memory, by its key."""
_TERMS_VERSION = "terms_version"


def stray_problems(session: StoreSession) -> list[str]:
    """Report rows of memories that do not exist."""
    sql = session.sql
    counts = {"edges of missing memories": session.rows(sql.upkeep.count_stray_edges)[0][0]}
    for table in _OF_MEMORIES:
        counts[f"{table}s of missing memories"] = session.rows(sql.upkeep.count_strays.format(table=table))[0][0]
    return [f"{count} {what}" for what, count in counts.items() if count]


def remove_strays(session: StoreSession) -> list[str]:
    """Remove rows of memories that do not exist. Return what was done."""
    sql = session.sql
    removed = {"edge": session.run(sql.upkeep.remove_stray_edges)}
    for table in _OF_MEMORIES:
        removed[table] = session.run(sql.upkeep.remove_strays.format(table=table))
    return [f"removed {count} {table}s of missing memories" for table, count in removed.items() if count]


class IndexCheck:
    """Compares labels and terms with the memories, each of which is seen once."""

    def __init__(self, session: StoreSession) -> None:
        self._rows: set[Row] = {*session.rows(session.sql.labels.every), *session.rows(session.sql.aliases.every)}
        self._missing = 0
        self.wrong_terms = 0

    def see(self, number: int, one: Indexed) -> None:
        """Compare the labels and names of a memory of the namespace with that number."""
        own = {(number, *row) for row in (*labels(one), *aliases(one))}
        self._missing += len(own - self._rows)
        self._rows -= own

    def problems(self) -> list[str]:
        """Report what differs."""
        wrong = len(self._rows) + self._missing
        found = [f"{wrong} labels do not fit their memories; {REMEDY}"] if wrong else []
        if self.wrong_terms:
            found.append(f"the keyword index does not fit {self.wrong_terms} memories; {REMEDY}")
        return found


def is_stale(session: StoreSession) -> bool:
    """Return whether the tokenizer has changed since the keyword index was written."""
    return session.rows(session.sql.settings.get, _TERMS_VERSION) != [(terms_version(),)]


def note_terms_version(session: StoreSession) -> None:
    """Note the tokenizer that the keyword index is written with."""
    session.run(session.sql.settings.put, _TERMS_VERSION, terms_version())
