"""`ccindex doctor`: prove that the index is sound, and say what is worth knowing about it."""

from dataclasses import asdict

from ccindex.errors import CheckFailed
from ccindex.query.doctor import examine
from ccindex.store.db import reading
from ccindex.store.location import database_path

from .options import Db, Json
from .output import say, show_json


def doctor(*, db: Db = None, json: Json = False) -> None:
    """Prove the accounting, the database and the archive; exit 1 if something is broken."""
    with reading(database_path(db)) as connection:
        checks = list(examine(connection))
    broken = [check.name for check in checks if not check.ok]
    if json:
        show_json({"ok": not broken, "checks": [asdict(check) for check in checks]})
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            say(f"{'ok ' if check.ok else 'BAD'}  {check.name:<{width}}  {check.detail}")
    if broken:
        raise CheckFailed(broken)
