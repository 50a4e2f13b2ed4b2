"""The index agrees with an independent and naive reading of the rules, on random projects."""

import tempfile
from pathlib import Path

from hypothesis import given

from tests.making.files import write_all
from tests.making.graph_outcome import differences_from_reference
from tests.making.hypothesis_settings import examples
from tests.making.indexes import broken, index
from tests.reference.transcripts import folders


@examples(45)
@given(folders())
def test_the_index_says_what_the_rules_say(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, db = Path(folder).resolve() / "p", Path(folder) / "x.db"
        write_all(root, files)
        index(db, root)
        assert broken(db) == {}
        assert differences_from_reference(db, root) == {}
