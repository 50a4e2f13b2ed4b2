"""The index agrees with the reference implementation on random projects."""

import tempfile
from pathlib import Path

from hypothesis import given

from tests.making.files import write_all
from tests.making.graph_outcome import differences_from_reference
from tests.making.hypothesis_settings import examples
from tests.making.indexes import broken, index
from tests.reference.random_projects import projects


@examples(45)
@given(projects())
def test_index_agrees_with_reference(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, db = Path(folder).resolve() / "p", Path(folder) / "x.db"
        write_all(root, files)
        index(db, root)
        assert broken(db) == {}
        assert differences_from_reference(db, root) == {}
