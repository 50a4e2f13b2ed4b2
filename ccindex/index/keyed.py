"""What is keyed beyond a family and derived again by that key: calls with their results, responses and their cost."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from ccindex.meaning.pairs import Held, pair
from ccindex.meaning.prices import cost
from ccindex.meaning.responses import Part, Response, response_of
from ccindex.store import keyed as store
from ccindex.store.usage import sessions_of_changed

from .prices import Prices

_AT_ONCE = 5_000


def derive_keyed(
    connection: sqlite3.Connection, moved: Iterable[int], calls: Iterable[str], responses: Iterable[str]
) -> set[int]:
    """Derive anew the calls and responses that entries speak of, and those they no longer do.

    The entries are those that temp.changed holds still, and those that moved to another thread. Return the sessions
    that may come to something else now.
    """
    store.changed_entries(connection, moved)
    sessions = sessions_of_changed(connection)
    store.want_calls(connection, calls)
    sessions |= _pair(connection)
    changed = store.changed_responses(connection).union(responses)
    return sessions | _respond(connection, sorted(changed | store.responses_within(connection, changed)))


def derive_all_keyed(connection: sqlite3.Connection) -> None:
    """Derive all calls and responses, at today's prices."""
    store.forget_pairs(connection)
    store.want_all_calls(connection)
    _pair(connection)
    store.forget_responses(connection)
    reprice(connection)


def reprice(connection: sqlite3.Connection) -> int:
    """Derive all responses at today's prices; return how many there are."""
    store.forget_rates(connection)
    responses = store.all_responses(connection)
    _respond(connection, responses)
    return len(responses)


def _pair(connection: sqlite3.Connection) -> set[int]:
    """Pair the calls in temp.wanted; return the sessions that hold or held them."""
    sessions = store.sessions_of_wanted(connection)
    several = store.pair_plain(connection)
    sessions |= store.sessions_of_wanted(connection)
    for some in _batches(several):
        rows = []
        for call, session, uses, results in store.held_calls(connection, some):
            use, result = pair(list(map(Held._make, uses)), list(map(Held._make, results)))
            at = next(held.at for held in (use, result) if held is not None)
            rows.append((call, session, *_place(use), *_place(result), at))
            sessions.add(session)
        store.put_pairs(connection, rows)
    return sessions


def _place(held: Held | None) -> tuple[int | None, int | None]:
    return (None, None) if held is None else (held.entry, held.idx)


def _respond(connection: sqlite3.Connection, responses: Sequence[str]) -> set[int]:
    prices = Prices(connection)
    sessions: set[int] = set()
    for some in _batches(responses):
        iterations = list(store.parts_of_iterations(connection, some))
        # the responses that iterations took part in too: those say where iterations belong
        wanted = {*some, *(parent for _, parent, _ in iterations)}
        parts_of = {
            response: list(map(Part._make, parts)) for response, parts in store.parts_of_responses(connection, wanted)
        }
        found = {response: response_of(parts) for response, parts in parts_of.items()}
        rows = [(response, *_row(whole, prices), None) for response, whole in found.items()]
        for response, parent, parts in iterations:
            if response not in found:  # a message may have the same id
                part = response_of(list(map(Part._make, parts)))
                rows.append((response, *_row(part.at_home_of(found[parent]), prices), parent))
        for response, session in store.put_responses(connection, rows):
            sessions.add(session)
            # its parts elsewhere are counted by its model too
            sessions.update(part.session for part in parts_of.get(response, ()))
    if prices.replaced_others:  # what was priced before was priced otherwise
        sessions |= _respond(connection, store.all_responses(connection))
    return sessions


def _row(found: Response, prices: Prices) -> tuple[object, ...]:
    *head, usage, is_final = found
    return *head, *usage, is_final, cost(usage, prices.of(found.model, found.at))


def _batches(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    return (keys[start : start + _AT_ONCE] for start in range(0, len(keys), _AT_ONCE))
