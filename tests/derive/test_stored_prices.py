"""Prices stored in an index: the version they come from, and when they are replaced."""

import sqlite3
from contextlib import closing
from pathlib import Path

from ccindex.facts.responses import prices_version
from tests.making.files import append, write
from tests.making.indexes import ask, differences_from_clean, index
from tests.making.transcripts import MODEL, assistant, token_usage


def test_prices_of_another_version_are_replaced_when_a_new_day_needs_prices(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", assistant("a1", 1, message={"usage": token_usage(read=100_000)}))
    index(db, project)
    find = "select message_id, est_cost_usd from v1_responses order by 1"
    assert ask(db, find) == [("m-a1", 0.3)]
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("update model_prices set input = input * 10")
        connection.execute("update responses set cost_nanousd = cost_nanousd * 10")
        connection.execute("update meta set value = '0.0.1' where key = 'prices_version'")
    append(path, assistant("a2", 2, message={"usage": token_usage(read=100_000)}) + "\n")
    index(db, project)
    assert ask(db, find) == [("m-a1", 3.0), ("m-a2", 3.0)]  # the stored price of that day is used
    later = assistant("a3", 3, message={"usage": token_usage(read=100_000)}, timestamp="2026-03-02T09:00:00Z")
    append(path, later + "\n")
    index(db, project)
    assert ask(db, find) == [("m-a1", 0.3), ("m-a2", 0.3), ("m-a3", 0.3)]
    assert ask(db, "select value from meta where key = 'prices_version'") == [(prices_version(),)]
    assert ask(db, "select model, day, above_input_tokens, input_usd from v1_prices order by 2, 3") == [
        (MODEL, day, above, price)
        for day in ("2026-03-01", "2026-03-02")
        for above, price in ((0, 3.0), (200_000, 6.0))
    ]
    assert differences_from_clean(db, project) == {}
