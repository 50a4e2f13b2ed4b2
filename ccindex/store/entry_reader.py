"""Run statements on the entries of a family."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from ccindex.model.graph import Node
from ccindex.store.rows import Row
from ccindex.store.sql_files import load


class EntryReader:
    """Runs statements on the entries of a family; an entry is identified by its index in time order."""

    def __init__(self, connection: sqlite3.Connection, sessions: Sequence[int], nodes: Sequence[Node]) -> None:
        self.connection = connection
        self.sessions = json.dumps(sessions)
        self.nodes = nodes
        self.index_of = {node.entry: index for index, node in enumerate(nodes)}

    def rows(self, statement: str, indexes: Iterable[int]) -> list[Row]:
        """Run a statement on the given entries; replace the entry id in each row with the entry's index, and sort."""
        entries = [self.nodes[index].entry for index in indexes]
        if not entries:
            return []
        rows = self.connection.execute(load(statement), {"entries": json.dumps(entries)})
        return sorted(
            ((self.index_of[entry], *columns) for entry, *columns in rows),
            key=itemgetter(0),  # the sort is stable, so the rows of an entry keep the statement's order
        )

    def grouped(self, statement: str, indexes: Iterable[int]) -> dict[int, tuple[Any, ...]]:
        """Run a statement with two columns; return the values of the second column by the entry's index."""
        grouped: defaultdict[int, list[Any]] = defaultdict(list)
        for index, value in self.rows(statement, indexes):
            grouped[index].append(value)
        return {index: tuple(values) for index, values in grouped.items()}

    def texts(self, prompts: Iterable[int]) -> dict[int, str]:
        """Return the texts of the given prompts, by index."""
        return {index: text or "" for index, text in self.rows("derive/prompt_texts", prompts)}
