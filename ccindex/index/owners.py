"""Which copy owns each uuid that stands in several places, and the entry's content brought in line with it."""

import sqlite3
from collections.abc import Iterator
from operator import itemgetter

from ccindex.model.drafts import Draft
from ccindex.model.facts import Parsed, Words
from ccindex.read.lines import objects_in
from ccindex.read.parse import parse
from ccindex.read.words import words_of
from ccindex.store.archive import Archive
from ccindex.store.changes import Replacement
from ccindex.store.contents import load_said
from ccindex.store.recorded import Recorder
from ccindex.store.sqlfiles import load
from ccindex.store.temporary import fill

from .copies import compare_copies
from .drafting import Drafting

_AT_ONCE = 500


def elect(connection: sqlite3.Connection, recorder: Recorder, archive: Archive) -> None:
    """Elect owners wherever what was recorded since the last election can have changed the outcome."""
    contested, touched = recorder.changes.contested, recorder.changes.sessions
    fill(connection, "contested", contested)
    connection.execute(
        "update occurrences set is_copy = 1 where is_copy = 0 and entry in (select entry from temp.contested)"
    )
    is_reranked = _rerank(connection, touched)
    if is_reranked or contested:
        compare_copies(connection, archive)
    if not _resize(connection, recorder) and not is_reranked and not contested:
        return
    replacements: list[Replacement] = []
    for replacement in _losers(connection, recorder, archive):
        replacements.append(replacement)
        if len(replacements) >= _AT_ONCE:
            recorder.replace(replacements)
            replacements.clear()
    recorder.replace(replacements)


def _rerank(connection: sqlite3.Connection, touched: set[int]) -> bool:
    """Rank the sessions concerned; where a rank changed, all copies of that session are contested."""
    fill(connection, "ranked", touched)
    connection.execute("delete from temp.ranked where session not in (select session from ranks)")
    connection.execute(
        "insert or ignore into temp.ranked "
        "select session from occurrences where entry in (select entry from temp.contested)"
    )
    known = connection.execute("select r.session, first_at, first_own_at from ranks r join temp.ranked using (session)")
    before = set(known)
    # a session that nothing claims any longer has no instant, and no copies to rank
    now = {row for row in connection.execute(load("derive/ranks")) if row[1] is not None}
    changed = sorted(now - before, key=itemgetter(0))
    connection.execute("delete from ranks where session in (select session from temp.ranked)")
    connection.executemany("insert into ranks values (?, ?, ?)", now)
    for session, *_ in changed:
        connection.execute(
            "insert or ignore into temp.contested select entry from occurrences where session = ? and is_copy = 1",
            (session,),
        )
    return bool(changed)


def _resize(connection: sqlite3.Connection, recorder: Recorder) -> bool:
    """Contest the entries whose owner depends on how many objects the changed agent files hold."""
    if recorder.changes.is_all:  # every copy is contested already
        return False
    fill(connection, "resized", recorder.changes.sources)
    cursor = connection.execute("insert or ignore into temp.contested " + load("derive/resized_copies"))
    return cursor.rowcount > 0


def _losers(connection: sqlite3.Connection, recorder: Recorder, archive: Archive) -> Iterator[Replacement]:
    """Point every contested entry at its owner; give those whose content was another copy's."""
    owners = connection.execute(load("derive/owners")).fetchall()
    for entry, occurrence, digest, source, generation, offset, length in owners:
        shown, content = connection.execute("select occurrence, hash from entries where id = ?", (entry,)).fetchone()
        if shown == occurrence and content == digest:
            continue
        connection.execute("update occurrences set is_owner = 0 where entry = ? and is_owner = 1", (entry,))
        connection.execute("update occurrences set is_owner = 1 where id = ?", (occurrence,))
        if content == digest:
            recorder.move(entry, occurrence)
            continue
        raw = archive.slice(source, generation, offset, length)
        [value] = objects_in(raw)
        yield Replacement(entry, occurrence, _drafted(parse(value), digest), _words(connection, entry))


def _drafted(parsed: Parsed, digest: int) -> Draft:
    """The rows of one entry alone."""
    drafting = Drafting()
    drafting.add_entry(parsed, digest)
    return drafting.take()


def _words(connection: sqlite3.Connection, entry: int) -> Words | None:
    """The words that an entry is found by so far."""
    said = load_said(connection, entry)
    return words_of(said.kind, said.content, said.text, is_typed=bool(said.is_typed))
