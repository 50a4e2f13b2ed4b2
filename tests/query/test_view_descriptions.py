"""Every view is described in its SQL file, with a sentence about the view and a remark on every column."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.query.sql import View, views
from ccindex.store.connection import reading
from ccindex.store.sql_files import load, names
from tests.making.commands import ccindex
from tests.making.indexes import ask, index


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("views")
    (folder / "p").mkdir()
    index(folder / "x.db", folder / "p")
    return folder / "x.db"


@pytest.fixture(scope="module")
def described(db: Path) -> dict[str, View]:
    with reading(db) as connection:
        return {view.name: view for view in views(connection)}


def test_every_view_in_the_index_is_described_in_order(db: Path, described: dict[str, View]) -> None:
    stored = ask(db, "select name from sqlite_schema where type = 'view' and name glob 'v1_*' order by name")
    assert list(described) == [name for (name,) in stored] == sorted(described)


def test_view_has_a_sentence_and_a_remark_on_every_column(db: Path, described: dict[str, View]) -> None:
    problems = {}
    for name in names("views"):
        view = described[name]
        if not re.fullmatch(r"One row per [^\n]+\.", view.sentence) or "--" in view.sentence:
            problems[name] = f"sentence: {view.sentence!r}"
        if list(view.columns) != [row[1] for row in ask(db, f"pragma table_info({name})")]:
            problems[name] = f"columns: {list(view.columns)}"
        if missing := [column for column, remark in view.columns.items() if not remark]:
            problems[name] = f"no remark: {missing}"
    assert problems == {}


def test_every_remark_belongs_to_a_column(described: dict[str, View]) -> None:
    problems = {}
    for name in names("views"):
        remarks = [remark for remark in described[name].columns.values() if remark]
        # expected: the comments after the columns of the outermost select
        body = load(f"views/{name}").partition("\nfrom ")[0].split("\nselect\n")[-1]
        written = [line.partition(" -- ")[2] for line in body.splitlines() if " -- " in line]
        if remarks != written or any(remark != remark.strip() or "\n" in remark for remark in remarks):
            problems[name] = (remarks, written)
    assert problems == {}


@pytest.mark.parametrize(
    ("name", "column", "remark"),
    [
        (
            "v1_sources",
            "kind",
            "session, agent, workflow (journals and run files) or other (sidecars and persisted tool results)",
        ),
        ("v1_tool_pairs", "name", "name of the tool; NULL if the call was not seen"),
        ("v1_tool_pairs", "set_aside", "reason why the call is on no line; NULL if it is on one"),
        ("v1_compactions", "label", "heading for display, with the time of the summary in UTC"),
        ("v1_sessions", "title", "title given by the user, else by Claude Code, else a summary"),
        ("v1_sessions", "session_id", "id of the session"),
    ],
)
def test_comment_after_a_column_is_its_remark(described: dict[str, View], name: str, column: str, remark: str) -> None:
    assert described[name].columns[column] == remark


def test_multi_line_header_is_joined(described: dict[str, View]) -> None:
    assert described["v1_messages"].sentence.startswith("One row per API message")
    assert described["v1_messages"].sentence.endswith("use the largest values.")


@pytest.mark.parametrize("columns", ["60", "80", None])
def test_printed_schema_is_valid_sql_at_any_width(db: Path, columns: str | None) -> None:
    settings = {} if columns is None else {"COLUMNS": columns}
    shown = ccindex("sql", "--schema", "--db", db, env=settings).stdout
    # unlike a view, a table can be created from column names alone
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(shown.replace("create view", "create table"))
        created = {name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")}
    assert created == set(names("views"))
    assert columns is None or max(map(len, shown.splitlines())) <= int(columns)
