"""The public views with what their files say of them and of their columns."""

import re
import sqlite3
from typing import NamedTuple

from ccindex.store.sqlfiles import load, names

# the name a column has in the view, and what is said of it: `end as kind, -- session, agent`
_REMARK = re.compile(r"(\w+),? -- (.+)$")


class View(NamedTuple):
    """A view, its sentence, and its columns with a remark on each that needs one."""

    name: str
    sentence: str
    columns: dict[str, str]


def views(connection: sqlite3.Connection) -> list[View]:
    """Return every view in order of its name; a remark must be on a column that there is."""
    return [_view(connection, name) for name in names("views")]


def _view(connection: sqlite3.Connection, name: str) -> View:
    lines = load(f"views/{name}").splitlines()
    start = next(number for number, line in enumerate(lines) if not line.startswith(("create view", "--")))
    end = next(number for number, line in enumerate(lines) if line.startswith("from "))
    sentence = " ".join(line.removeprefix("--").strip() for line in lines[:start] if line.startswith("--"))
    columns = dict.fromkeys((str(row[1]) for row in connection.execute(f"pragma table_info({name})")), "")
    for line in lines[start:end]:
        found = _REMARK.search(line) if " -- " in line else None
        if " -- " in line:
            assert found is not None, f"{name}: {line.strip()!r} is on no column"
            assert found[1] in columns, f"{name}: {line.strip()!r} is on no column"
            columns[found[1]] = found[2]
    return View(name, sentence, columns)
