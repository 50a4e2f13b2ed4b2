"""Read the graph of a project from an index, in the format of the conformance cases."""

import json
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

from ccindex.query.paths import conversation_paths, recorded_graph
from ccindex.store.connection import reading
from tests.making.indexes import ask, findings
from tests.reference.expected_graph import expected

KEYS = ("dag_lines", "tree", "roots", "junctions", "set_aside", "forks", "verdicts", "paths", "paths_through")


def outcome(db: Path) -> dict[str, Any]:
    """Read from the views all facts that a conformance case contains."""
    with closing(sqlite3.connect(db)) as connection:
        found = rulings(connection)
        lines = ask(connection, "select line_id, parent_line_id, attachment_uuid from v1_lines")
        return {
            "dag_lines": _lines(connection),
            "tree": {line: {"attachment_uuid": attachment, "parent": parent} for line, parent, attachment in lines},
            "roots": _roots(connection),
            "junctions": _junctions(connection),
            "set_aside": dict(ask(connection, "select uuid, reason from v1_set_aside")),
            "forks": {key: rung for key, (rung, _) in found.items()},
            "verdicts": {key: verdict for key, (_, verdict) in found.items()},
            "paths": _paths(connection),
            "paths_through": _paths_through(db),
        }


def expectation(folder: Path) -> dict[str, Any]:
    """Read the expected outcome from `expected.json` in a folder."""
    value: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return value


def _lines(connection: sqlite3.Connection) -> dict[str, list[str]]:
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for line, uuid in ask(connection, "select line_id, uuid from v1_line_entries order by line_id, position"):
        lines[line].append(uuid)
    return dict(lines)


def _roots(connection: sqlite3.Connection) -> list[str]:
    """Return the root lines, ordered by the time of their first entries."""
    rows = ask(
        connection,
        "select l.line_id from v1_lines l join v1_line_entries p on p.line_id = l.line_id and p.position = 0 "
        "join v1_entries e on e.uuid = p.uuid join v1_occurrences o on o.uuid = e.uuid and o.is_owner "
        "where l.parent_line_id is null order by e.timestamp_ms, o.source_path, o.byte_offset",
    )
    return [line for (line,) in rows]


def _junctions(connection: sqlite3.Connection) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for uuid, target in ask(connection, "select uuid, target_line_id from v1_junctions order by uuid, ordinal"):
        found[uuid].append(target)
    return dict(found)


def rulings(db: Path | sqlite3.Connection) -> dict[str, tuple[int, str]]:
    """Return rungs and verdicts by entry; the key of a ruling on another thread's roots includes that thread's id."""
    rows = ask(
        db,
        "select f.uuid, f.thread_id, f.rung, f.verdict, coalesce(l.thread_id, a.thread_id) from v1_forks f "
        "join v1_entries e on e.uuid = f.uuid left join v1_lines l on l.line_id = e.line_id "
        "left join v1_set_aside a on a.uuid = f.uuid",
    )
    return {
        uuid if thread == own else f"{uuid} in {thread}": (rung, verdict) for uuid, thread, rung, verdict, own in rows
    }


def _paths(connection: sqlite3.Connection) -> dict[str, list[dict[str, Any]]]:
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    rows = ask(
        connection, "select session_id, status, root_uuid, leaf_uuid, entry_count from v1_paths order by leaf_uuid"
    )
    for session, status, root, leaf, count in rows:
        found[session].append({"entry_count": count, "leaf": leaf, "root": root, "status": status})
    return dict(found)


def _paths_through(db: Path) -> dict[str, list[str]]:
    with reading(db) as connection:
        found = {
            session: sorted(path.leaf_uuid for path in conversation_paths(connection, session))
            for (session,) in ask(connection, "select session_id from v1_sessions")
        }
    return {session: leaves for session, leaves in found.items() if leaves}


def differences_from_reference(db: Path, root: Path) -> dict[str, list[Any]]:
    """Return the keys whose values differ, with the index's and the reference implementation's values."""
    indexed, reference = {**outcome(db), **details(db)}, expected(root)
    pairs = {key: [plain(value), plain(reference[key])] for key, value in indexed.items()}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def details(db: Path) -> dict[str, Any]:
    """Read the facts that the reference implementation derives but conformance cases do not contain."""
    with closing(sqlite3.connect(db)) as connection:
        rows = ask(connection, "select line_id, kind, is_active from v1_lines")
        return {
            "kinds": {
                uuid: list(rest) for uuid, *rest in ask(connection, "select uuid, kind, is_typed from v1_entries")
            },
            "root_kinds": {
                uuid: list(rest)
                for uuid, *rest in ask(connection, "select uuid, kind, expected, missing_parent_uuid from v1_roots")
            },
            "parents": dict(ask(connection, "select uuid, parent_uuid from v1_entries where parent_uuid is not null")),
            "edges": sorted(map(list, ask(connection, "select child_uuid, parent_uuid, kind, state from v1_edges"))),
            "line_kinds": {line: [kind, bool(active)] for line, kind, active in rows},
            "junction_kinds": sorted(
                map(list, ask(connection, "select uuid, target_line_id, kind, ordinal from v1_junctions"))
            ),
            "set_aside_forks": {
                uuid: [fork, line]
                for uuid, fork, line in ask(connection, "select uuid, fork_uuid, line_id from v1_set_aside")
            },
            "sessions": {
                session: list(rest)
                for session, *rest in ask(
                    connection, "select session_id, relation, parent_session_id, attachment_uuid from v1_sessions"
                )
            },
            "recorded": _recorded(db),
            "diagnostics": sorted(map(list, findings(connection))),
        }


def _recorded(db: Path) -> dict[str, list[list[Any]]]:
    with reading(db) as connection:
        return {
            session: sorted(
                [path.root_uuid, path.leaf_uuid, path.status, path.entry_count]
                for path in recorded_graph(connection, session).paths()
            )
            for (session,) in ask(connection, "select session_id from v1_sessions")
        }


def plain(value: Any) -> Any:
    """Return a value in which every list of rows is sorted, with the rows as JSON."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list) and not all(isinstance(item, str | int | None) for item in value):
        return sorted(json.dumps(item, sort_keys=True) for item in value)
    return value
