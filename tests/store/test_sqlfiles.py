import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.store.connection import changing
from ccindex.store.sql_files import directory, encode_ids, load, names, sentence

FOLDERS = ("check", "derive", "examples", "query", "views")
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
        assert connection.execute("explain " + load(name), dict.fromkeys(params(name))).fetchall()


@pytest.mark.parametrize("name", names("views"))
def test_every_view_answers_and_says_what_a_row_is(empty: Path, name: str) -> None:
    with closing(sqlite3.connect(empty)) as connection:
        connection.execute(f"select * from {name}").fetchall()
    assert re.search(r"^-- (One row per|What the index)", load(f"views/{name}"), re.MULTILINE)
    assert load(f"views/{name}").startswith(f"create view {name} as\n")


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("views/")])
def test_every_statement_names_its_parameters(name: str) -> None:
    code = re.sub(r"--.*|'[^']*'", "", load(name))
    assert set(re.findall(r":(\w+)", code)) == set(params(name))


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("views/")])
def test_every_statement_begins_with_a_sentence(name: str) -> None:
    assert sentence(name).endswith(".")


def test_no_folder_holds_a_file_that_nothing_loads() -> None:
    found = {path.parent.name for path in directory("sql").rglob("*.sql")}
    assert found == {*FOLDERS, "sql"}  # there: the schema
    code = "".join(path.read_text() for path in directory("sql").parent.glob("ccindex/**/*.py"))
    assert all(f'"{name}"' in code for name in FILES if name.startswith(("derive/", "query/")))


def params(name: str) -> list[str]:
    """The names in a header's second line, without what is said of them in brackets."""
    said = ", ".join(re.findall(r"^-- params: +(.+)$", load(name), re.MULTILINE))
    return re.findall(r"\w+", re.sub(r"\(.*?\)", "", said))


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("derive/") and "/all_" not in name])
def test_no_derivation_scans_a_table_of_the_index(empty: Path, name: str) -> None:
    with closing(sqlite3.connect(empty)) as connection:
        tables = {table for (table,) in connection.execute("select name from sqlite_schema where type = 'table'")}
        plan = connection.execute("explain query plan " + load(name), dict.fromkeys(params(name), "[]")).fetchall()
    scanned = {detail.split()[1] for *_, detail in plan if detail.startswith("SCAN ")}
    named = re.findall(r"(?:from|join) ([\w.]+) (\w+)", load(name))
    assert {table for table, alias in named if alias in scanned and table in tables} == set()


DECODED_ID = r"replace(replace(value, '\0', char(0)), '\1', '\')"


def test_ids_reach_a_statement_unchanged() -> None:
    ids = ["", "t", "t\0a", "t\0", "\0", r"t\0", r"t\1", "\\", "\\\0\\", r"\\0", '"', "\x01\x7f", "é\U0001f600\ufdd0"]
    with closing(sqlite3.connect(":memory:")) as connection:
        rows = connection.execute(f"select {DECODED_ID} from json_each(?)", (encode_ids(ids),))
        assert [text for (text,) in rows] == ids


@pytest.mark.parametrize("name", [name for name in FILES if "encoded ids" in load(name)])
def test_every_statement_decodes_the_ids_it_takes(name: str) -> None:
    assert load(name).count(DECODED_ID) == load(name).count("encoded ids") > 0


def test_no_statement_reads_a_temporary_table() -> None:
    assert [name for name in FILES if "temp." in load(name)] == []
