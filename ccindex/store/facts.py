"""Rows of tool pairs, responses, prices, usage totals, and what is known about spawning calls."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from ccindex.model.derived import Called, Journal, Reply, Spawned, Used
from ccindex.store.family_loader import Loaded, call_of
from ccindex.store.rows import Row
from ccindex.store.sql_files import load
from ccindex.store.temporary import fill

_VERSION = "prices_version"
_RESPONSES = "select x.* from temp.wanted w cross join responses x on x.response_id = w.id"
_DELETE_RESPONSE = "delete from responses where response_id = ?"
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
        "select response_id from messages where response_id is not null union select response_id from iterations"
    )
    return [response for (response,) in rows]


def known_rates(connection: sqlite3.Connection) -> dict[tuple[str, str], tuple[Row, ...]]:
    """The prices in the index by model and day, the highest tier last."""
    rows = connection.execute("select * from model_prices order by model, day, above")
    return {key: tuple(row[2:] for row in same) for key, same in groupby(rows, key=itemgetter(0, 1))}


def put_rates(connection: sqlite3.Connection, rates: Mapping[tuple[str, str], Sequence[Row]], version: str) -> None:
    """Add prices, and say which version of the library told them."""
    rows = ((*key, *row) for key, same in rates.items() for row in same)
    connection.executemany("insert or replace into model_prices values (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.execute("insert or replace into meta values (?, ?)", (_VERSION, version))


def rates_version(connection: sqlite3.Connection) -> str | None:
    """Which version of the library told the prices; None: there are none."""
    row = connection.execute("select value from meta where key = ?", (_VERSION,)).fetchone()
    return None if row is None else str(row[0])


def forget_rates(connection: sqlite3.Connection) -> None:
    """Take all prices out of the index."""
    connection.execute("delete from model_prices")
    connection.execute("delete from meta where key = ?", (_VERSION,))


_INSERT_USED = "insert into usage_totals values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_CALLED = "insert into tool_totals values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def stale_sessions(connection: sqlite3.Connection) -> set[int]:
    """The sessions that `stale_families` found changed."""
    return {session for (session,) in connection.execute("select session from temp.stale")}


def sessions_of_changed(connection: sqlite3.Connection) -> set[int]:
    """The sessions of the entries in temp.changed."""
    return {session for (session,) in connection.execute(load("derive/stale_sessions"))}


def all_sessions(connection: sqlite3.Connection) -> list[int]:
    """Every session that objects claim, and those that were counted."""
    rows = connection.execute(
        "select id from session_ids union select session from usage_totals union select session from tool_totals"
    )
    return [session for (session,) in rows]


def choose(connection: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Let temp.counted hold these sessions, which all else here is about."""
    fill(connection, "counted", sessions)


def entries(connection: sqlite3.Connection) -> sqlite3.Cursor:
    """Give session, instant, agent and model of their entries, by time."""
    return connection.execute(load("derive/counted_entries"))


def responses(connection: sqlite3.Connection) -> sqlite3.Cursor:
    """Give their responses with what they took."""
    return connection.execute(load("derive/counted_responses"))


def calls(connection: sqlite3.Connection) -> sqlite3.Cursor:
    """Give their calls of tools and how they went."""
    return connection.execute(load("derive/counted_calls"))


def replace_usage(connection: sqlite3.Connection, used: Iterable[Used], called: Iterable[Called]) -> None:
    """Let these be the rows of the sessions."""
    connection.execute("delete from usage_totals where session in (select session from temp.counted)")
    connection.executemany(_INSERT_USED, (_listed(row) for row in used))
    connection.execute("delete from tool_totals where session in (select session from temp.counted)")
    connection.executemany(_INSERT_CALLED, (_listed(row) for row in called))


def update_sessions(connection: sqlite3.Connection) -> None:
    """Write where and when they were."""
    connection.execute(load("derive/session_spans"))
    connection.execute(load("derive/session_moves"))


def numbers(listed: bytes | None) -> list[int]:
    """Read what `_listed` wrote; NULL: there are none."""
    return list(map(int, listed.split(b","))) if listed else []


def _listed(row: Used | Called) -> tuple[object, ...]:
    """A row with its numbers, of which there may be many, in one text."""
    return tuple(",".join(map(str, value)) if isinstance(value, (list, tuple)) else value for value in row)


def load_spawned(
    connection: sqlite3.Connection, loaded: Loaded, calls: Iterable[str], agents: Iterable[str], *, workflows: bool
) -> Spawned:
    """Read of a family what concerns some calls and some agents; temp.family holds its sessions still."""
    place, nodes = loaded.index_of, loaded.family.nodes
    found = Spawned()
    fill(connection, "wanted", calls)
    for entry, call, *rest in connection.execute(load("derive/calls_by_id")):
        if entry in place:
            found.calls.add(call, nodes[place[entry]].session, call_of(place[entry], call, *rest))
    for entry, call, *rest in connection.execute(load("derive/replies")):
        if entry in place:
            found.replies.add(call, nodes[place[entry]].session, Reply(place[entry], call, *rest))
    fill(connection, "wanted", agents)
    for session, agent_id, status in connection.execute(load("derive/notices")):
        found.notices.setdefault((session, agent_id), []).append(status)
    if workflows:
        for session, run, agent_id, *said in connection.execute(load("derive/journals")):
            found.journals[session, run, agent_id] = Journal(*said)
    return found
