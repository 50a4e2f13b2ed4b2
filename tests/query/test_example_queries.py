"""The example queries run in any client, use only views, and return rows for the sample."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ccindex.store.sql_files import load, names
from tests.making.files import write
from tests.making.folders import SAMPLE
from tests.making.indexes import index
from tests.making.transcripts import assistant, line, progress, result_entry, to_line, user

EXAMPLES = names("examples")
GROUPS = {"Prompts and todos", "Cost and usage", "Tools and files", "Branches and sessions", "The index"}
# examples that return no rows for the sample
EMPTY_FOR_THE_SAMPLE = {
    "transcripts_only_in_the_archive",  # no file was deleted
    "unpriced_models",  # all models have a price
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("examples") / "sample.db"
    index(db, SAMPLE)
    return db


@pytest.fixture(scope="module")
def reversed_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the sample, built file by file in reverse order."""
    db = tmp_path_factory.mktemp("reversed") / "sample.db"
    for path in sorted(SAMPLE.rglob("*"), reverse=True):
        if path.is_file():
            index(db, path)
    return db


@pytest.fixture(scope="module")
def deleted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of a deleted transcript that uses a model without a price."""
    folder = tmp_path_factory.mktemp("deleted")
    message = {"role": "assistant", "id": "m1", "model": "homemade-1", "usage": {"output_tokens": 5}}
    write(folder / "p" / "s1.jsonl", line("u1"), line("u2", parent="u1", type="assistant", message=message))
    index(folder / "x.db", folder / "p")
    (folder / "p" / "s1.jsonl").unlink()
    index(folder / "x.db", folder / "p")
    return folder / "x.db"


def connect(db: Path) -> closing[sqlite3.Connection]:
    """Open an index as a read-only client would."""
    return closing(sqlite3.connect(f"{db.as_uri()}?mode=ro", uri=True))


def run(db: Path, name: str) -> list[dict[str, Any]]:
    with connect(db) as connection:
        cursor = connection.execute(load(f"examples/{name}"))
        columns = [column[0] for column in cursor.description]
        assert len(set(columns)) == len(columns)
        return [dict(zip(columns, row, strict=True)) for row in cursor]


def test_there_are_at_least_twenty_examples() -> None:
    assert len(EXAMPLES) >= 20
    assert set(EXAMPLES) > EMPTY_FOR_THE_SAMPLE
    assert len(EMPTY_FOR_THE_SAMPLE) <= 3


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_returns_rows_for_the_sample(sample: Path, name: str) -> None:
    rows = run(sample, name)
    assert bool(rows) == (name not in EMPTY_FOR_THE_SAMPLE)
    assert len(rows) <= 20
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", column) for row in rows for column in row)


@pytest.mark.parametrize("name", sorted(EMPTY_FOR_THE_SAMPLE))
def test_examples_that_are_empty_for_the_sample_return_rows_where_they_apply(deleted: Path, name: str) -> None:
    assert len(run(deleted, name)) == 1


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_deterministic(sample: Path, name: str) -> None:
    assert run(sample, name) == run(sample, name)


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_example_depends_on_indexing_order(sample: Path, reversed_sample: Path, name: str) -> None:
    assert run(reversed_sample, name) == run(sample, name)


def test_cost_of_abandoned_work_includes_a_subagent_without_a_transcript(tmp_path: Path) -> None:
    def answer(response: str, *blocks: Any) -> dict[str, Any]:
        usage = {"output_tokens": 1000}
        return {"role": "assistant", "id": response, "model": "claude-sonnet-4-5", "usage": usage, "content": [*blocks]}

    def report(uuid: str, parent: str, second: float, response: str) -> str:
        wrapped = {"type": "assistant", "message": answer(response)}
        return progress(uuid, second, "k", "t1", parent=parent, wrapped=wrapped)

    call = {"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "go"}}
    write(
        tmp_path / "p" / "s1.jsonl",
        user("u1", 0, "begin"),
        assistant("u2", 1, parent="u1", message=answer("m1", {"type": "text", "text": "yes"})),
        user("u3", 2, "try this", parentUuid="u2"),
        assistant("u4", 3, parent="u3", message=answer("m2", call)),
        report("u5", "u4", 4, "k1"),  # on the branch
        report("u6", "u5", 5, "k2"),  # set aside
        to_line(result_entry("u7", "u4", 6, "t1")),
        assistant("u8", 7, parent="u7", message=answer("m3", {"type": "text", "text": "done"})),
        user("u9", 10, "try that", parentUuid="u2"),
    )
    db = tmp_path / "x.db"
    index(db, tmp_path / "p")
    [total] = run(db, "cost_of_abandoned_work")
    assert (total["responses"], total["output_tokens"], total["usd"]) == (4, 4000, 0.06)
    [branch] = run(db, "abandoned_branches")
    assert (branch["first_prompt"], branch["usd"]) == ("try this", 0.03)


def test_every_example_uses_only_views(sample: Path) -> None:
    with connect(sample) as connection, closing(sqlite3.connect(":memory:")) as bare:
        for view in names("views"):
            columns = [row[1] for row in connection.execute(f"pragma table_info({view})")]
            bare.execute(f"create table {view} ({', '.join(columns)})")
        # the only tables in this database are named after the views
        for name in EXAMPLES:
            assert bare.execute(load(f"examples/{name}")).fetchall() == [], name


def test_every_example_has_a_header_and_follows_the_common_layout() -> None:
    problems = {name: [rule for rule, holds in _form(load(f"examples/{name}")) if not holds] for name in EXAMPLES}
    assert {name: rules for name, rules in problems.items() if rules} == {}


def _form(text: str) -> Iterator[tuple[str, bool]]:
    """Yield (rule, whether it holds) for every rule about the text of an example."""
    header = re.match(r"(?:-- .+\n){2,}", text)
    yield "the header has two lines or more", header is not None
    if header is None:
        return
    first, group, *notes = header[0].splitlines()
    yield "the first line is a sentence", re.fullmatch(r"-- [A-Z].+\.", first) is not None
    yield "the second line names a group", group.removeprefix("-- group: ") in GROUPS
    yield "notes end with a period", not notes or notes[-1].endswith(".")
    statement = text[header.end() :]
    yield "the statement is a select", re.match(r"(with|select)\b", statement) is not None
    yield "it has no comments", "--" not in statement
    yield "it has no semicolon", ";" not in statement
    yield "it is in lower case", re.sub(r"'[^']*'", "", statement).islower()
    yield "it has an order and a limit of 20", re.search(r"^order by .+\nlimit 20\n\Z", text, re.MULTILINE) is not None
