"""Whatever the order of the files and however appends are split, the rows are the same as after a single run."""

import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ccindex.maintain.restore import restore
from ccindex.store.archive import Archive
from ccindex.store.connection import reading
from tests.making.files import Files
from tests.making.hypothesis_settings import examples
from tests.making.indexes import ViewRows, ask, broken, differences, empty_index, everything, index, rebuild
from tests.making.interruptions import ingest_until_killed, small_batches
from tests.making.random_files import TIMESTAMPS, Step, file_trees, final_contents, histories, rewrite_histories
from tests.making.transcripts import Object, line
from tests.reference.entries import Entry
from tests.reference.objects import Occurrence

_STATE_KINDS = ("source-missing", "source-rewritten")


class Workspace:
    """A temporary projects folder and indexes of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "projects"
        self.root.mkdir()
        self._count = 0
        self._clock = 1_700_000_000_000_000_000

    def new_db(self) -> Path:
        self._count += 1
        path = self.folder / f"{self._count}.db"
        path.write_bytes(empty_index())
        return path

    def write_file(self, name: str, data: bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        # set a later mtime, so that a change is noticed even if the size stays the same
        self._clock += 1_000_000_000
        os.utime(path, ns=(self._clock, self._clock))

    def write_files(self, files: Files) -> None:
        for name, data in files.items():
            self.write_file(name, data)

    def run_steps(self, db: Path, steps: list[Step], *, final: bool = True) -> None:
        for step in steps:
            path = self.root / step.name
            if step.replaces or not path.exists():
                self.write_file(step.name, step.data)
            else:
                with path.open("ab") as file:
                    file.write(step.data)
            if step.run == "rebuild":
                rebuild(db)
            elif step.run:
                index(db, path if step.run == "file" else self.root, full=step.run == "full")
        if final:
            index(db, self.root)

    def clean_snapshot(self) -> ViewRows:
        db = self.new_db()
        index(db, self.root)
        return everything(db)

    def copy_db(self, db: Path) -> Path:
        self._count += 1
        return Path(shutil.copy(db, self.folder / f"{self._count}.db"))


@contextmanager
def workspace() -> Iterator[Workspace]:
    with tempfile.TemporaryDirectory() as folder:
        yield Workspace(Path(folder).resolve())


def without_states(snapshot: ViewRows) -> ViewRows:
    """Remove columns and rows that depend on whether the files still exist."""
    rows = dict(snapshot)
    rows["v1_sources"] = [row[:3] + row[4:] for row in snapshot["v1_sources"]]
    rows["v1_diagnostics"] = [row for row in snapshot["v1_diagnostics"] if row[0] not in _STATE_KINDS]
    return rows


@examples(28)
@given(st.data())
def test_any_split_of_appends_gives_the_same_rows_as_one_run(data: st.DataObject) -> None:
    files = data.draw(file_trees())
    steps = data.draw(histories(files))
    with workspace() as work:
        db = work.new_db()
        work.run_steps(db, steps)
        assert final_contents(steps) == files
        assert broken(db) == {}
        assert differences(everything(db), work.clean_snapshot()) == {}


@examples(5)
@given(file_trees(max_lines=2))
def test_a_run_after_every_byte_gives_the_same_rows_as_one_run(files: Files) -> None:
    with workspace() as work:
        db = work.new_db()
        for name, whole in files.items():
            head, tail = whole[:-40], whole[-40:]
            work.run_steps(db, [Step(name, head, "file")])
            work.run_steps(db, [Step(name, bytes([byte]), "file") for byte in tail])
        assert broken(db) == {}
        assert differences(everything(db), work.clean_snapshot()) == {}


@examples(20)
@given(st.data())
def test_any_file_order_gives_the_same_rows_as_one_run(data: st.DataObject) -> None:
    files = data.draw(file_trees())
    order = data.draw(st.permutations(sorted(files)))
    with workspace() as work:
        work.write_files(files)
        db = work.new_db()
        for name in order:
            index(db, work.root / name)
        assert broken(db) == {}
        assert differences(everything(db), work.clean_snapshot()) == {}


@examples(20)
@given(file_trees())
def test_second_run_and_rebuild_change_nothing(files: Files) -> None:
    with workspace() as work:
        work.write_files(files)
        db = work.new_db()
        index(db, work.root)
        previous = everything(db)
        second_run = index(db, work.root)
        assert (second_run.run_id, second_run.bytes_read) == (None, 0)
        assert differences(everything(db), previous) == {}
        assert index(db, work.root, full=True).run_id is None
        rebuild(db)
        assert broken(db) == {}
        assert differences(everything(db), previous) == {}
        assert index(db, work.root).run_id is None


@examples(14)
@given(st.data())
def test_rows_after_rewrites_depend_only_on_the_generations(data: st.DataObject) -> None:
    files = data.draw(file_trees(max_lines=4))
    steps, generations = data.draw(rewrite_histories(files))
    with workspace() as work:
        db = work.new_db()
        work.run_steps(db, steps)
        assert broken(db) == {}
        snapshot = everything(db)
        assert {name: work.root.joinpath(name).read_bytes() for name in files} == {
            name: parts[-1] for name, parts in generations.items()
        }

        copied_db = work.copy_db(db)
        rebuild(copied_db)
        assert differences(everything(copied_db), snapshot) == {}

        clean = work.new_db()
        for number in range(max(map(len, generations.values()))):
            for name, parts in generations.items():
                if number < len(parts):
                    work.write_file(name, parts[number] if len(parts) > 1 else parts[-1])
            index(clean, work.root)
        assert differences(snapshot, everything(clean)) == {}
        _assert_restored(work, db, {name: parts[0] for name, parts in generations.items()}, generation=1)
        _assert_restored(work, db, {name: parts[-1] for name, parts in generations.items()}, generation=None)


@examples(25)
@given(st.data())
def test_deleted_files_become_missing_and_other_rows_do_not_change(data: st.DataObject) -> None:
    files = data.draw(file_trees())
    deleted = data.draw(st.sets(st.sampled_from(sorted(files)), min_size=1))
    with workspace() as work:
        work.write_files(files)
        db = work.new_db()
        index(db, work.root)
        previous = everything(db)
        for name in deleted:
            (work.root / name).unlink()
        assert index(db, work.root).files["missing"] == len(deleted)
        assert broken(db) == {}
        assert differences(without_states(everything(db)), without_states(previous)) == {}
        states = dict(ask(db, "select path, state from v1_sources"))
        assert states == {str(work.root / name): "missing" if name in deleted else "present" for name in files}
        _assert_restored(work, db, files, generation=None)
        rebuild(db)
        assert differences(without_states(everything(db)), without_states(previous)) == {}
        work.write_files({name: files[name] for name in deleted})
        index(db, work.root)
        assert differences(everything(db), previous) == {}


@examples(12)
@given(st.data())
def test_batches_and_interruptions_do_not_change_the_rows(data: st.DataObject) -> None:
    files = data.draw(file_trees())
    steps = data.draw(histories(files))
    with workspace() as work:
        db = work.new_db()
        with small_batches():
            for step in steps:
                work.run_steps(db, [Step(step.name, step.data, "")], final=False)
                if step.run:
                    ingest_until_killed(db, work.root, data.draw(st.integers(0, 6)))
                    assert broken(db) == {}
            index(db, work.root)
        assert broken(db) == {}
        assert differences(everything(db), work.clean_snapshot()) == {}


@examples(10)
@given(st.data())
def test_rebuild_after_interrupted_rewrites_gives_the_same_rows(data: st.DataObject) -> None:
    files = data.draw(file_trees(max_lines=3))
    steps, _ = data.draw(rewrite_histories(files))
    with workspace() as work:
        db = work.new_db()
        with small_batches():
            for step in steps:
                work.run_steps(db, [Step(step.name, step.data, "", replaces=step.replaces)], final=False)
                if step.run:
                    ingest_until_killed(db, work.root, data.draw(st.integers(0, 6)))
                    assert broken(db) == {}
            index(db, work.root)
        snapshot = everything(db)
        rebuild(db)
        assert differences(everything(db), snapshot) == {}


@pytest.mark.parametrize(
    "generations",
    [
        pytest.param(("1\n", "2\n1\n3\n4\n5\n", "6\n"), id="earlier copy is superseded while reading"),
        pytest.param(("1\n2 3\n", ""), id="complete object before a torn one"),
    ],
)
@pytest.mark.parametrize("batches", range(4))
def test_run_after_a_killed_run_gives_the_same_rows_as_a_rebuild(generations: tuple[str, ...], batches: int) -> None:
    with workspace() as work:
        db = work.new_db()
        with small_batches():
            for text in generations:
                work.write_file("-p/s1.jsonl", re.sub("[0-9]", lambda digit: line(f"u{digit.group()}"), text).encode())
                ingest_until_killed(db, work.root, batches)
        index(db, work.root)
        snapshot = everything(db)
        rebuild(db)
        assert differences(everything(db), snapshot) == {}


def test_file_deleted_after_a_killed_run_ends_where_its_archive_ends() -> None:
    with workspace() as work:
        db = work.new_db()
        work.write_file("-p/s1.jsonl", f"{line('u1')}\n{line('u2')}\n".encode())
        with small_batches():
            ingest_until_killed(db, work.root, 0)
        (work.root / "-p/s1.jsonl").unlink()
        index(db, work.root)
        snapshot = everything(db)
        assert ("torn-tail", 2) in ask(db, "select kind, line_no from v1_diagnostics")
        rebuild(db)
        assert differences(everything(db), snapshot) == {}


def test_nesting_limit_is_the_same_for_whole_and_split_objects() -> None:
    deep = [
        b'{"type":"user","uuid":"u%d","text":"\\ud83d","deep":%b%b}' % (depth, b"[" * depth, b"]" * depth)
        for depth in range(900, 1_000, 3)
    ]
    with workspace() as work:
        db = work.new_db()
        parts = [part for text in deep for part in (text, b"\n")]
        work.run_steps(db, [Step("-p/s1.jsonl", part, "root") for part in parts])
        snapshot = everything(db)
        assert differences(snapshot, work.clean_snapshot()) == {}
        rebuild(db)
        assert differences(everything(db), snapshot) == {}


def test_index_agrees_with_the_archive_after_a_torn_tail_was_changed() -> None:
    # only the first and last bytes of a file that grew are compared, so this change counts as an append
    whole = line("u1", message={"role": "user", "content": "a" * 20_000}).encode()
    with workspace() as work:
        db = work.new_db()
        work.write_file("-p/s1.jsonl", whole[:15_000])
        index(db, work.root)
        work.write_file("-p/s1.jsonl", whole.replace(b"a" * 9_000, b"a" * 8_999 + b"b", 1) + b"\n")
        index(db, work.root)
        snapshot = everything(db)
        rebuild(db)
        assert differences(everything(db), snapshot) == {}


def test_rewrite_during_a_run_is_found_by_the_next_run() -> None:
    put = Archive.put_chunk

    with workspace() as work:

        def put_then_rewrite(self: Archive, *arguments: Any) -> None:
            put(self, *arguments)
            work.write_file("-p/s1.jsonl", f"{line('x1')}\n{line('x2')}\n".encode())

        db = work.new_db()
        work.write_file("-p/s1.jsonl", f"{line('u1')}\n".encode())
        with patch.object(Archive, "put_chunk", put_then_rewrite):
            index(db, work.root)
        index(db, work.root)
        rows = ask(db, "select uuid, is_current from v1_occurrences order by uuid")
        assert rows == [("u1", 0), ("x1", 1), ("x2", 1)]


def _assert_restored(work: Workspace, db: Path, files: Files, *, generation: int | None) -> None:
    with tempfile.TemporaryDirectory(dir=work.folder) as name, reading(db) as connection:
        out = Path(name)
        restored, _ = restore(connection, out, requested_path=None, generation=generation, force=False)
        assert sorted(item.path for item in restored) == sorted(str(work.root / name) for name in files)
        below = out / work.root.relative_to("/")
        assert {name: below.joinpath(name).read_bytes() for name in files} == files


# A reference implementation of reading and ownership, simple and without a database.

_ID_COLUMNS = "uuid, session_id, source_path, line_no, byte_offset, byte_length, type, is_owner"
_ENTRY_COLUMNS = "uuid, session_id, kind, is_typed, timestamp_ms, recorded_parent_uuid, source_path, line_no"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _one_entry(*content: Object | str) -> Files:
    value = {"uuid": "u1", "type": "user", "sessionId": "s1", "message": {"role": "user", "content": [*content]}}
    return {"s1.jsonl": json.dumps(value).encode() + b"\n"}


@dataclass(eq=False, slots=True)
class Item:
    """One object with its location, timestamp and session."""

    path: str
    line_no: int
    offset: int
    length: int
    value: Object
    timestamp_ms: int = 0
    session: str = ""

    @property
    def uuid(self) -> str | None:
        return _id(self.value.get("uuid"))

    @property
    def parent(self) -> str | None:
        return _id(self.value.get("parentUuid"))


@examples(50)
@given(file_trees())
@example(_one_entry({"type": "tool_result", "tool_use_id": "t1"}, "a string in a list is no block"))
@example(_one_entry({"type": "tool_result", "tool_use_id": "t1"}, {"type": "image"}))
def test_occurrences_and_entries_match_the_reference_implementation(files: Files) -> None:
    with workspace() as work:
        work.write_files(files)
        db = work.new_db()
        index(db, work.root)
        with _higher_recursion_limit():
            items, malformed = _read({str(work.root / name): data for name, data in files.items()})
        owners = _owners(items)
        assert Counter(ask(db, f"select {_ID_COLUMNS} from v1_occurrences")) == Counter(
            _occurrence_row(item, owners) for item in items
        )
        assert Counter(ask(db, f"select {_ENTRY_COLUMNS} from v1_entries")) == Counter(map(_entry_row, owners.values()))
        assert Counter(
            ask(db, "select source_path, line_no from v1_diagnostics where kind = 'malformed-line'")
        ) == Counter(malformed)


def _occurrence_row(item: Item, owners: dict[str, Item]) -> tuple[Any, ...]:
    uuid, type_ = item.uuid, _text(item.value.get("type"))
    is_owner = int(uuid is not None and owners[uuid] is item)
    return (uuid, item.session, item.path, item.line_no, item.offset, item.length, type_, is_owner)


def _entry_row(item: Item) -> tuple[Any, ...]:
    entry = Entry(Occurrence(item.value, item.path, item.offset, None))
    typed = int(entry.is_typed)
    return (item.uuid, item.session, entry.kind, typed, item.timestamp_ms, item.parent, item.path, item.line_no)


@contextmanager
def _higher_recursion_limit() -> Iterator[None]:
    previous = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(previous)


def _read(files: Files) -> tuple[list[Item], list[tuple[str, int]]]:
    items: list[Item] = []
    malformed: list[tuple[str, int]] = []
    for path, data in files.items():
        if not path.endswith(".jsonl") or "/tool-results/" in path:
            continue
        in_file: list[Item] = []
        offset = 0
        *lines, tail = data.split(b"\n")
        for number, text in enumerate([*lines, tail], 1):
            objects, remainder = _decode_objects(text)
            in_file += [Item(path, number, offset + start, length, value) for start, length, value in objects]
            if remainder and number <= len(lines):
                malformed.append((path, number))
            offset += len(text) + 1
        _fill_gaps(path, in_file)
        items += in_file
    return items, malformed


def _decode_objects(line: bytes) -> tuple[list[tuple[int, int, Object]], str]:
    text = line.decode("utf-8", "surrogateescape")
    decoder = json.JSONDecoder(strict=False, parse_int=lambda digits: int(digits) if len(digits) < 100 else 0)
    # Python's scanner, because the one in C supports only 1,500 levels in Python 3.12.1, whatever the recursion limit
    decoder.scan_once = json.scanner.py_make_scanner(decoder)  # type: ignore[attr-defined]
    objects: list[tuple[int, int, Object]] = []
    start = 0
    while True:
        start += len(text[start:]) - len(text[start:].lstrip(" \t\r\ufeff"))
        if not text[start:].startswith("{"):
            return objects, text[start:]
        try:
            value, end = decoder.raw_decode(text, start)
        except ValueError:
            return objects, text[start:]
        objects.append((_byte_length(text[:start]), _byte_length(text[start:end]), value))
        start = end


def _byte_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _fill_gaps(path: str, in_file: list[Item]) -> None:
    """Set the timestamp and session of each object. Missing values come from the folder or the nearest object."""
    instants = [_instant(item.value.get("timestamp")) for item in in_file]
    sessions = [_id(item.value.get("sessionId")) for item in in_file]
    parts = PurePath(path).parts
    folder = parts[parts.index("subagents") - 1] if "subagents" in parts else None
    for number, item in enumerate(in_file):
        item.timestamp_ms = _nearest(instants, number) or 0
        nearest = _nearest(sessions, number)
        item.session = sessions[number] or folder or nearest or PurePath(path).stem


def _nearest(values: list[Any], number: int) -> Any:
    preceding = [value for value in values[: number + 1] if value is not None]
    following = [value for value in values[number:] if value is not None]
    return preceding[-1] if preceding else following[0] if following else None


def _instant(value: Any) -> int | None:
    return TIMESTAMPS[value] if isinstance(value, str) else None


def _owners(items: list[Item]) -> dict[str, Item]:
    copies: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.uuid is not None:
            copies[item.uuid].append(item)
    claimed = [item for items in copies.values() for item in items]
    unshared = [item for items in copies.values() if len({copy.session for copy in items}) == 1 for item in items]

    def rank(session: str) -> tuple[Any, ...]:
        own = [item.timestamp_ms for item in unshared if item.session == session]
        earliest = min(item.timestamp_ms for item in claimed if item.session == session)
        return (earliest, not own, min(own, default=0), session)

    sizes = Counter(item.path for item in claimed)

    def order(item: Item) -> tuple[Any, ...]:
        is_agent = PurePath(item.path).name.startswith("agent-")
        size = sizes[item.path] if is_agent else 0
        return (rank(item.session), item.parent is None, is_agent, -size, item.path, item.offset)

    return {uuid: min(items, key=order) for uuid, items in copies.items()}


def _id(value: Any) -> str | None:
    """Return a recorded id, with lone surrogates escaped."""
    if not isinstance(value, str) or not value:
        return None
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", value)


def _text(value: Any) -> str | None:
    return _LONE_SURROGATE.sub("\ufffd", value) if isinstance(value, str) and value else None
