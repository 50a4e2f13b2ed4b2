"""Calls and responses by their ids: who speaks of them in the whole index, and the rows that were made of that."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from .inserts import Row
from .sqlfiles import load
from .temporary import fill

_VERSION = "prices_version"
_RESPONSES = "select x.* from temp.wanted w cross join responses x on x.response = w.id"
_DELETE_RESPONSE = "delete from responses where response = ?"
_INSERT_RESPONSE = "insert into responses values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def changed_entries(connection: sqlite3.Connection, moved: Iterable[int]) -> None:
    """Let temp.changed, which holds what was recorded anew, hold what has moved too."""
    connection.executemany("insert or ignore into temp.changed values (?)", ((entry,) for entry in moved))


def want_calls(connection: sqlite3.Connection, calls: Iterable[str]) -> None:
    """Let temp.wanted hold some calls, and those that the entries in temp.changed hold or answer."""
    fill(connection, "wanted", calls)
    connection.execute("insert or ignore into temp.wanted " + load("derive/changed_calls"))


def want_all_calls(connection: sqlite3.Connection) -> None:
    """Let temp.wanted hold all calls there are."""
    fill(connection, "wanted", ())
    connection.execute(
        "insert into temp.wanted select tool_use_id from tool_uses where tool_use_id is not null "
        "union select tool_use_id from tool_results where tool_use_id is not null"
    )


def changed_responses(connection: sqlite3.Connection) -> set[str]:
    """The responses that the entries in temp.changed are parts of."""
    return {response for (response,) in connection.execute(load("derive/changed_responses"))}


def responses_within(connection: sqlite3.Connection, responses: Iterable[str]) -> set[str]:
    """The responses of iterations that took part in these."""
    if not _has_iterations(connection):
        return set()
    fill(connection, "wanted", responses)
    return {response for (response,) in connection.execute(load("derive/responses_within"))}


def pair_plain(connection: sqlite3.Connection) -> list[str]:
    """Give up the rows of the calls in temp.wanted and pair those that are held once; return the others."""
    connection.execute("delete from tool_pairs where tool_use_id in (select id from temp.wanted)")
    several = [call for (call,) in connection.execute(load("derive/repeated_calls"))]
    connection.executemany("delete from temp.wanted where id = ?", ((call,) for call in several))
    connection.execute("insert into tool_pairs " + load("derive/pairs"))
    return several


def sessions_of_wanted(connection: sqlite3.Connection) -> set[int]:
    """The sessions that the rows of the calls in temp.wanted are of."""
    find = "select distinct x.session from temp.wanted w cross join tool_pairs x on x.tool_use_id = w.id"
    return {session for (session,) in connection.execute(find)}


def held_calls(connection: sqlite3.Connection, calls: Sequence[str]) -> Iterator[tuple[str, int, list[Row], list[Row]]]:
    """Give by id and session the calls and the results (entry, idx, thread, at), both by time."""
    fill(connection, "wanted", calls)  # as values: JSON text would end an id at a NUL
    found = connection.execute(load("derive/held"))
    for (call, session), rows in groupby(found, key=itemgetter(0, 1)):
        both: tuple[list[Row], list[Row]] = ([], [])
        for _, _, is_result, *held in rows:
            both[is_result].append(tuple(held))
        yield call, session, *both


def parts_of_responses(connection: sqlite3.Connection, responses: Iterable[str]) -> Iterator[tuple[str, list[Row]]]:
    """Give by response the entries that are parts of it, by time."""
    fill(connection, "wanted", responses)
    for response, rows in groupby(connection.execute(load("derive/parts")), key=itemgetter(0)):
        yield response, [row[1:] for row in rows]


def parts_of_iterations(
    connection: sqlite3.Connection, responses: Iterable[str]
) -> Iterator[tuple[str, str, list[Row]]]:
    """Give the responses of iterations among these: the response each took part in, and its entries by time."""
    if not _has_iterations(connection):
        return
    fill(connection, "wanted", responses)
    for (response, parent), rows in groupby(connection.execute(load("derive/iteration_parts")), key=itemgetter(0, 1)):
        yield response, parent, [row[2:] for row in rows]


def _has_iterations(connection: sqlite3.Connection) -> bool:
    return connection.execute("select 1 from iterations limit 1").fetchone() is not None


def put_pairs(connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """Write the rows of calls that have none."""
    connection.executemany("insert into tool_pairs values (?, ?, ?, ?, ?, ?, ?)", rows)


def put_responses(connection: sqlite3.Connection, rows: Iterable[Row]) -> set[tuple[str, int]]:
    """Let these be the rows of the responses in temp.wanted; return those that are others than before, and whose."""
    before, after = set(connection.execute(_RESPONSES)), set(rows)
    connection.executemany(_DELETE_RESPONSE, (row[:1] for row in before - after))
    connection.executemany(_INSERT_RESPONSE, sorted(after - before, key=itemgetter(0)))  # as the table is ordered
    return {(row[0], row[2]) for row in before ^ after}


def forget_pairs(connection: sqlite3.Connection) -> None:
    """Take all pairs out of the index."""
    connection.execute("delete from tool_pairs")


def forget_responses(connection: sqlite3.Connection) -> None:
    """Take all responses out of the index."""
    connection.execute("delete from responses")


def all_responses(connection: sqlite3.Connection) -> list[str]:
    """The ids of all responses."""
    rows = connection.execute(
        "select response from messages where response is not null union select response from iterations"
    )
    return [response for (response,) in rows]


def known_rates(connection: sqlite3.Connection) -> dict[tuple[str, str], tuple[Row, ...]]:
    """The prices in the index by model and day, the highest tier last."""
    rows = connection.execute("select * from rates order by model, day, above")
    return {key: tuple(row[2:] for row in same) for key, same in groupby(rows, key=itemgetter(0, 1))}


def put_rates(connection: sqlite3.Connection, rates: Mapping[tuple[str, str], Sequence[Row]], version: str) -> None:
    """Add prices, and say which version of the library told them."""
    rows = ((*key, *row) for key, same in rates.items() for row in same)
    connection.executemany("insert or replace into rates values (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.execute("insert or replace into meta values (?, ?)", (_VERSION, version))


def rates_version(connection: sqlite3.Connection) -> str | None:
    """Which version of the library told the prices; None: there are none."""
    row = connection.execute("select value from meta where key = ?", (_VERSION,)).fetchone()
    return None if row is None else str(row[0])


def forget_rates(connection: sqlite3.Connection) -> None:
    """Take all prices out of the index."""
    connection.execute("delete from rates")
    connection.execute("delete from meta where key = ?", (_VERSION,))
