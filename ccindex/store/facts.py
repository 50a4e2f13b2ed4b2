"""Rows of tool pairs, responses, prices, usage totals and queued words."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from ccindex.model.usage_rows import ToolUsageRow, UsageRow
from ccindex.store.rows import Row, insert_into, select_columns
from ccindex.store.sql_files import encode_ids, load

_PRICES_VERSION = "prices_version"


def changed_ids(
    connection: sqlite3.Connection, entries: Iterable[int], responses: Collection[str]
) -> tuple[set[str], set[str]]:
    """Return the calls that some entries hold or answer, and the responses that they are part of.

    The responses include some others, and those of iterations that took part in any of them.
    """
    given = {"entries": json.dumps(list(entries)), "responses": encode_ids(responses) if responses else "[]"}
    calls = {call for (call,) in connection.execute(load("derive/changed_calls"), given)}
    return calls, {response for (response,) in connection.execute(load("derive/changed_responses"), given)}


def all_calls(connection: sqlite3.Connection) -> list[str]:
    """Return the ids of all calls, in order."""
    rows = connection.execute(
        "select tool_use_id from tool_uses where tool_use_id is not null "
        "union select tool_use_id from tool_results where tool_use_id is not null"
    )
    return [call for (call,) in rows]


def all_responses(connection: sqlite3.Connection) -> list[str]:
    """Return the ids of all responses, in order."""
    rows = connection.execute(
        "select response_id from messages where response_id is not null union select response_id from iterations"
    )
    return [response for (response,) in rows]


def delete_all_facts(connection: sqlite3.Connection) -> None:
    """Delete all tool pairs and responses."""
    connection.execute("delete from tool_pairs")
    connection.execute("delete from responses")


def replace_plain_pairs(connection: sqlite3.Connection, calls: Sequence[str]) -> tuple[set[int], list[str]]:
    """Replace the pairs of some calls; return the sessions of the old and new ones, and the calls still without pairs.

    These are the calls that several entries hold or answer: which of them belong together is not decided here.
    """
    given = {"calls": encode_ids(calls)}
    sessions = {session for (session,) in connection.execute(load("derive/delete_pairs"), given)}
    repeated = [call for (call,) in connection.execute(load("derive/repeated_calls"), given)]
    if repeated:
        given = {"calls": encode_ids(sorted(set(calls).difference(repeated)))}
    sessions.update(session for (session,) in connection.execute(load("derive/insert_pairs"), given))
    return sessions, repeated


def calls_and_results(
    connection: sqlite3.Connection, calls: Iterable[str]
) -> Iterator[tuple[str, int, list[Row], list[Row]]]:
    """Give the calls with some ids and their results (entry, idx, thread, at) by id and session, both by time."""
    found = connection.execute(load("derive/calls_and_results"), {"calls": encode_ids(calls)})
    for (call, session), rows in groupby(found, key=itemgetter(0, 1)):
        both: tuple[list[Row], list[Row]] = ([], [])
        for _, _, is_result, *held in rows:
            both[is_result].append(tuple(held))
        yield call, session, *both


def insert_pairs(connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """Insert the pairs of calls that have none."""
    connection.executemany(insert_into("tool_pairs"), rows)


def set_outcomes(connection: sqlite3.Connection, calls: Iterable[str]) -> None:
    """Set outcome and duration of the pairs of some calls."""
    connection.execute(load("derive/set_outcomes"), {"calls": encode_ids(calls)})


def response_parts(connection: sqlite3.Connection, responses: Iterable[str]) -> Iterator[tuple[str, list[Row]]]:
    """Give some responses with the entries that are parts of them, by time."""
    found = connection.execute(load("derive/response_parts"), {"responses": encode_ids(responses)})
    for response, rows in groupby(found, key=itemgetter(0)):
        yield response, [row[1:] for row in rows]


def iteration_parts(connection: sqlite3.Connection, responses: Iterable[str]) -> Iterator[tuple[str, str, list[Row]]]:
    """Give those of some responses that are iterations: the response each took part in, and its entries by time."""
    found = connection.execute(load("derive/iteration_parts"), {"responses": encode_ids(responses)})
    for (response, parent), rows in groupby(found, key=itemgetter(0, 1)):
        yield response, parent, [row[2:] for row in rows]


def replace_responses(
    connection: sqlite3.Connection, responses: Iterable[str], rows: Iterable[Row]
) -> set[tuple[str, int]]:
    """Make these the rows of some responses; return those that changed, with their sessions before and after."""
    stored = connection.execute(load("derive/responses"), {"responses": encode_ids(responses)})
    before, after = set(stored), set(rows)
    connection.executemany("delete from responses where response_id = ?", (row[:1] for row in before - after))
    connection.executemany(insert_into("responses"), sorted(after - before, key=itemgetter(0)))  # in key order
    return {(row[0], row[2]) for row in before ^ after}


def known_rates(connection: sqlite3.Connection) -> dict[tuple[str, str], tuple[Row, ...]]:
    """Return the stored prices by model and day, the highest tier last."""
    find = f"select {select_columns('model_prices')} from model_prices x order by model, day, above"  # noqa: S608
    rows = connection.execute(find)
    return {key: tuple(row[2:] for row in same) for key, same in groupby(rows, key=itemgetter(0, 1))}


def put_rates(connection: sqlite3.Connection, rates: Mapping[tuple[str, str], Sequence[Row]], version: str) -> None:
    """Add prices, and store the version of the library that they come from."""
    rows = ((*key, *row) for key, same in rates.items() for row in same)
    connection.executemany(insert_into("model_prices", verb="insert or replace"), rows)
    connection.execute("insert or replace into meta values (?, ?)", (_PRICES_VERSION, version))


def rates_version(connection: sqlite3.Connection) -> str | None:
    """Return the version of the library that the prices come from; None: there are no prices."""
    row = connection.execute("select value from meta where key = ?", (_PRICES_VERSION,)).fetchone()
    return None if row is None else str(row[0])


def delete_rates(connection: sqlite3.Connection) -> None:
    """Delete all prices."""
    connection.execute("delete from model_prices")
    connection.execute("delete from meta where key = ?", (_PRICES_VERSION,))


def all_sessions(connection: sqlite3.Connection) -> list[int]:
    """Return every session that objects claim, and those that have totals."""
    rows = connection.execute(
        "select id from session_ids union select session from usage_totals union select session from tool_totals"
    )
    return [session for (session,) in rows]


def replace_totals(
    connection: sqlite3.Connection, sessions: Sequence[int], usage: Iterable[UsageRow], tools: Iterable[ToolUsageRow]
) -> None:
    """Make these the totals of some sessions, and update what sessions are sorted and filtered by."""
    given = {"sessions": json.dumps(sessions)}
    connection.execute(load("derive/session_spans"), given)
    connection.execute(load("derive/session_moves"), given)
    for table, rows in (("usage_totals", usage), ("tool_totals", tools)):
        where = "session in (select value from json_each(:sessions))"
        connection.execute(f"delete from {table} where {where}", given)  # noqa: S608
        as_json = (tuple(_array(value) if isinstance(value, (list, tuple)) else value for value in row) for row in rows)
        connection.executemany(insert_into(table), as_json)


_array = json.JSONEncoder(separators=(",", ":")).encode


QueuedText = tuple[int, str]  # the occurrence of the operation that queued a text, and the text


class RecordedOperation(NamedTuple):
    """A queue operation; `content` is a JSON value, (path, generation, offset) its position."""

    occurrence: int
    operation: str
    at: int
    content: Any
    is_current: int  # 0: only an earlier generation of the file holds it
    path: str
    generation: int
    offset: int


def recorded_operations(
    connection: sqlite3.Connection, sessions: Sequence[int]
) -> Iterator[tuple[int, list[RecordedOperation]]]:
    """Give those of some sessions in which a text was removed from the queue, with their operations."""
    rows = connection.execute(load("derive/queue_operations"), {"sessions": json.dumps(sessions)}).fetchall()
    removing = {session for session, _, operation, *_ in rows if operation in ("remove", "popAll")}
    for session, same in groupby((row for row in rows if row[0] in removing), key=itemgetter(0)):
        yield session, [_operation(row) for row in same]


def _operation(row: Row) -> RecordedOperation:
    _, occurrence, operation, at, payload, *place = row
    try:
        content = json.loads(payload).get("content")  # json_extract ends a text at a NUL
    except (ValueError, RecursionError):  # nested too deep to be text
        content = None
    return RecordedOperation(occurrence, operation, at, content, *place)


def person_texts(connection: sqlite3.Connection, session: int) -> list[Row]:
    """Return the prompts and queued commands of a session: text, instant, whether it is a prompt."""
    rows = connection.execute(load("derive/person_texts"), {"session": session}).fetchall()
    return [row for row in rows if row[0]]


def source_paths(connection: sqlite3.Connection, sources: Iterable[int]) -> dict[int, str]:
    """Return the paths of some sources."""
    find = "select s.id, s.path from json_each(?) j cross join sources s on s.id = j.value"
    return dict(connection.execute(find, (json.dumps(sorted(sources)),)).fetchall())


def replace_queued_words(
    connection: sqlite3.Connection, sessions: Sequence[int], rows: Iterable[Row]
) -> tuple[list[QueuedText], list[QueuedText]]:
    """Make these the rows of some sessions; return the texts that were removed and those added."""
    find = (
        f"select {select_columns('queued_words')} "  # noqa: S608
        "from json_each(?) j cross join queued_words x on x.session = j.value"
    )
    before, after = set(connection.execute(find, (json.dumps(sessions),))), set(rows)
    connection.executemany("delete from queued_words where occurrence = ?", [row[:1] for row in before - after])
    connection.executemany(insert_into("queued_words"), sorted(after - before))
    old, new = ({(row[0], row[3]) for row in same} for same in (before, after))
    return sorted(old - new), sorted(new - old)
