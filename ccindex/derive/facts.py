"""Tool pairs, responses with cost, and usage totals, derived for what changed."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from ccindex.facts.responses import Part, Rates, Response, cost, list_prices, prices_version, response_of
from ccindex.facts.tool_calls import Held, pair
from ccindex.model.derived import BILLION, DAY_MS, LONGEST_GAP_MS, MOST, REFUSED, Called, Used, day_of
from ccindex.store import facts as store
from ccindex.store.facts import forget_rates, known_rates, put_rates, rates_version, sessions_of_changed

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Prices:
    """Asks the library, which takes a while to load, only for days that were not asked for before."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known = {key: tuple(map(Rates._make, rows)) for key, rows in known_rates(connection).items()}
        self._days: dict[int, str] = {}
        self._is_checked = False
        self.replaced_others = False

    def of(self, model: str | None, at: int) -> tuple[Rates, ...]:
        """The rates of a model on the day of an instant."""
        key = (model or "", self._day(at))
        if key not in self._known:
            self._check_version()
            self._known[key] = list_prices(*key)
            put_rates(self._connection, {key: self._known[key]}, prices_version())
        return self._known[key]

    def _day(self, at: int) -> str:
        number = at // DAY_MS
        if number not in self._days:
            self._days[number] = _date_of(at)
        return self._days[number]

    def _check_version(self) -> None:
        """Give up all prices that another version of the library told."""
        if self._is_checked:
            return
        self._is_checked = True
        if rates_version(self._connection) not in (None, prices_version()):
            forget_rates(self._connection)
            self._known.clear()
            self.replaced_others = True


def _date_of(at: int) -> str:
    try:
        return (_EPOCH + timedelta(milliseconds=at)).date().isoformat()
    except OverflowError:  # the last hours of the calendar, with an offset
        return _EPOCH.date().isoformat()


_BATCH_KEYS = 5_000


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
    return (keys[start : start + _BATCH_KEYS] for start in range(0, len(keys), _BATCH_KEYS))


_BATCH_SESSIONS = 500  # sessions: their calls are in memory together

_Key = tuple[int, int | None, str | None, str | None]  # session, day, agent, model


def count(connection: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Count anew what some sessions come to."""
    ordered = sorted(sessions)
    for start in range(0, len(ordered), _BATCH_SESSIONS):
        store.choose(connection, ordered[start : start + _BATCH_SESSIONS])
        store.update_sessions(connection)
        store.replace_usage(connection, _used(connection), _called(connection))


def count_all(connection: sqlite3.Connection) -> None:
    """Count anew what all sessions come to."""
    count(connection, store.all_sessions(connection))


def _used(connection: sqlite3.Connection) -> Iterator[Used]:
    counts, spans = _entries(connection)
    took = _took(connection)
    for key in counts | took:
        responses, *tokens, priced, cost = took.get(key, _NOTHING)
        capped = (min(MOST, kind) for kind in tokens)
        values = (counts.get(key, 0), spans.get(key, ()), responses, *capped, priced, *divmod(cost, BILLION))
        yield Used._make((*key, *values))


def _entries(connection: sqlite3.Connection) -> tuple[dict[_Key, int], dict[_Key, list[int]]]:
    """How many entries there are, and the spans they are in."""
    counts: dict[_Key, int] = defaultdict(int)
    spans: dict[_Key, list[int]] = {}
    for session, agent_id, model, first, last, number in store.entries(connection):
        key = session, day_of(first), agent_id, model
        counts[key] += number
        span = spans.setdefault(key, [first, last])
        if first - span[-1] <= LONGEST_GAP_MS:
            span[-1] = max(span[-1], last)
        else:
            span += (first, last)
    return counts, spans


_NOTHING = [0] * 7


def _took(connection: sqlite3.Connection) -> dict[_Key, list[int]]:
    """Responses, tokens in and out, written to and read from the cache; responses that have a price, and that."""
    took: dict[_Key, list[int]] = defaultdict(_NOTHING.copy)
    for session, at, agent_id, model, asked, given, short, long, read, nanodollars in store.responses(connection):
        sums = took[session, day_of(at), agent_id, model]
        sums[0] += 1
        sums[1] += asked
        sums[2] += given
        sums[3] += short + long
        sums[4] += read
        if nanodollars is not None:
            sums[5] += 1
            sums[6] += nanodollars
    return took


class _Went(NamedTuple):
    """A call: when it was, and what became of it; `is_error` is None while it has no result."""

    at: int
    is_error: int | None
    form: str | None
    duration_ms: int | None


def _called(connection: sqlite3.Connection) -> Iterator[Called]:
    calls: dict[tuple[_Key, str], list[_Went]] = defaultdict(list)
    for session, at, agent_id, model, name, *went in store.calls(connection):
        calls[(session, day_of(at), agent_id, model), name].append(_Went(at, *went))
    for (key, name), same in calls.items():
        instants = [went.at for went in same]
        answered = [went for went in same if went.is_error is not None]
        failed = [went.form for went in answered if went.is_error == 1]
        refused = [went.form for went in answered if went.form in REFUSED]
        yield Called(
            *key,
            name,
            len(same),
            len(answered),
            failed=len(failed),
            refused=len(refused),
            rejections=refused.count("rejection"),
            errors=len([form for form in failed if form not in REFUSED]),
            durations=sorted(went.duration_ms for went in answered if went.duration_ms is not None),
            first_at=min(instants),
            last_at=max(instants),
        )
