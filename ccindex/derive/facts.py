"""Changed entries, calls and responses to tool pairs, responses with cost, usage totals and queued words."""

import json
import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from ccindex.facts.queued_words import Operation, Removed, Standing, removed_from
from ccindex.facts.responses import Part, Rates, Response, cost, list_prices, prices_version, response_of
from ccindex.facts.tool_calls import Held, pair
from ccindex.facts.usage_totals import EntryGroup, ResponseUsage, ToolCall, tool_rows, usage_rows
from ccindex.graph.build import FamilyGraph
from ccindex.model.derived import ToolPair
from ccindex.model.graph import NONE
from ccindex.model.recorded import Content, Words
from ccindex.model.usage_rows import DAY_MS
from ccindex.read.content import content_of, text_of
from ccindex.read.search_text import words_of
from ccindex.read.text_tags import plain_words, within
from ccindex.read.tool_outcomes import is_notification
from ccindex.store import facts as store
from ccindex.store.create import add_search_texts, remove_search_text
from ccindex.store.rows import Row
from ccindex.store.sql_files import load

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BATCH_IDS = 5_000
_BATCH_SESSIONS = 500  # whose calls are in memory together


def derive_facts(
    connection: sqlite3.Connection, entries: Iterable[int], *, calls: Iterable[str], responses: Collection[str]
) -> set[int]:
    """Derive the tool pairs and responses that some entries take part in, and some others; return their sessions."""
    changed_calls, changed_responses = store.changed_ids(connection, entries, responses)
    changed_calls.update(calls)
    sessions: set[int] = set()
    if changed_calls:
        sessions |= derive_pairs(connection, sorted(changed_calls))
    if changed_responses:
        sessions |= derive_responses(connection, sorted(changed_responses))
    return sessions


def derive_all_facts(connection: sqlite3.Connection) -> None:
    """Derive all tool pairs and responses, at today's prices."""
    store.delete_all_facts(connection)
    derive_pairs(connection, store.all_calls(connection))
    reprice(connection)


def reprice(connection: sqlite3.Connection) -> int:
    """Derive all responses at today's prices; return how many there are."""
    store.delete_rates(connection)
    responses = store.all_responses(connection)
    derive_responses(connection, responses)
    return len(responses)


def derive_pairs(connection: sqlite3.Connection, calls: Sequence[str]) -> set[int]:
    """Replace the pairs of some calls; return the sessions that have or had one."""
    sessions: set[int] = set()
    for start in range(0, len(calls), _BATCH_IDS):
        batch = calls[start : start + _BATCH_IDS]
        affected, repeated = store.replace_plain_pairs(connection, batch)
        sessions |= affected
        rows = []
        for call, session, uses, results in store.calls_and_results(connection, repeated) if repeated else ():
            use, result = pair(list(map(Held._make, uses)), list(map(Held._make, results)))
            at = next(held.at for held in (use, result) if held is not None)
            rows.append(ToolPair(call, session, *_entry_and_idx(use), *_entry_and_idx(result), at))
            sessions.add(session)
        store.insert_pairs(connection, rows)
        store.set_outcomes(connection, batch)
    return sessions


def _entry_and_idx(held: Held | None) -> tuple[int | None, int | None]:
    return (None, None) if held is None else (held.entry, held.idx)


def derive_responses(connection: sqlite3.Connection, responses: Sequence[str]) -> set[int]:
    """Replace some responses; return the sessions whose totals this changes."""
    prices = Prices(connection)
    sessions: set[int] = set()
    for start in range(0, len(responses), _BATCH_IDS):
        batch = responses[start : start + _BATCH_IDS]
        iterations = list(store.iteration_parts(connection, batch))
        # an iteration belongs to the entry of the response that it took part in
        wanted = {*batch, *(parent for _, parent, _ in iterations)}
        parts_of = {
            response: list(map(Part._make, parts)) for response, parts in store.response_parts(connection, wanted)
        }
        found = {response: response_of(parts) for response, parts in parts_of.items()}
        rows = [(response, *_response_row(whole, prices), None) for response, whole in found.items()]
        for response, parent, parts in iterations:
            if response not in found:  # a message may have the same id
                part = response_of(list(map(Part._make, parts)))
                rows.append((response, *_response_row(part.at_home_of(found[parent]), prices), parent))
        for response, session in store.replace_responses(connection, wanted, rows):
            sessions.add(session)
            # parts in other sessions are counted by its model, too
            sessions.update(part.session for part in parts_of.get(response, ()))
    if prices.replaced_others:  # the responses derived before have other prices
        sessions |= derive_responses(connection, store.all_responses(connection))
    return sessions


def _response_row(found: Response, prices: "Prices") -> tuple[object, ...]:
    *head, usage, is_final = found
    return *head, *usage, is_final, cost(usage, prices.of(found.model, found.at))


class Prices:
    """Prices by model and day; the library, which loads slowly, is asked only for those that are not stored."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known = {key: tuple(map(Rates._make, rows)) for key, rows in store.known_rates(connection).items()}
        self._days: dict[int, str] = {}
        self._is_checked = False
        self.replaced_others = False

    def of(self, model: str | None, at: int) -> tuple[Rates, ...]:
        """Return the rates of a model on the day of an instant."""
        key = (model or "", self._day(at))
        if key not in self._known:
            self._check_version()
            self._known[key] = list_prices(*key)
            store.put_rates(self._connection, {key: self._known[key]}, prices_version())
        return self._known[key]

    def _day(self, at: int) -> str:
        number = at // DAY_MS
        if number not in self._days:
            self._days[number] = _date_of(at)
        return self._days[number]

    def _check_version(self) -> None:
        """Delete all prices if they come from another version of the library."""
        if self._is_checked:
            return
        self._is_checked = True
        if store.rates_version(self._connection) not in (None, prices_version()):
            store.delete_rates(self._connection)
            self._known.clear()
            self.replaced_others = True


def _date_of(at: int) -> str:
    try:
        return (_EPOCH + timedelta(milliseconds=at)).date().isoformat()
    except OverflowError:  # the last hours of the calendar, with an offset
        return _EPOCH.date().isoformat()


def count_totals(connection: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Replace the totals of some sessions."""
    ordered = sorted(sessions)
    for start in range(0, len(ordered), _BATCH_SESSIONS):
        batch = ordered[start : start + _BATCH_SESSIONS]
        given = {"sessions": json.dumps(batch)}
        entries = map(EntryGroup._make, connection.execute(load("derive/counted_entries"), given))
        responses = map(ResponseUsage._make, connection.execute(load("derive/counted_responses"), given))
        calls = map(ToolCall._make, connection.execute(load("derive/counted_calls"), given))
        store.replace_totals(connection, batch, usage_rows(entries, responses), tool_rows(calls))


def count_all_totals(connection: sqlite3.Connection) -> None:
    """Replace the totals of all sessions."""
    count_totals(connection, store.all_sessions(connection))


_Key = tuple[int, str, int, int]  # instant, path, generation, offset


def index_queued_words(
    connection: sqlite3.Connection, removed: Sequence[store.QueuedText], added: Sequence[store.QueuedText]
) -> None:
    """Update the full-text table, where the rowid of a queued text is the negative number of its operation."""
    for occurrence, text in removed:
        remove_search_text(connection, -occurrence, _words(text))
    add_search_texts(connection, [(-occurrence, *_words(text)) for occurrence, text in added])


def _words(text: str) -> Words:
    words = words_of("prompt", Content(), text, is_typed=True)
    assert words is not None
    return words


def queued_word_rows(connection: sqlite3.Connection, graph: FamilyGraph, sessions: Sequence[int]) -> Iterator[Row]:
    """Give the rows of some sessions, with the trunk entry that each text stands behind or before."""
    found: dict[int, list[tuple[Removed, _Key]]] = {}
    for session, recorded in store.recorded_operations(connection, sessions):
        keys_of = {item.occurrence: (item.at, item.path, item.generation, item.offset) for item in recorded}
        removed = _removed(connection, session, recorded)
        if removed:
            found[session] = [(item, keys_of[item.occurrence]) for item in removed]
    trunks = _trunks(connection, graph, found.keys())
    for session, items in found.items():
        keys, entries = trunks[session]
        for item, key in items:
            place = bisect_right(keys, key)
            entry = entries[max(place - 1, 0)] if entries else None
            yield (*_columns(session, item, entry), int(place == 0))


def _columns(session: int, item: Removed, entry: int | None) -> Row:
    return item.occurrence, session, entry, item.text, item.at, item.removed_by, item.removed_at


def _removed(
    connection: sqlite3.Connection, session: int, recorded: Sequence[store.RecordedOperation]
) -> list[Removed]:
    operations = [Operation(item.occurrence, item.operation, item.at, _text(item.content)) for item in recorded]
    texts = [
        (form, at, is_prompt)
        for text, at, is_prompt in store.person_texts(connection, session)
        for form in _forms(text)
    ]
    prompts = Standing((text, at) for text, at, is_prompt in texts if is_prompt)
    anywhere = Standing((text, at) for text, at, _ in texts)
    # operations that a rewrite of the file left out do not change the result of the current ones
    current = [operation for operation, item in zip(operations, recorded, strict=True) if item.is_current]
    removed = {item.occurrence: item for item in removed_from(current, prompts)}
    if len(current) < len(operations):
        removed = {item.occurrence: item for item in removed_from(operations, prompts)} | removed
    return [
        item
        for item in removed.values()
        if _is_persons(item.text) and not any(anywhere.holds(form, item.at) for form in _forms(item.text))
    ]


def _forms(text: str) -> set[str]:
    """Return a text as recorded, without context and tags, and without the tags of a shell command."""
    return {text, plain_words(text), within(text, "bash-input") or text}


def _text(content: Any) -> str | None:
    return text_of(content_of(content).content).strip() or None


def _is_persons(text: str) -> bool:
    """Return whether a queued text is a person's, and not a notification as text or as JSON."""
    if is_notification(text):
        return False
    if not text.startswith("{"):
        return True
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return True
    return not (isinstance(value, dict) and "task_id" in value)


def _trunks(
    connection: sqlite3.Connection, graph: FamilyGraph, sessions: Collection[int]
) -> dict[int, tuple[list[_Key], list[int]]]:
    """Return the entries on lines of each session's trunk thread, with their keys, by time."""
    links, line_of = graph.links, graph.forest.line_of
    own: defaultdict[int, list[int]] = defaultdict(list)
    for index, node in enumerate(links.nodes):
        if node.session in sessions and line_of[index] != NONE and not links.is_agent(index):
            own[node.session].append(index)
    paths = store.source_paths(connection, {links.nodes[index].source for same in own.values() for index in same})
    found = {}
    for session in sessions:
        nodes = [links.nodes[index] for index in own[session]]
        keys = [(node.at, paths[node.source], node.generation, node.offset) for node in nodes]
        found[session] = keys, [node.entry for node in nodes]
    return found
