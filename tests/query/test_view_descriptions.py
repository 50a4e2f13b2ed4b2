"""Views are described by their own files: a sentence per view and a remark per column."""

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
def found(db: Path) -> dict[str, View]:
    with reading(db) as connection:
        return {view.name: view for view in views(connection)}


def test_every_view_of_the_index_is_there_in_order(db: Path, found: dict[str, View]) -> None:
    made = ask(db, "select name from sqlite_schema where type = 'view' and name glob 'v1_*' order by name")
    assert list(found) == [name for (name,) in made] == sorted(found)


def test_a_view_has_a_sentence_and_all_its_columns(db: Path, found: dict[str, View]) -> None:
    problems = {}
    for name in names("views"):
        view = found[name]
        if not re.fullmatch(r"(One row per|What the index) [^\n]+\.", view.sentence) or "--" in view.sentence:
            problems[name] = f"sentence: {view.sentence!r}"
        if list(view.columns) != [row[1] for row in ask(db, f"pragma table_info({name})")]:
            problems[name] = f"columns: {list(view.columns)}"
    assert problems == {}


def test_every_remark_in_a_views_list_of_columns_is_on_one_of_them(found: dict[str, View]) -> None:
    problems = {}
    for name in names("views"):
        remarks = [remark for remark in found[name].columns.values() if remark]
        # by their position: the comment after a column in the outermost select
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
            "session, agent, workflow (journals and run files), other (sidecars, persisted tool results)",
        ),
        ("v1_tool_pairs", "name", "of the tool; NULL: the call was not seen"),
        ("v1_tool_pairs", "set_aside", "why the call is on no line"),
        ("v1_compactions", "label", "the summary's time, in UTC"),
        ("v1_sessions", "title", "given by the user, else made by Claude Code, else a summary"),
        ("v1_sessions", "session_id", ""),
    ],
)
def test_a_column_has_the_remark_that_stands_behind_it(
    found: dict[str, View], name: str, column: str, remark: str
) -> None:
    assert found[name].columns[column] == remark


def test_a_sentence_over_two_lines_is_one(found: dict[str, View]) -> None:
    assert found["v1_messages"].sentence.startswith("One row per API message")
    assert found["v1_messages"].sentence.endswith("take the fullest.")


@pytest.mark.parametrize("columns", ["60", "80", None])
def test_the_printed_schema_is_sql_at_any_width(db: Path, columns: str | None) -> None:
    settings = {} if columns is None else {"COLUMNS": columns}
    shown = ccindex("sql", "--schema", "--db", db, env=settings).stdout
    # a view needs a body to be made: columns without types make a table as well
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(shown.replace("create view", "create table"))
        made = {name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")}
    assert made == set(names("views"))
    assert columns is None or max(map(len, shown.splitlines())) <= int(columns)
