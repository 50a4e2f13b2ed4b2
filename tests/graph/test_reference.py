"""The index agrees with an independent and naive reading of the rules, on random projects."""

import tempfile
from pathlib import Path

from hypothesis import given

from tests.index.test_convergence import examples
from tests.reference.oracle import expected
from tests.reference.transcripts import folders
from tests.support import broken, index, write_all

from .outcome import details, outcome, plain


@examples(45)
@given(folders())
def test_the_index_says_what_the_rules_say(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, db = Path(folder).resolve() / "p", Path(folder) / "x.db"
        write_all(root, files)
        index(db, root)
        assert broken(db) == {}
        said, wanted = {**outcome(db), **details(db)}, expected(root)
        assert {key: plain(value) for key, value in said.items()} == {key: plain(wanted[key]) for key in said}
