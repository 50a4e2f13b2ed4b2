"""Derive tool pairs, responses with their cost, usage totals and queued text from changed entries."""

import json
import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ccindex.facts.queued_words import EntryTexts, QueueOperation, RemovedText, find_removed
from ccindex.facts.responses import (
    Rates,
    Response,
    ResponseFragment,
    combine_fragments,
    estimate_cost,
    list_prices,
    prices_version,
)
from ccindex.facts.tool_calls import ToolBlock, call_outcome, pair_blocks
from ccindex.facts.usage_totals import EntryGroup, ResponseUsage, ToolCall, quarter_hour, sum_tool_calls, sum_usage
from ccindex.model.derived import ToolPair
from ccindex.model.graph import NONE
from ccindex.model.recorded import Content, SearchText
from ccindex.model.usage_rows import DAY_MS, QUARTER_HOUR_MS
from ccindex.read.content import joined_text, texts_of
from ccindex.read.search_text import build_search_text
from ccindex.read.text_tags import element_text, strip_tags
from ccindex.read.tool_outcomes import is_notification
from ccindex.store import facts as store
from ccindex.store.create import add_search_texts, remove_search_text
from ccindex.store.rows import Row
from ccindex.store.sql_files import load

if TYPE_CHECKING:
    from ccindex.graph.build import FamilyGraph

Instant = tuple[int, int | None]  # session, timestamp_ms

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BATCH_IDS = 5_000
_BATCH_SPANS = 500  # quarter hours
_BATCH_SESSIONS = 500  # the calls of this many sessions are held in memory at once


def derive_facts(
    connection: sqlite3.Connection, entries: Iterable[int], *, calls: Iterable[str], responses: Collection[str]
) -> set[Instant]:
    """Derive the tool pairs and responses that involve the given entries or ids.

    Return the instants whose totals may change.
    """
    changed_calls, changed_responses = store.changed_ids(connection, entries, responses)
    changed_calls.update(calls)
    instants: set[Instant] = set()
    if changed_calls:
        instants |= derive_pairs(connection, sorted(changed_calls))
    if changed_responses:
        instants |= derive_responses(connection, sorted(changed_responses))
    return instants


def derive_all_facts(connection: sqlite3.Connection) -> None:
    """Derive all tool pairs and responses, with current prices."""
    store.replace_all(connection, "tool_pairs", _pairs(connection, None))
    reprice(connection)


def reprice(connection: sqlite3.Connection) -> int:
    """Derive all responses again at current prices; return how many there are."""
    store.delete_prices(connection)
    return store.replace_all(connection, "responses", _all_responses(connection))


def _all_responses(connection: sqlite3.Connection) -> Iterator[Row]:
    """Yield the rows of all responses."""
    prices = Prices(connection)
    iterations = list(store.load_iteration_parts(connection, None))
    named = {response for response, *_ in iterations}.union(parent for _, parent, _ in iterations)
    whole: dict[str, Response] = {}
    for response, parts in store.load_response_parts(connection, None):
        item = combine_fragments(list(map(ResponseFragment._make, parts)))
        if response in named:
            whole[response] = item
        yield response, *_response_row(item, prices), None
    yield from _iteration_rows(iterations, whole, prices)


def derive_pairs(connection: sqlite3.Connection, calls: Sequence[str]) -> set[Instant]:
    """Replace the pairs of the given calls; return the instants of old and new pairs."""
    instants: set[Instant] = set()
    for start in range(0, len(calls), _BATCH_IDS):
        batch = calls[start : start + _BATCH_IDS]
        instants |= store.delete_pairs(connection, batch)
        pairs = list(_pairs(connection, batch))
        store.insert_pairs(connection, pairs)
        instants.update((pair.session, pair.timestamp_ms) for pair in pairs)
    return instants


def _pairs(connection: sqlite3.Connection, calls: Sequence[str] | None) -> Iterator[ToolPair]:
    """Yield the pairs of the given calls, or of all calls if `calls` is None."""
    for call, session, uses, results in store.load_calls_and_results(connection, calls):
        use, result = pair_blocks(list(map(ToolBlock._make, uses)), list(map(ToolBlock._make, results)))
        timestamp_ms = next(block.timestamp_ms for block in (use, result) if block is not None)
        # includes the time spent waiting for permission
        duration_ms = None if use is None or result is None else result.timestamp_ms - timestamp_ms
        blocks = (*_entry_and_idx(use), *_entry_and_idx(result))
        yield ToolPair(call, session, *blocks, timestamp_ms, duration_ms, str(call_outcome(result)))


def _entry_and_idx(block: ToolBlock | None) -> tuple[int | None, int | None]:
    return (None, None) if block is None else (block.entry, block.idx)


def derive_responses(connection: sqlite3.Connection, responses: Sequence[str]) -> set[Instant]:
    """Replace the given responses; return the instants whose totals change."""
    prices = Prices(connection)
    instants: set[Instant] = set()
    for start in range(0, len(responses), _BATCH_IDS):
        batch = responses[start : start + _BATCH_IDS]
        iterations = list(store.load_iteration_parts(connection, batch))
        needed = {*batch, *(parent for _, parent, _ in iterations)}
        parts_of = {
            response: list(map(ResponseFragment._make, parts))
            for response, parts in store.load_response_parts(connection, needed)
        }
        whole = {response: combine_fragments(parts) for response, parts in parts_of.items()}
        rows = [(response, *_response_row(item, prices), None) for response, item in whole.items()]
        rows += _iteration_rows(iterations, whole, prices)
        for response, session, timestamp_ms in store.replace_responses(connection, needed, rows):
            instants.add((session, timestamp_ms))
            # entries that are parts of the response, and their calls, are counted under the response's model
            instants.update((part.session, part.timestamp_ms) for part in parts_of.get(response, ()))
    if prices.replaced_others:  # responses that were derived earlier have outdated prices
        store.replace_all(connection, "responses", _all_responses(connection))
        instants.update(store.response_instants(connection))
    return instants


def _iteration_rows(
    iterations: Iterable[tuple[str, str, list[Row]]], whole: Mapping[str, Response], prices: "Prices"
) -> Iterator[Row]:
    """Yield the rows of iterations; `whole`: their parent responses, and all responses with the id of an iteration."""
    for response, parent, parts in iterations:
        if response not in whole:  # a message may have the same id as an iteration
            part = combine_fragments(list(map(ResponseFragment._make, parts)))
            # an iteration belongs to the entry of its parent response
            yield response, *_response_row(part.with_entry_of(whole[parent]), prices), parent


def _response_row(response: Response, prices: "Prices") -> tuple[object, ...]:
    *head, usage, is_final = response
    return *head, *usage, is_final, estimate_cost(usage, prices.lookup(response.model, response.timestamp_ms))


class Prices:
    """Prices by model and day; the price library, which loads slowly, is used only for prices that are not stored."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known = {key: tuple(map(Rates._make, rows)) for key, rows in store.load_prices(connection).items()}
        self._days: dict[int, str] = {}
        self._is_checked = False
        self.replaced_others = False

    def lookup(self, model: str | None, timestamp_ms: int) -> tuple[Rates, ...]:
        """Return a model's prices on the day of a timestamp."""
        key = (model or "", self._day(timestamp_ms))
        if key not in self._known:
            self._check_version()
            self._known[key] = list_prices(*key)
            store.add_prices(self._connection, {key: self._known[key]}, prices_version())
        return self._known[key]

    def _day(self, timestamp_ms: int) -> str:
        number = timestamp_ms // DAY_MS
        if number not in self._days:
            self._days[number] = _format_date(timestamp_ms)
        return self._days[number]

    def _check_version(self) -> None:
        """Delete all stored prices if they come from another version of the price library."""
        if self._is_checked:
            return
        self._is_checked = True
        if store.load_prices_version(self._connection) not in (None, prices_version()):
            store.delete_prices(self._connection)
            self._known.clear()
            self.replaced_others = True


def _format_date(timestamp_ms: int) -> str:
    try:
        return (_EPOCH + timedelta(milliseconds=timestamp_ms)).date().isoformat()
    except OverflowError:  # a time zone offset can move the last hours of year 9999 past the end of the calendar
        return _EPOCH.date().isoformat()


def count_totals(connection: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Replace the totals of the given sessions."""
    ordered = sorted(sessions)
    for start in range(0, len(ordered), _BATCH_SESSIONS):
        batch = ordered[start : start + _BATCH_SESSIONS]
        params = {"sessions": json.dumps(batch)}
        entries = map(EntryGroup._make, connection.execute(load("derive/counted_entries"), params))
        responses = map(ResponseUsage._make, connection.execute(load("derive/counted_responses"), params))
        calls = map(ToolCall._make, connection.execute(load("derive/counted_calls"), params))
        store.replace_totals(connection, batch, sum_usage(entries, responses), sum_tool_calls(calls))


def recount_quarter_hours(connection: sqlite3.Connection, instants: Iterable[Instant]) -> None:
    """Replace the totals of the quarter hours that contain the given instants."""
    quarter_hours = {(session, quarter_hour(instant)) for session, instant in instants}
    # quarter hour 0 and unknown times share timestamps, so sessions that have them are counted as a whole
    whole = {session for session, quarter in quarter_hours if not quarter}
    count_totals(connection, whole)
    spans = sorted((session, quarter) for session, quarter in quarter_hours if quarter and session not in whole)
    for start in range(0, len(spans), _BATCH_SPANS):
        batch = spans[start : start + _BATCH_SPANS]
        ranges = [(session, QUARTER_HOUR_MS * number, QUARTER_HOUR_MS * (number + 1)) for session, number in batch]
        params = {"spans": json.dumps(ranges)}
        entries = map(EntryGroup._make, connection.execute(load("derive/recounted_entries"), params))
        responses = map(ResponseUsage._make, connection.execute(load("derive/recounted_responses"), params))
        calls = map(ToolCall._make, connection.execute(load("derive/recounted_calls"), params))
        usage, tools = sum_usage(entries, responses), sum_tool_calls(calls)
        store.replace_quarter_hours(connection, batch, usage, tools)


def count_all_totals(connection: sqlite3.Connection) -> None:
    """Replace the totals of all sessions."""
    count_totals(connection, store.all_sessions(connection))


_Key = tuple[int, str, int, int]  # timestamp_ms, path, generation, offset


def index_queued_words(
    connection: sqlite3.Connection, removed: Sequence[store.QueuedText], added: Sequence[store.QueuedText]
) -> None:
    """Update the full-text table; the rowid of queued text is the negated id of its enqueue operation."""
    for occurrence, text in removed:
        remove_search_text(connection, -occurrence, _search_text(text))
    add_search_texts(connection, [(-occurrence, *_search_text(text)) for occurrence, text in added])


def _search_text(text: str) -> SearchText:
    search_text = build_search_text("prompt", Content(), text, is_typed=True)
    assert search_text is not None
    return search_text


def queued_word_rows(connection: sqlite3.Connection, graph: "FamilyGraph", sessions: Sequence[int]) -> Iterator[Row]:
    """Yield one row per queued text, with the last trunk-thread entry before it or, if there is none, the first one."""
    removed_by_session: dict[int, list[tuple[RemovedText, _Key]]] = {}
    for session, recorded in store.load_queue_operations(connection, sessions):
        keys_of = {item.occurrence: (item.timestamp_ms, item.path, item.generation, item.offset) for item in recorded}
        removed = _find_removed(connection, session, recorded)
        if removed:
            removed_by_session[session] = [(item, keys_of[item.occurrence]) for item in removed]
    trunks = _load_trunks(connection, graph, removed_by_session.keys())
    for session, items in removed_by_session.items():
        keys, entries = trunks[session]
        for item, key in items:
            index = bisect_right(keys, key)
            entry = entries[max(index - 1, 0)] if entries else None
            yield (*_columns(session, item, entry), int(index == 0))


def _columns(session: int, item: RemovedText, entry: int | None) -> Row:
    return item.occurrence, session, entry, item.text, item.timestamp_ms, item.removed_by, item.removed_ms


def _find_removed(
    connection: sqlite3.Connection, session: int, recorded: Sequence[store.RecordedOperation]
) -> list[RemovedText]:
    """Return the text that a person typed, that was removed from the queue, and that no entry contains."""
    operations = [
        QueueOperation(item.occurrence, item.operation, item.timestamp_ms, _text(item.content)) for item in recorded
    ]
    texts = [
        (form, timestamp_ms, is_prompt)
        for text, timestamp_ms, is_prompt in store.load_person_texts(connection, session)
        for form in _forms(text)
    ]
    prompts = EntryTexts((text, timestamp_ms) for text, timestamp_ms, is_prompt in texts if is_prompt)
    anywhere = EntryTexts((text, timestamp_ms) for text, timestamp_ms, _ in texts)
    # operations that a rewritten file no longer contains must not change the result for current operations
    current = [operation for operation, item in zip(operations, recorded, strict=True) if item.is_current]
    removed = {item.occurrence: item for item in find_removed(current, prompts)}
    if len(current) < len(operations):
        removed = {item.occurrence: item for item in find_removed(operations, prompts)} | removed
    return [
        item
        for item in removed.values()
        if _is_typed_text(item.text)
        and not any(anywhere.contains(form, item.timestamp_ms) for form in _forms(item.text))
    ]


def _forms(text: str) -> set[str]:
    """Return the recorded forms of a prompt: as is, without context and tags, or without shell command tags."""
    return {text, strip_tags(text), element_text(text, "bash-input") or text}


def _text(content: Any) -> str | None:
    return joined_text(texts_of(content)).strip() or None


def _is_typed_text(text: str) -> bool:
    """Return whether a person typed the queued text; otherwise it is a notification, as text or as JSON."""
    if is_notification(text):
        return False
    if not text.startswith("{"):
        return True
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return True
    return not (isinstance(value, dict) and "task_id" in value)


def _load_trunks(
    connection: sqlite3.Connection, graph: "FamilyGraph", sessions: Collection[int]
) -> dict[int, tuple[list[_Key], list[int]]]:
    """Return, by session, the keys and ids of the entries on lines outside agent threads, in time order."""
    links, line_of = graph.links, graph.forest.line_of
    own: defaultdict[int, list[int]] = defaultdict(list)
    for index, node in enumerate(links.nodes):
        if node.session in sessions and line_of[index] != NONE and not links.is_agent(index):
            own[node.session].append(index)
    paths = store.load_source_paths(
        connection, {links.nodes[index].source for indexes in own.values() for index in indexes}
    )
    trunks = {}
    for session in sessions:
        nodes = [links.nodes[index] for index in own[session]]
        keys = [(node.timestamp_ms, paths[node.source], node.generation, node.offset) for node in nodes]
        trunks[session] = keys, [node.entry for node in nodes]
    return trunks
