"""A family's queue operations to rows of queued words that no entry contains, and to the full-text table."""

import json
import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ccindex.facts.queued_words import Operation, Removed, Standing, removed_from
from ccindex.graph.build import FamilyGraph
from ccindex.model.graph import NONE
from ccindex.model.recorded import Content, Words
from ccindex.read.content import content_of, text_of
from ccindex.read.search_text import words_of
from ccindex.read.text_tags import plain_words, within
from ccindex.read.tool_outcomes import is_notification
from ccindex.store import queued_words as store
from ccindex.store.fts import ADD_SEARCH_TEXT, remove_search_text
from ccindex.store.rows import Row

_Key = tuple[int, str, int, int]  # instant, path, generation, offset


def index_queued_words(
    connection: sqlite3.Connection, removed: Sequence[store.QueuedText], added: Sequence[store.QueuedText]
) -> None:
    """Update the full-text table, where the rowid of a queued text is the negative number of its operation."""
    for occurrence, text in removed:
        remove_search_text(connection, -occurrence, _words(text))
    connection.executemany(ADD_SEARCH_TEXT, [(-occurrence, *_words(text)) for occurrence, text in added])


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
