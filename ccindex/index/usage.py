"""What sessions come to, counted anew for those that changed, so that readers need not."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ccindex.model.usage import BILLION, LONGEST_GAP_MS, MOST, REFUSED, Called, Used, day_of
from ccindex.store import usage as store

_AT_ONCE = 500  # sessions: their calls are in memory together

_Key = tuple[int, int | None, str | None, str | None]  # session, day, agent, model


def count(connection: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Count anew what some sessions come to."""
    ordered = sorted(sessions)
    for start in range(0, len(ordered), _AT_ONCE):
        store.choose(connection, ordered[start : start + _AT_ONCE])
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
    for session, at, agent_id, model, asked, given, short, long, read, cost in store.responses(connection):
        sums = took[session, day_of(at), agent_id, model]
        sums[0] += 1
        sums[1] += asked
        sums[2] += given
        sums[3] += short + long
        sums[4] += read
        if cost is not None:
            sums[5] += 1
            sums[6] += cost
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
