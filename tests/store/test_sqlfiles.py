import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.resources import directory
from ccindex.store.db import changing
from ccindex.store.sqlfiles import load, names, sentence

FOLDERS = ("check", "derive", "views")
FILES = [f"{folder}/{name}" for folder in FOLDERS for name in names(folder)]


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sql") / "x.db"
    with changing(path, create=True):
        pass
    return path


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("views/")])
def test_every_statement_can_be_prepared(empty: Path, name: str) -> None:
    with closing(sqlite3.connect(empty)) as connection:
        connection.execute("create temp table contested (entry integer primary key)")
        connection.execute("create temp table ranked (session integer primary key)")
        assert connection.execute("explain " + load(name)).fetchall()


@pytest.mark.parametrize("name", names("views"))
def test_every_view_answers_and_says_what_a_row_is(empty: Path, name: str) -> None:
    with closing(sqlite3.connect(empty)) as connection:
        connection.execute(f"select * from {name}").fetchall()
    assert re.search(r"^-- (One row per|What the index)", load(f"views/{name}"), re.MULTILINE)
    assert load(f"views/{name}").startswith(f"create view {name} as\n")


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("views/")])
def test_every_statement_begins_with_a_sentence(name: str) -> None:
    assert sentence(name).endswith(".")


def test_no_folder_holds_a_file_that_nothing_loads() -> None:
    found = {path.parent.name for path in directory("sql").rglob("*.sql")}
    assert found == set(FOLDERS)
    code = "".join(path.read_text() for path in directory("sql").parent.glob("ccindex/**/*.py"))
    assert all(f'"{name}"' in code for name in FILES if name.startswith("derive/"))
