"""Rows of objects of any shape: the rows of an object do not depend on others, and they fit their tables."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccindex.model.events import Batch, Row
from ccindex.model.recorded import EntryColumns, SearchText
from ccindex.model.tables import RECORDED_TABLES
from ccindex.read.json_lines import objects_in
from tests.making import random_files
from tests.making.folders import SHARED
from tests.making.hypothesis_settings import examples
from tests.making.parsed_objects import batch_of
from tests.making.wrong_values import SHAPES, WRONG, paths_of, with_value

TABLES = {table.name: table for table in RECORDED_TABLES}
OBJECTS_PER_BATCH = 200
WRONG_VALUES = [value["x"] for raw in WRONG if len(raw) < 20_000 for value in objects_in(b'{"x":' + raw + b"}")]


def rows_by_object(batch: Batch) -> list[dict[str, Any]]:
    """Return the rows of every object, with uuids and values instead of numbers and hashes."""
    objects: list[dict[str, Any]] = [{"type": row[4], "has_parent": row[7]} for row in batch.occurrences]
    by_entry: dict[int, dict[str, Any]] = {}
    for number, uuid, index, _, context, details, *columns in batch.entries:
        shared = batch.contexts[context], None if details is None else batch.details[details]
        objects[index] |= {"uuid": uuid, "shared": shared, "columns": columns}
        by_entry[number] = objects[index]
    for child, kind, parent in batch.edges:
        by_entry[child].setdefault("edges", []).append((kind, batch.uuids[parent]))
    for table, rows in {**batch.contents, "search_texts": batch.search_texts}.items():
        for number, *values in rows:
            by_entry[number].setdefault(table, []).append(values)
    for index, *values in batch.records:
        objects[index]["record"] = values
    for index, *values in batch.record_notices:
        objects[index].setdefault("notices", []).append(values)
    return objects


def check_independence(values: list[dict[str, Any]]) -> None:
    """Check that objects give the same rows alone, together and in reverse order. Valid uuids are made unique."""
    values = [
        {**value, "uuid": f"own-{number}"} if isinstance(value.get("uuid"), str) and value["uuid"] else value
        for number, value in enumerate(values)
    ]
    alone = [rows_by_object(batch_of(value))[0] for value in values]
    assert rows_by_object(batch_of(*values)) == alone
    assert rows_by_object(batch_of(*reversed(values))) == alone[::-1]


@given(st.lists(st.one_of(random_files.objects(), random_files.records()), min_size=1, max_size=6))
@examples(150)
def test_rows_of_an_object_do_not_depend_on_the_other_objects(drawn: list[dict[str, Any]]) -> None:
    check_independence([value for item in drawn for value in objects_in(random_files.encoded(item))])


@pytest.mark.skipif(not (SHARED / "corpus").exists(), reason="no ../shared/corpus")
def test_rows_of_an_object_in_the_corpus_do_not_depend_on_the_other_objects() -> None:
    for path in sorted((SHARED / "corpus").rglob("*.jsonl"), key=lambda path: path.stat().st_size)[:100]:
        check_file(path)


def check_file(path: Path) -> None:
    """Check the objects of a transcript."""
    values = [value for line in path.read_bytes().split(b"\n") for value in objects_in(line)]
    for start in range(0, len(values), OBJECTS_PER_BATCH):
        check_independence(values[start : start + OBJECTS_PER_BATCH])


@pytest.mark.parametrize("number", range(len(SHAPES)))
def test_rows_of_an_object_with_a_wrong_value_fit_their_tables(number: int) -> None:
    for path in paths_of(SHAPES[number]):
        for wrong in WRONG_VALUES:
            check_tables(batch_of(with_value(SHAPES[number], path, wrong)))


def check_tables(batch: Batch) -> None:
    """Check that all rows of entries fit their tables."""
    for name, rows in batch.contents.items():
        columns = tuple(TABLES[name].parts[-1].__annotations__)
        for row in rows:
            check_row(row, ("entry", *columns), TABLES[name].required)
    for _, uuid, _, *values in batch.entries:
        head = ("uuid", "hash", "context", "details")
        check_row((uuid, *values), (*head, *EntryColumns._fields), {*TABLES["entries"].required, "hash", "context"})
    for row in batch.search_texts:
        check_row(row, ("entry", *SearchText._fields), {"entry"})


def check_row(row: Row, columns: tuple[str, ...], required: Collection[str]) -> None:
    """Check that a row has a value for every column, that SQLite can store it, and that it is not NULL if required."""
    for column, value in zip(columns, row, strict=True):
        assert value is not None or column not in required
        assert value is None or type(value) is str or (type(value) is int and -(2**63) <= value < 2**63)
