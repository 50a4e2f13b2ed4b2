"""Objects to rows, many at a time: occurrences, and for the first copy of a uuid the entry with its content."""

import sqlite3
from collections.abc import Iterable
from typing import Any

import xxhash

from ccindex.model.facts import Entry, Parsed

from .changes import Changes, Replacement, Taken
from .search import ADD_WORDS, REMOVE_WORDS

# records that say something of their session: its title, what became of a workflow's agent
_TELLING = frozenset({"summary", "ai-title", "custom-title", "started", "result"})

_MOST_CACHED = 100_000

_ENTRY = (
    "insert into entries (id, uuid, occurrence, hash, context, details, revision, type, subtype, kind, form, is_typed, "
    "is_command, is_sidechain, is_meta, is_compact_summary, is_api_error, is_active, timestamp, agent_id, "
    "named_agent_id, tool_use_id, parent_tool_use_id, source_assistant_uuid, text) "
    "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_OWN_COLUMNS = 18  # of Entry: those that are columns of `entries`, in its order

_INSERTS = {
    "contexts": "insert or ignore into contexts values (?, ?, ?, ?, ?, ?, ?, ?)",
    "details": "insert or ignore into details values (?, ?)",
    "ghosts": "insert into entries (id, uuid, is_typed, is_command, is_sidechain, is_meta, is_compact_summary, "
    "is_api_error, revision) values (?, ?, 0, 0, 0, 0, 0, 0, 0)",
    "filled": "delete from entries where id = ?",
    "entries": _ENTRY,
    "occurrences": "insert into occurrences (id, source, generation, line_no, offset, length, hash, entry, session, "
    "type, at, is_stamped, has_parent, is_current, is_owner, is_copy) "
    "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)",
    "edges": "insert into edges values (?, ?, ?)",
    "messages": "insert into messages values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "blocks": "insert into blocks (entry, idx, type, text, byte_size, media_type, details) "
    "values (?, ?, ?, ?, ?, ?, ?)",
    "tool_uses": "insert into tool_uses values (?, ?, ?, ?, ?)",
    "tool_results": "insert into tool_results values (?, ?, ?, ?)",
    "mentions": "insert into mentions values (?, ?, ?)",
    "touches": "insert into touches values (?, ?, ?, ?)",
    "notices": "insert into notices (entry, record, task_id, status) values (?, ?, ?, ?)",
    "search": ADD_WORDS,
    "tool_outcomes": "insert into tool_outcomes values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "records": "insert into records values (?, ?, ?, ?)",
}
_CONTENT_TABLES = (
    *("edges", "messages", "blocks", "tool_uses", "tool_results", "mentions", "tool_outcomes", "touches", "notices"),
)


class Recorder:
    """Writes what was taken, and remembers what that may have changed."""

    def __init__(self, connection: sqlite3.Connection, revision: int) -> None:
        self._connection = connection
        self._revision = revision
        self._next_entry = self._last("entries") + 1
        self._next_occurrence = self._last("occurrences") + 1
        self._ids: dict[str, int] = {}
        self._seen: set[int] = set()
        self._ghosts: set[int] = set()
        self._stored: set[int] = set()
        self._sessions: dict[str, int] = {}
        self._rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in _INSERTS}
        self.entries_added = 0
        self.changes = Changes()

    def record(self, taken: Iterable[Taken]) -> None:
        """Write a batch of objects."""
        batch = list(taken)
        fresh = self._identify(batch)
        for item in batch:
            self._occurrence(item)
        for uuid in fresh:
            entry = self._ids[uuid]
            if entry not in self._seen:
                self._rows["ghosts"].append((entry, uuid))
                self._ghosts.add(entry)
        self._write()
        if len(self._ids) > _MOST_CACHED:
            self._forget()

    def replace(self, replacements: Iterable[Replacement]) -> None:
        """Show another copy's content for some entries."""
        batch = list(replacements)
        uuids = [uuid for item in batch for uuid in _links(item.parsed)]
        fresh = self._look_up(dict.fromkeys(uuids))
        for item in batch:
            self._withdraw(item)
            for table in _CONTENT_TABLES:
                column = "child" if table == "edges" else "entry"
                self._connection.execute(f"delete from {table} where {column} = ?", (item.entry,))  # noqa: S608
            self._rows["filled"].append((item.entry,))
            self._content(item.entry, item.occurrence, item.hash, item.parsed)
        for uuid in fresh:
            self._rows["ghosts"].append((self._ids[uuid], uuid))
            self._ghosts.add(self._ids[uuid])
        self._write()

    def _withdraw(self, item: Replacement) -> None:
        """Take back what an entry said so far, where others may have to look again."""
        changes, values = self.changes, (item.entry,)
        if item.before is not None:
            self._connection.execute(REMOVE_WORDS, (item.entry, *item.before))
        for table in ("tool_uses", "tool_results"):
            found = f"select tool_use_id from {table} where entry = ? and tool_use_id is not null"  # noqa: S608
            changes.calls.update(call for (call,) in self._connection.execute(found, values))
        found = "select response from messages where entry = ? and response is not null"
        changes.responses.update(response for (response,) in self._connection.execute(found, values))

    def move(self, entry: int, occurrence: int) -> None:
        """Let another copy of the same bytes own an entry; that changes it only if it stands elsewhere."""
        self.changes.entries.add(entry)
        (shown,) = self._connection.execute("select occurrence from entries where id = ?", (entry,)).fetchone()
        before = self.changes.dropped.get(entry) or self._standing(shown)
        self._connection.execute("update entries set occurrence = ? where id = ?", (occurrence, entry))
        if before != self._standing(occurrence):
            self.touch((entry,))

    def drop(self, entry: int, occurrence: int) -> None:
        """Remember what an owner that is about to be dropped showed of its entry."""
        self.changes.dropped.setdefault(entry, self._standing(occurrence))

    def _standing(self, occurrence: int) -> tuple[int, ...] | None:
        find = "select source, line_no, at, session from occurrences where id = ?"
        standing: tuple[int, ...] | None = self._connection.execute(find, (occurrence,)).fetchone()
        return standing

    def touch(self, entries: Iterable[int]) -> None:
        """Note that what is shown of some entries changed."""
        rows = ((self._revision, entry) for entry in entries)
        self._connection.executemany("update entries set revision = ?1 where id = ?2 and revision <> ?1", rows)

    def session(self, session_id: str) -> int:
        """Return the number of a session id, made known if need be."""
        known = self._sessions.get(session_id)
        if known is not None:
            return known
        find = "select id from session_ids where session_id = ?"
        row = self._connection.execute(find, (session_id,)).fetchone()
        if row is None:
            make = "insert into session_ids (session_id) values (?) returning id"
            row = self._connection.execute(make, (session_id,)).fetchone()
        self._sessions[session_id] = int(row[0])
        return int(row[0])

    def _identify(self, batch: list[Taken]) -> list[str]:
        """Give every uuid that the batch names a number; return those never named before."""
        named: dict[str, None] = {}
        for item in batch:
            if item.parsed.uuid is not None:
                named[item.parsed.uuid] = None
                named.update(dict.fromkeys(_links(item.parsed)))
        return self._look_up(named)

    def _look_up(self, named: dict[str, None]) -> list[str]:
        unknown = [uuid for uuid in named if uuid not in self._ids]
        if not unknown:
            return []
        self._connection.execute("create temp table if not exists named (uuid text primary key) without rowid")
        self._connection.execute("delete from temp.named")
        self._connection.executemany("insert into temp.named values (?)", ((uuid,) for uuid in unknown))
        found = self._connection.execute(
            "select e.uuid, e.id, e.occurrence is not null from temp.named n join entries e on e.uuid = n.uuid"
        )
        for uuid, entry, is_seen in found:
            self._ids[uuid] = entry
            (self._seen if is_seen else self._ghosts).add(entry)
        fresh = [uuid for uuid in unknown if uuid not in self._ids]
        for uuid in fresh:
            self._ids[uuid] = self._next_entry
            self._next_entry += 1
        return fresh

    def _occurrence(self, item: Taken) -> None:
        parsed = item.parsed
        occurrence, session = self._next_occurrence, self.session(item.session_id)
        self._next_occurrence += 1
        entry, is_owner, is_copy = None, 0, 0
        digest = signed_hash(item.raw)
        if parsed.entry is not None and parsed.uuid is not None:
            entry = self._ids[parsed.uuid]
            self.changes.sessions.add(session)
            is_copy = int(entry in self._seen)
            is_owner = 1 - is_copy
            if is_copy:
                self.changes.contested.add(entry)
            else:
                self._add_entry(entry, occurrence, digest, parsed)
        else:
            self._rows["records"].append((occurrence, parsed.timestamp, parsed.payload, parsed.leaf))
            if parsed.leaf is not None:
                self.changes.leaves.add(parsed.leaf)
            self._rows["notices"].extend((None, occurrence, *notice) for notice in parsed.notices)
            if parsed.type in _TELLING or parsed.notices:
                self.changes.sessions.add(session)
        self._rows["occurrences"].append(
            (
                occurrence,
                item.source,
                item.generation,
                item.line_no,
                item.offset,
                len(item.raw),
                digest,
                entry,
                session,
                parsed.type,
                item.at,
                int(parsed.at is not None),
                int(parsed.entry is not None and parsed.entry.parent is not None),
                is_owner,
                is_copy,
            )
        )

    def _add_entry(self, entry: int, occurrence: int, digest: int, parsed: Parsed) -> None:
        self._seen.add(entry)
        if entry in self._ghosts:
            self._ghosts.discard(entry)
            self._rows["filled"].append((entry,))
        self.entries_added += 1
        self._content(entry, occurrence, digest, parsed)

    def _content(self, entry: int, occurrence: int, digest: int, parsed: Parsed) -> None:
        said = parsed.entry
        assert said is not None
        self.changes.entries.add(entry)
        rows = self._rows
        context = self._context(said)
        details = self._details(said)
        rows["entries"].append(
            (entry, parsed.uuid, occurrence, digest, context, details, self._revision, *said[:_OWN_COLUMNS])
        )
        for kind, uuid in (
            ("parent", said.parent),
            ("logical", said.logical_parent),
            ("forked_from", said.forked_from),
        ):
            if uuid is not None:
                rows["edges"].append((entry, kind, self._ids[uuid]))
        if said.message is not None:
            rows["messages"].append((entry, *said.message))
        if said.outcome is not None:
            rows["tool_outcomes"].append((entry, *said.outcome))
        rows["blocks"].extend((entry, *block) for block in said.content.blocks)
        rows["tool_uses"].extend((entry, *use) for use in said.content.uses)
        rows["tool_results"].extend((entry, *result) for result in said.content.results)
        rows["mentions"].extend((entry, *mention) for mention in said.content.mentions)
        rows["touches"].extend((entry, *touch) for touch in said.content.touches)
        rows["notices"].extend((entry, None, *notice) for notice in said.notices)
        if said.words is not None:
            rows["search"].append((entry, *said.words))

    def _context(self, said: Entry) -> int:
        digest = signed_hash("\0".join("" if part is None else "=" + part for part in said.context).encode())
        if digest not in self._stored:
            self._stored.add(digest)
            self._rows["contexts"].append((digest, *said.context))
        return digest

    def _details(self, said: Entry) -> int | None:
        if said.details is None:
            return None
        digest = signed_hash(said.details.encode())
        if digest not in self._stored:
            self._stored.add(digest)
            self._rows["details"].append((digest, said.details))
        return digest

    def _write(self) -> None:
        for name, statement in _INSERTS.items():
            if self._rows[name]:
                self._connection.executemany(statement, self._rows[name])
                self._rows[name] = []

    def _forget(self) -> None:
        self._ids.clear()
        self._seen.clear()
        self._ghosts.clear()
        self._stored.clear()

    def _last(self, table: str) -> int:
        row = self._connection.execute(f"select coalesce(max(id), 0) from {table}").fetchone()  # noqa: S608
        return int(row[0])


def _links(parsed: Parsed) -> list[str]:
    said = parsed.entry
    assert said is not None
    return [uuid for uuid in (said.parent, said.logical_parent, said.forked_from) if uuid is not None]


def signed_hash(data: bytes) -> int:
    """xxh3-64 as SQLite's signed integer."""
    number: int = xxhash.xxh3_64_intdigest(data)
    return number - (1 << 64) if number >= 1 << 63 else number
