"""The index agrees with an independent and naive reading of the rules, on random projects."""

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given

from tests.index.test_convergence import examples
from tests.reference.oracle import expected
from tests.reference.transcripts import folders
from tests.support import broken, index, write_all

from .outcome import details, outcome


@examples(45)
@given(folders())
def test_the_index_says_what_the_rules_say(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, db = Path(folder).resolve() / "p", Path(folder) / "x.db"
        write_all(root, files)
        index(db, root)
        assert broken(db) == {}
        said, wanted = {**outcome(db), **details(db)}, expected(root)
        assert {key: _plain(value) for key, value in said.items()} == {key: _plain(wanted[key]) for key in said}


def _plain(value: Any) -> Any:
    """Values as JSON has them, lists of rows in one order."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list) and not all(isinstance(item, str | int | None) for item in value):
        return sorted(json.dumps(item, sort_keys=True) for item in value)
    return value
