"""The SQL files: headers, parameters, and whether SQLite accepts the statements."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.store.sql_files import directory, encode_ids, load, names, sentence
from tests.making.indexes import empty_index

FOLDERS = ("check", "derive", "examples", "internal", "query", "shard", "views")
FILES = [f"{folder}/{name}" for folder in FOLDERS for name in names(folder)]
STATEMENTS = [name for name in FILES if not name.startswith(("internal/", "views/"))]


@pytest.fixture
def empty(db: Path) -> Iterator[sqlite3.Connection]:
    """An index without entries."""
    db.parent.mkdir()
    db.write_bytes(empty_index())
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("attach ? as shard", (str(db),))
        yield connection


def test_every_statement_can_be_prepared(empty: sqlite3.Connection) -> None:
    problems = {}
    for name in STATEMENTS:
        try:
            if not empty.execute("explain " + load(name), dict.fromkeys(params(name))).fetchall():
                problems[name] = "it contains no statement"
        except sqlite3.Error as error:
            problems[name] = str(error)
    assert problems == {}


def test_every_view_can_be_queried_and_describes_its_rows(empty: sqlite3.Connection) -> None:
    problems = {}
    for name in names("views"):
        text = load(f"views/{name}")
        if not re.search(r"^-- (One row per|What the index)", text, re.MULTILINE):
            problems[name] = "its header does not describe a row"
        if not text.startswith(f"create view {name} as\n"):
            problems[name] = "it does not create the view of its name"
        try:
            empty.execute(f"select * from {name}").fetchall()
        except sqlite3.Error as error:
            problems[name] = str(error)
    assert problems == {}


def test_every_header_lists_the_parameters_of_its_statement() -> None:
    problems = {}
    for name in STATEMENTS:
        used = set(re.findall(r":(\w+)", re.sub(r"--.*|'[^']*'", "", load(name))))
        if used != set(params(name)):
            problems[name] = f"uses {sorted(used)}, names {sorted(params(name))}"
    assert problems == {}


def test_every_statement_starts_with_a_sentence() -> None:
    assert [name for name in STATEMENTS if not sentence(name).endswith(".")] == []


def test_every_sql_file_is_loaded() -> None:
    folders = {path.parent.name for path in directory("sql").rglob("*.sql")}
    assert folders == {*FOLDERS, "sql"}  # sql itself contains the schema
    code = "".join(path.read_text() for path in directory("sql").parent.glob("ccindex/**/*.py"))
    assert all(f'"{name}"' in code for name in FILES if name.startswith(("derive/", "query/")))


def params(name: str) -> list[str]:
    """Return the parameter names in the header of the given statement, without the remarks in parentheses."""
    text = ", ".join(re.findall(r"^-- params: +(.+)$", load(name), re.MULTILINE))
    return re.findall(r"\w+", re.sub(r"\(.*?\)", "", text))


def test_no_derive_statement_scans_a_whole_table(empty: sqlite3.Connection) -> None:
    owned = re.findall(r"(?:from|join) (\w+) (\w+)", load("internal/owned_entries"))
    tables = {table for (table,) in empty.execute("select name from sqlite_schema where type = 'table'")}
    problems = {}
    for name in STATEMENTS:
        if not name.startswith("derive/") or "/all_" in name:
            continue
        plan = empty.execute("explain query plan " + load(name), dict.fromkeys(params(name), "[]")).fetchall()
        scanned = {detail.split()[1] for *_, detail in plan if detail.startswith("SCAN ")}
        named = owned + re.findall(r"(?:from|join) ([\w.]+) (\w+)", load(name))
        if whole := {table for table, alias in named if alias in scanned and table in tables}:
            problems[name] = whole
    assert problems == {}


DECODED_ID = r"replace(replace(value, '\0', char(0)), '\1', '\')"


def test_ids_reach_a_statement_unchanged() -> None:
    ids = ["", "t", "t\0a", "t\0", "\0", r"t\0", r"t\1", "\\", "\\\0\\", r"\\0", '"', "\x01\x7f", "é\U0001f600\ufdd0"]
    with closing(sqlite3.connect(":memory:")) as connection:
        rows = connection.execute(f"select {DECODED_ID} from json_each(?)", (encode_ids(ids),))
        assert [text for (text,) in rows] == ids


def test_every_statement_decodes_its_encoded_ids() -> None:
    counts = {name: (load(name).count(DECODED_ID), load(name).count("encoded ids")) for name in FILES}
    assert any(encoded for _, encoded in counts.values())
    assert {name: both for name, both in counts.items() if both[0] != both[1]} == {}


def test_no_statement_reads_a_temporary_table() -> None:
    assert [name for name in FILES if "temp." in load(name)] == []
