"""`ccindex tree`: lines, branches and agents, and where each leaves the other."""

from dataclasses import replace

from ccindex.query.filters import Filters
from ccindex.query.forest import LineRow, Tree, forest
from ccindex.query.labels import Labels
from ccindex.query.lists import SESSIONS, listed
from ccindex.render.tree import drawn
from ccindex.store.db import Connection

from .filtering import Asked, filters_of, limit_of, takes_filters
from .opened import opened
from .options import Db, Json, Limit, Raw
from .output import complain, remark, say_styled, show_nested_json
from .tables import terminal_width

_COLUMNS = ("line_id", "session_id", "kind", "attachment_uuid", "entry_count")


@takes_filters
def tree(
    *,
    asked: Asked,
    raw: Raw = False,
    limit: Limit = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show how sessions, branches and agents hang together.

    Trees are shown whole: with every session that hangs on one which the options ask for.

    Examples:
      ccindex tree --session 51ea
      ccindex tree --project recipe-box --since 30d
    """
    with opened(db, exact=json or raw) as connection:
        most = limit_of(limit, is_table=not json)
        filters = filters_of(connection, asked)
        found = _wanted(connection, forest(connection, filters.session_id), filters)
        is_cut = most is not None and len(found.roots) > most
        found = replace(found, roots=found.roots[-most:]) if most is not None and is_cut else found
        if json:
            show_nested_json("roots", found.roots, found.children, lambda number: _told(found.lines[number]))
        else:
            say_styled(drawn(found, Labels(connection, found), terminal_width()))
            if not found.roots:
                remark("nothing found")
    if is_cut and limit is None:
        complain(f"only the latest {most} are shown; --limit 0 shows all")


def _wanted(connection: Connection, tree: Tree, filters: Filters) -> Tree:
    """The trees that hold a session which the filters let through."""
    if replace(filters, session_id=None) == Filters():
        return tree
    sessions = {row["session_id"] for row in listed(connection, SESSIONS, filters)}
    if filters.session_id is not None:
        return tree if sessions else replace(tree, roots=[])
    roots = [root for root in tree.roots if any(line.session_id in sessions for line, _, _ in tree.downwards([root]))]
    return replace(tree, roots=roots)


def _told(line: LineRow) -> dict[str, object]:
    return {column: getattr(line, column) for column in _COLUMNS} | {"is_active": line.is_active}
