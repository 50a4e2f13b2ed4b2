"""Values of the wrong type in every field. No line stops a run; each becomes an entry, a record or a diagnostic."""

import json
import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from ccindex.store.sql_files import names
from tests.making.indexes import ask, broken, everything, index, one, rebuild
from tests.making.wrong_values import SHAPES, WRONG, paths_of, with_value

_SEED = 20260301
_ROUNDS = 10 * int(os.environ.get("CCINDEX_EXAMPLES", "1"))  # lines per field of each shape


def test_every_line_is_an_occurrence_or_malformed(tmp_path: Path, db: Path) -> None:
    lines = list(_lines_with_wrong_values())
    path = tmp_path / "projects" / "-w" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\n".join(lines) + b"\n")
    assert len(lines) > 2_000

    report = index(db, path)

    assert report.status == "ok"
    assert report.lines_read == len(lines)
    line_numbers = ask(
        db,
        "select line_no from v1_occurrences "
        "union all select line_no from v1_diagnostics where kind = 'malformed-line' order by 1",
    )
    assert line_numbers == [(number,) for number in range(1, len(lines) + 1)]
    assert one(db, "select count(*) from v1_diagnostics where kind = 'malformed-line'") == 0
    with_uuid = one(db, "select count(*) from v1_occurrences where uuid is not null")
    assert with_uuid + one(db, "select count(*) from v1_records") == len(lines)
    assert broken(db) == {}


def test_all_views_are_readable_and_a_rebuild_gives_the_same_rows(tmp_path: Path, db: Path) -> None:
    folder = tmp_path / "projects" / "-w"
    folder.mkdir(parents=True)
    lines = list(_lines_with_wrong_values())
    for number in range(4):
        folder.joinpath(f"s{number}.jsonl").write_bytes(b"\n".join(lines[number::4]))
    index(db, folder)
    with closing(sqlite3.connect(db)) as connection:
        for view in names("views"):
            columns = [row[1] for row in connection.execute(f"pragma table_info({view})")]
            for column in columns:
                connection.execute(f'select "{column}" from {view}').fetchall()
            connection.execute(f"select * from {view} order by 1").fetchall()
    before = everything(db)
    rebuild(db)
    assert everything(db) == before


def _lines_with_wrong_values() -> Iterator[bytes]:
    """Yield lines with a wrong value in every field of every shape, including nested fields. Some uuids repeat."""
    rng = random.Random(_SEED)  # noqa: S311
    number = 0
    for shape in SHAPES:
        for path in paths_of(shape):
            for wrong in rng.sample(WRONG, min(_ROUNDS, len(WRONG))):
                number += 1
                value = shape | {"uuid": f"u{rng.choice((number, 1))}"} if "uuid" in shape else shape
                placeholder = f"@{number}@"
                text = json.dumps(with_value(value, path, placeholder)).encode()
                yield text.replace(f'"{placeholder}"'.encode(), wrong)
