"""Wrong types in every field: no line stops a run, and each is one entry's occurrence, a record or malformed."""

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


def test_every_line_is_one_entry_one_record_or_malformed(tmp_path: Path, db: Path) -> None:
    lines = list(_hostile())
    path = tmp_path / "projects" / "-w" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\n".join(lines) + b"\n")
    assert len(lines) > 2_000

    report = index(db, path)

    assert report.status == "ok"
    assert report.lines_read == len(lines)
    placed = ask(
        db,
        "select line_no from v1_occurrences "
        "union all select line_no from v1_diagnostics where kind = 'malformed-line' order by 1",
    )
    assert placed == [(number,) for number in range(1, len(lines) + 1)]
    assert one(db, "select count(*) from v1_diagnostics where kind = 'malformed-line'") == 0
    with_uuid = one(db, "select count(*) from v1_occurrences where uuid is not null")
    assert with_uuid + one(db, "select count(*) from v1_records") == len(lines)
    assert broken(db) == {}


def test_every_view_can_be_read_in_full_and_a_rebuild_agrees(tmp_path: Path, db: Path) -> None:
    folder = tmp_path / "projects" / "-w"
    folder.mkdir(parents=True)
    lines = list(_hostile())
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


def _hostile() -> Iterator[bytes]:
    """Every field of every shape, some levels deep, with a wrong value in its place; uuids repeat now and then."""
    chance = random.Random(_SEED)  # noqa: S311
    number = 0
    for shape in SHAPES:
        for path in paths_of(shape):
            for wrong in chance.sample(WRONG, min(_ROUNDS, len(WRONG))):
                number += 1
                value = shape | {"uuid": f"u{chance.choice((number, 1))}"} if "uuid" in shape else shape
                mark = f"@{number}@"
                text = json.dumps(with_value(value, path, mark)).encode()
                yield text.replace(f'"{mark}"'.encode(), wrong)
