"""Read and write tool pairs, responses, prices, usage totals and queued text."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple

from ccindex.model.derived import ToolPair
from ccindex.model.usage_rows import ToolUsageRow, UsageRow
from ccindex.store.create import create_indexes, drop_indexes
from ccindex.store.rows import Row, insert_into, insert_rows, select_columns
from ccindex.store.sql_files import encode_ids, load

_PRICES_VERSION = "prices_version"
_BATCH_ROWS = 1_000


def changed_ids(
    connection: sqlite3.Connection, entries: Iterable[int], responses: Collection[str]
) -> tuple[set[str], set[str]]:
    """Return the ids of the calls that the given entries contain or answer, and of the responses they are part of.

    The response ids also include the given `responses`, and the iterations of all of these responses.
    """
    params = {"entries": json.dumps(list(entries)), "responses": encode_ids(responses) if responses else "[]"}
    calls = {call for (call,) in connection.execute(load("derive/changed_calls"), params)}
    return calls, {response for (response,) in connection.execute(load("derive/changed_responses"), params)}


def delete_pairs(connection: sqlite3.Connection, calls: Iterable[str]) -> set[tuple[int, int | None]]:
    """Delete the pairs of the given calls; return (session, timestamp_ms) of each."""
    return set(connection.execute(load("derive/delete_tool_pairs"), {"calls": encode_ids(calls)}))


def response_instants(connection: sqlite3.Connection) -> list[tuple[int, int | None]]:
    """Return (session, timestamp_ms) of all responses."""
    return connection.execute("select session, timestamp_ms from responses").fetchall()


def load_calls_and_results(
    connection: sqlite3.Connection, calls: Iterable[str] | None
) -> Iterator[tuple[str, int, list[Row], list[Row]]]:
    """Yield (call id, session, calls, results) for the given calls, or for all calls if `calls` is None.

    Calls and results are lists of (entry, idx, thread, timestamp_ms, form, is_error) in time order.
    """
    if calls is None:
        rows = connection.execute(load("derive/all_calls_and_results"))
    else:
        rows = connection.execute(load("derive/calls_and_results"), {"calls": encode_ids(calls)})
    for (call, session), group in groupby(rows, key=itemgetter(0, 1)):
        blocks: tuple[list[Row], list[Row]] = ([], [])
        for row in group:
            blocks[row[2]].append(row[3:])
        yield call, session, *blocks


def insert_pairs(connection: sqlite3.Connection, pairs: Sequence[ToolPair]) -> None:
    """Insert tool pairs."""
    insert_rows(connection, insert_into("tool_pairs"), pairs)


def replace_all(connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> int:
    """Replace all rows of a table; return how many there are.

    The indexes are created afterwards, because adding the entries of an index in random order is slower.
    """
    connection.execute(f"delete from {table}")  # noqa: S608
    indexes = drop_indexes(connection, {table})
    count, remaining = 0, iter(rows)
    while batch := list(islice(remaining, _BATCH_ROWS)):
        insert_rows(connection, insert_into(table), batch)
        count += len(batch)
    create_indexes(connection, indexes)
    return count


def load_response_parts(
    connection: sqlite3.Connection, responses: Iterable[str] | None
) -> Iterator[tuple[str, list[Row]]]:
    """Yield (response id, entries in time order) for the given responses, or for all if `responses` is None."""
    if responses is None:
        rows = connection.execute(load("derive/all_response_parts"))
    else:
        rows = connection.execute(load("derive/response_parts"), {"responses": encode_ids(responses)})
    for response, group in groupby(rows, key=itemgetter(0)):
        yield response, [row[1:] for row in group]


def load_iteration_parts(
    connection: sqlite3.Connection, responses: Iterable[str] | None
) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield (response id, parent response, entries in time order) for the given iterations, or for all iterations."""
    if responses is None:
        rows = connection.execute(load("derive/all_iteration_parts"))
    else:
        rows = connection.execute(load("derive/iteration_parts"), {"responses": encode_ids(responses)})
    for (response, parent), group in groupby(rows, key=itemgetter(0, 1)):
        yield response, parent, [row[2:] for row in group]


def replace_responses(
    connection: sqlite3.Connection, responses: Iterable[str], rows: Iterable[Row]
) -> set[tuple[str, int, int]]:
    """Replace the rows of the given responses; return (id, session, timestamp_ms) of every removed or added row."""
    stored = connection.execute(load("derive/stored_responses"), {"responses": encode_ids(responses)})
    before, after = set(stored), set(rows)
    connection.executemany("delete from responses where response_id = ?", (row[:1] for row in before - after))
    connection.executemany(insert_into("responses"), sorted(after - before, key=itemgetter(0)))  # in key order
    return {(row[0], row[2], row[3]) for row in before ^ after}


def load_prices(connection: sqlite3.Connection) -> dict[tuple[str, str], tuple[Row, ...]]:
    """Return the stored prices by model and day, with the tiers in ascending order."""
    find = f"select {select_columns('model_prices')} from model_prices x order by model, day, above_input_tokens"  # noqa: S608
    rows = connection.execute(find)
    return {key: tuple(row[2:] for row in group) for key, group in groupby(rows, key=itemgetter(0, 1))}


def add_prices(connection: sqlite3.Connection, prices: Mapping[tuple[str, str], Sequence[Row]], version: str) -> None:
    """Add prices, and record the version of the library that they come from."""
    rows = ((*key, *row) for key, tiers in prices.items() for row in tiers)
    connection.executemany(insert_into("model_prices", verb="insert or replace"), rows)
    connection.execute("insert or replace into meta values (?, ?)", (_PRICES_VERSION, version))


def load_prices_version(connection: sqlite3.Connection) -> str | None:
    """Return the version of the library that the prices come from; None if there are no prices."""
    row = connection.execute("select value from meta where key = ?", (_PRICES_VERSION,)).fetchone()
    return None if row is None else str(row[0])


def delete_prices(connection: sqlite3.Connection) -> None:
    """Delete all prices."""
    connection.execute("delete from model_prices")
    connection.execute("delete from meta where key = ?", (_PRICES_VERSION,))


def all_sessions(connection: sqlite3.Connection) -> list[int]:
    """Return all sessions in session_ids, and all sessions that have totals."""
    rows = connection.execute(
        "select id from session_ids union select session from usage_totals union select session from tool_totals"
    )
    return [session for (session,) in rows]


def replace_totals(
    connection: sqlite3.Connection, sessions: Sequence[int], usage: Iterable[UsageRow], tools: Iterable[ToolUsageRow]
) -> None:
    """Replace the totals of the given sessions; update their project, time span, worktree, relocation and origin."""
    _update_sessions(connection, sessions)
    for table in ("usage_totals", "tool_totals"):
        connection.executemany(f"delete from {table} where session = ?", [(session,) for session in sessions])  # noqa: S608
    _insert_totals(connection, usage, tools)


def replace_quarter_hours(
    connection: sqlite3.Connection,
    quarter_hours: Sequence[tuple[int, int]],
    usage: Iterable[UsageRow],
    tools: Iterable[ToolUsageRow],
) -> None:
    """Replace the totals of the given sessions and quarter hours; update the same columns as `replace_totals`."""
    _update_sessions(connection, sorted({session for session, _ in quarter_hours}))
    for table in ("usage_totals", "tool_totals"):
        connection.executemany(f"delete from {table} where session = ? and quarter_hour = ?", quarter_hours)  # noqa: S608
    _insert_totals(connection, usage, tools)


def _update_sessions(connection: sqlite3.Connection, sessions: Sequence[int]) -> None:
    params = {"sessions": json.dumps(sessions)}
    connection.execute(load("derive/set_session_spans"), params)
    connection.execute(load("derive/set_session_moves"), params)


def _insert_totals(connection: sqlite3.Connection, usage: Iterable[UsageRow], tools: Iterable[ToolUsageRow]) -> None:
    for table, rows in (("usage_totals", usage), ("tool_totals", tools)):
        as_json = (
            tuple(_encode_array(value) if isinstance(value, (list, tuple)) else value for value in row) for row in rows
        )
        connection.executemany(insert_into(table), as_json)


_encode_array = json.JSONEncoder(separators=(",", ":")).encode


QueuedText = tuple[int, str]  # occurrence of the enqueue operation, text


class RecordedOperation(NamedTuple):
    """A queue operation; `content` is a JSON value, and (path, generation, offset) is its position."""

    occurrence: int
    operation: str
    timestamp_ms: int
    content: Any
    is_current: int  # 0: only an earlier generation of the file contains it
    path: str
    generation: int
    offset: int


def load_queue_operations(
    connection: sqlite3.Connection, sessions: Sequence[int]
) -> Iterator[tuple[int, list[RecordedOperation]]]:
    """Yield the sessions in which text was removed from the queue, with their operations in time order."""
    rows = connection.execute(load("derive/queue_operations"), {"sessions": json.dumps(sessions)}).fetchall()
    removing = {session for session, _, operation, *_ in rows if operation in ("remove", "popAll")}
    for session, group in groupby((row for row in rows if row[0] in removing), key=itemgetter(0)):
        yield session, [_parse_operation(row) for row in group]


def _parse_operation(row: Row) -> RecordedOperation:
    _, occurrence, operation, timestamp_ms, payload, *position = row
    try:
        content = json.loads(payload).get("content")  # json_extract truncates a string at a NUL character
    except (ValueError, RecursionError):  # Python cannot parse it, for example because it is nested too deeply
        content = None
    return RecordedOperation(occurrence, operation, timestamp_ms, content, *position)


def load_person_texts(connection: sqlite3.Connection, session: int) -> list[Row]:
    """Return the non-empty texts of a session's prompts and commands as (text, timestamp_ms, is_prompt)."""
    rows = connection.execute(load("derive/person_texts"), {"session": session}).fetchall()
    return [row for row in rows if row[0]]


def load_source_paths(connection: sqlite3.Connection, sources: Iterable[int]) -> dict[int, str]:
    """Return the paths of the given sources, by id."""
    find = "select s.id, s.path from json_each(?) j cross join sources s on s.id = j.value"
    return dict(connection.execute(find, (json.dumps(sorted(sources)),)).fetchall())


def replace_queued_words(
    connection: sqlite3.Connection, sessions: Sequence[int], rows: Iterable[Row]
) -> tuple[list[QueuedText], list[QueuedText]]:
    """Replace the queued text of the given sessions; return the removed texts and the added texts."""
    find = (
        f"select {select_columns('queued_words')} "  # noqa: S608
        "from json_each(?) j cross join queued_words x on x.session = j.value"
    )
    before, after = set(connection.execute(find, (json.dumps(sessions),))), set(rows)
    connection.executemany("delete from queued_words where occurrence = ?", [row[:1] for row in before - after])
    connection.executemany(insert_into("queued_words"), sorted(after - before))
    old, new = ({(row[0], row[3]) for row in rows} for rows in (before, after))
    return sorted(old - new), sorted(new - old)
