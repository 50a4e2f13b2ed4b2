"""An index that the user may read but not write."""

from pathlib import Path

from ccindex.query.doctor import examine
from ccindex.store.connection import reading
from tests.making.files import write
from tests.making.indexes import index
from tests.making.permissions import as_nobody, open_all
from tests.making.transcripts import line


def test_an_index_in_a_folder_without_write_rights_can_be_read(open_place: Path) -> None:
    db = open_place / "kept" / "x.db"
    index(db, write(open_place / "s1.jsonl", line("u1")))
    open_all(open_place)
    db.parent.chmod(0o555)
    db.chmod(0o444)

    def read() -> None:
        with reading(db) as connection:
            assert all(check.ok for check in examine(connection))

    as_nobody(read)
