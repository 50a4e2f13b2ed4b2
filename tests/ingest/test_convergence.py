"""The same answer always: any order of files, any split of appends gives the tables of one clean run."""

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
from hypothesis import given
from hypothesis import strategies as st

from ccindex.maintain.restore import restore
from ccindex.store.archive import Archive
from ccindex.store.connection import reading
from tests.making.files import Files
from tests.making.hypothesis_settings import examples
from tests.making.indexes import Said, ask, broken, differences, empty_index, everything, index, rebuild
from tests.making.interruptions import ingest_until_killed, small_batches
from tests.making.random_files import TIMESTAMPS, Step, histories, joined, rewritings, trees
from tests.making.transcripts import Object, line

_STATE_KINDS = ("source-missing", "source-rewritten")


class Case:
    """A projects folder and indexes of it, gone when the example is over."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "projects"
        self.root.mkdir()
        self._count = 0
        self._clock = 1_700_000_000_000_000_000

    def db(self) -> Path:
        self._count += 1
        path = self.folder / f"{self._count}.db"
        path.write_bytes(empty_index())
        return path

    def put(self, name: str, data: bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        # a change of the same size must not hide in one tick of the clock
        self._clock += 1_000_000_000
        os.utime(path, ns=(self._clock, self._clock))

    def put_all(self, files: Files) -> None:
        for name, data in files.items():
            self.put(name, data)

    def go(self, db: Path, steps: list[Step], *, final: bool = True) -> None:
        for step in steps:
            path = self.root / step.name
            if step.starts or not path.exists():
                self.put(step.name, step.data)
            else:
                with path.open("ab") as file:
                    file.write(step.data)
            if step.run == "rebuild":
                rebuild(db)
            elif step.run:
                index(db, path if step.run == "file" else self.root, full=step.run == "full")
        if final:
            index(db, self.root)

    def clean(self) -> Said:
        db = self.db()
        index(db, self.root)
        return everything(db)

    def copy(self, db: Path) -> Path:
        self._count += 1
        return Path(shutil.copy(db, self.folder / f"{self._count}.db"))


@contextmanager
def case() -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as folder:
        yield Case(Path(folder).resolve())


def without_states(said: Said) -> Said:
    """Leave out what only the state of the files on disk decides."""
    kept = dict(said)
    kept["v1_sources"] = [row[:3] + row[4:] for row in said["v1_sources"]]
    kept["v1_diagnostics"] = [row for row in said["v1_diagnostics"] if row[0] not in _STATE_KINDS]
    return kept


@examples(28)
@given(st.data())
def test_any_split_of_appends_gives_the_tables_of_one_run(data: st.DataObject) -> None:
    files = data.draw(trees())
    steps = data.draw(histories(files))
    with case() as made:
        db = made.db()
        made.go(db, steps)
        assert joined(steps) == files
        assert broken(db) == {}
        assert differences(everything(db), made.clean()) == {}


@examples(5)
@given(trees(most_lines=2))
def test_a_run_after_every_byte_gives_the_tables_of_one_run(files: Files) -> None:
    with case() as made:
        db = made.db()
        for name, whole in files.items():
            head, tail = whole[:-40], whole[-40:]
            made.go(db, [Step(name, head, "file")])
            made.go(db, [Step(name, bytes([byte]), "file") for byte in tail])
        assert broken(db) == {}
        assert differences(everything(db), made.clean()) == {}


@examples(20)
@given(st.data())
def test_any_order_of_files_gives_the_tables_of_one_run(data: st.DataObject) -> None:
    files = data.draw(trees())
    order = data.draw(st.permutations(sorted(files)))
    with case() as made:
        made.put_all(files)
        db = made.db()
        for name in order:
            index(db, made.root / name)
        assert broken(db) == {}
        assert differences(everything(db), made.clean()) == {}


@examples(20)
@given(trees())
def test_a_second_run_and_a_rebuild_change_nothing(files: Files) -> None:
    with case() as made:
        made.put_all(files)
        db = made.db()
        index(db, made.root)
        before = everything(db)
        again = index(db, made.root)
        assert (again.run_id, again.bytes_read) == (None, 0)
        assert differences(everything(db), before) == {}
        assert index(db, made.root, full=True).run_id is None
        rebuild(db)
        assert broken(db) == {}
        assert differences(everything(db), before) == {}
        assert index(db, made.root).run_id is None


@examples(14)
@given(st.data())
def test_rewrites_depend_on_the_generations_alone(data: st.DataObject) -> None:
    files = data.draw(trees(most_lines=4))
    steps, generations = data.draw(rewritings(files))
    with case() as made:
        db = made.db()
        made.go(db, steps)
        assert broken(db) == {}
        said = everything(db)
        assert {name: made.root.joinpath(name).read_bytes() for name in files} == {
            name: parts[-1] for name, parts in generations.items()
        }

        copied = made.copy(db)
        rebuild(copied)
        assert differences(everything(copied), said) == {}

        clean = made.db()
        for number in range(max(map(len, generations.values()))):
            for name, parts in generations.items():
                if number < len(parts):
                    made.put(name, parts[number] if len(parts) > 1 else parts[-1])
            index(clean, made.root)
        assert differences(said, everything(clean)) == {}
        _restores(made, db, {name: parts[0] for name, parts in generations.items()}, generation=1)
        _restores(made, db, {name: parts[-1] for name, parts in generations.items()}, generation=None)


@examples(25)
@given(st.data())
def test_deleted_files_are_missing_and_nothing_else_changes(data: st.DataObject) -> None:
    files = data.draw(trees())
    gone = data.draw(st.sets(st.sampled_from(sorted(files)), min_size=1))
    with case() as made:
        made.put_all(files)
        db = made.db()
        index(db, made.root)
        before = everything(db)
        for name in gone:
            (made.root / name).unlink()
        assert index(db, made.root).files["missing"] == len(gone)
        assert broken(db) == {}
        assert differences(without_states(everything(db)), without_states(before)) == {}
        states = dict(ask(db, "select path, state from v1_sources"))
        assert states == {str(made.root / name): "missing" if name in gone else "present" for name in files}
        _restores(made, db, files, generation=None)
        rebuild(db)
        assert differences(without_states(everything(db)), without_states(before)) == {}
        made.put_all({name: files[name] for name in gone})
        index(db, made.root)
        assert differences(everything(db), before) == {}


@examples(12)
@given(st.data())
def test_batches_and_interruptions_leave_no_trace(data: st.DataObject) -> None:
    files = data.draw(trees())
    steps = data.draw(histories(files))
    with case() as made:
        db = made.db()
        with small_batches():
            for step in steps:
                made.go(db, [Step(step.name, step.data, "")], final=False)
                if step.run:
                    ingest_until_killed(db, made.root, data.draw(st.integers(0, 6)))
                    assert broken(db) == {}
            index(db, made.root)
        assert broken(db) == {}
        assert differences(everything(db), made.clean()) == {}


@examples(10)
@given(st.data())
def test_a_rewrite_in_an_interrupted_run_is_rebuilt_alike(data: st.DataObject) -> None:
    files = data.draw(trees(most_lines=3))
    steps, _ = data.draw(rewritings(files))
    with case() as made:
        db = made.db()
        with small_batches():
            for step in steps:
                made.go(db, [Step(step.name, step.data, "", starts=step.starts)], final=False)
                if step.run:
                    ingest_until_killed(db, made.root, data.draw(st.integers(0, 6)))
                    assert broken(db) == {}
            index(db, made.root)
        said = everything(db)
        rebuild(db)
        assert differences(everything(db), said) == {}


@pytest.mark.parametrize(
    "generations",
    [
        pytest.param(("1\n", "2\n1\n3\n4\n5\n", "6\n"), id="an earlier copy is superseded as it is read"),
        pytest.param(("1\n2 3\n", ""), id="a whole object before a torn one is taken"),
    ],
)
@pytest.mark.parametrize("batches", range(4))
def test_what_a_killed_run_archived_is_indexed_as_a_rebuild_would(generations: tuple[str, ...], batches: int) -> None:
    with case() as made:
        db = made.db()
        with small_batches():
            for text in generations:
                made.put("-p/s1.jsonl", re.sub("[0-9]", lambda digit: line(f"u{digit.group()}"), text).encode())
                ingest_until_killed(db, made.root, batches)
        index(db, made.root)
        said = everything(db)
        rebuild(db)
        assert differences(everything(db), said) == {}


def test_a_file_that_vanished_after_a_killed_run_ends_where_its_archive_does() -> None:
    with case() as made:
        db = made.db()
        made.put("-p/s1.jsonl", f"{line('u1')}\n{line('u2')}\n".encode())
        with small_batches():
            ingest_until_killed(db, made.root, 0)
        (made.root / "-p/s1.jsonl").unlink()
        index(db, made.root)
        said = everything(db)
        assert ("torn-tail", 2) in ask(db, "select kind, line_no from v1_diagnostics")
        rebuild(db)
        assert differences(everything(db), said) == {}


def test_depth_is_judged_alike_wherever_an_object_is_read() -> None:
    deep = [
        b'{"type":"user","uuid":"u%d","text":"\\ud83d","deep":%b%b}' % (depth, b"[" * depth, b"]" * depth)
        for depth in range(900, 1_000, 3)
    ]
    with case() as made:
        db = made.db()
        parts = [part for one in deep for part in (one, b"\n")]
        made.go(db, [Step("-p/s1.jsonl", part, "root") for part in parts])
        said = everything(db)
        assert differences(said, made.clean()) == {}
        rebuild(db)
        assert differences(everything(db), said) == {}


def test_the_index_agrees_with_its_archive_when_a_torn_tail_was_changed() -> None:
    # a file that grew is compared at its edges only, so this passes for an append
    whole = line("u1", message={"role": "user", "content": "a" * 20_000}).encode()
    with case() as made:
        db = made.db()
        made.put("-p/s1.jsonl", whole[:15_000])
        index(db, made.root)
        made.put("-p/s1.jsonl", whole.replace(b"a" * 9_000, b"a" * 8_999 + b"b", 1) + b"\n")
        index(db, made.root)
        said = everything(db)
        rebuild(db)
        assert differences(everything(db), said) == {}


def test_a_rewrite_right_after_the_bytes_were_read_is_seen_by_the_next_run() -> None:
    put = Archive.put_chunk

    with case() as made:

        def put_then_rewrite(self: Archive, *where: Any) -> None:
            put(self, *where)
            made.put("-p/s1.jsonl", f"{line('x1')}\n{line('x2')}\n".encode())

        db = made.db()
        made.put("-p/s1.jsonl", f"{line('u1')}\n".encode())
        with patch.object(Archive, "put_chunk", put_then_rewrite):
            index(db, made.root)
        index(db, made.root)
        found = ask(db, "select uuid, is_current from v1_occurrences order by uuid")
        assert found == [("u1", 0), ("x1", 1), ("x2", 1)]


def _restores(made: Case, db: Path, files: Files, *, generation: int | None) -> None:
    with tempfile.TemporaryDirectory(dir=made.folder) as name, reading(db) as connection:
        out = Path(name)
        restored, _ = restore(connection, out, wanted=None, generation=generation, force=False)
        assert sorted(item.path for item in restored) == sorted(str(made.root / name) for name in files)
        below = out / made.root.relative_to("/")
        assert {name: below.joinpath(name).read_bytes() for name in files} == files


# The oracle: the same rules, written once more without haste and without a database.

_ID_COLUMNS = "uuid, session_id, source_path, line_no, byte_offset, byte_length, type, is_owner"
_ENTRY_COLUMNS = "uuid, session_id, kind, is_typed, timestamp_ms, recorded_parent_uuid, source_path, line_no"
_LONE = re.compile("[\ud800-\udfff]")


@dataclass(eq=False, slots=True)
class Seen:
    """One object at its place, and what it claims."""

    path: str
    line_no: int
    offset: int
    length: int
    value: Object
    at: int = 0
    session: str = ""

    @property
    def uuid(self) -> str | None:
        return _id(self.value.get("uuid"))

    @property
    def parent(self) -> str | None:
        return _id(self.value.get("parentUuid"))


@examples(50)
@given(trees())
def test_occurrences_and_entries_are_those_of_the_oracle(files: Files) -> None:
    with case() as made:
        made.put_all(files)
        db = made.db()
        index(db, made.root)
        with _deeper():
            seen, malformed = _read({str(made.root / name): data for name, data in files.items()})
        owners = _owners(seen)
        assert Counter(ask(db, f"select {_ID_COLUMNS} from v1_occurrences")) == Counter(
            _occurrence(item, owners) for item in seen
        )
        assert Counter(ask(db, f"select {_ENTRY_COLUMNS} from v1_entries")) == Counter(map(_entry, owners.values()))
        assert Counter(
            ask(db, "select source_path, line_no from v1_diagnostics where kind = 'malformed-line'")
        ) == Counter(malformed)


def _occurrence(item: Seen, owners: dict[str, Seen]) -> tuple[Any, ...]:
    uuid, type_ = item.uuid, _text(item.value.get("type"))
    is_owner = int(uuid is not None and owners[uuid] is item)
    return (uuid, item.session, item.path, item.line_no, item.offset, item.length, type_, is_owner)


def _entry(item: Seen) -> tuple[Any, ...]:
    kind = _kind(item.value)
    typed = int(_is_typed(item.value, kind))
    return (item.uuid, item.session, kind, typed, item.at, item.parent, item.path, item.line_no)


@contextmanager
def _deeper() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    yield
    sys.setrecursionlimit(before)


def _read(files: Files) -> tuple[list[Seen], list[tuple[str, int]]]:
    seen: list[Seen] = []
    malformed: list[tuple[str, int]] = []
    for path, data in files.items():
        if not path.endswith(".jsonl") or "/tool-results/" in path:
            continue
        here: list[Seen] = []
        offset = 0
        *lines, tail = data.split(b"\n")
        for number, text in enumerate([*lines, tail], 1):
            found, rest = _objects(text)
            here += [Seen(path, number, offset + start, length, value) for start, length, value in found]
            if rest and number <= len(lines):
                malformed.append((path, number))
            offset += len(text) + 1
        _claim(path, here)
        seen += here
    return seen, malformed


def _objects(line: bytes) -> tuple[list[tuple[int, int, Object]], str]:
    text = line.decode("utf-8", "surrogateescape")
    decoder = json.JSONDecoder(strict=False, parse_int=lambda digits: int(digits) if len(digits) < 100 else 0)
    found: list[tuple[int, int, Object]] = []
    start = 0
    while True:
        start += len(text[start:]) - len(text[start:].lstrip(" \t\r\ufeff"))
        if not text[start:].startswith("{"):
            return found, text[start:]
        try:
            value, end = decoder.raw_decode(text, start)
        except ValueError:
            return found, text[start:]
        found.append((_bytes(text[:start]), _bytes(text[start:end]), value))
        start = end


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _claim(path: str, here: list[Seen]) -> None:
    """Give each object of a file its instant and its session, a neighbour's if it has none."""
    instants = [_instant(item.value.get("timestamp")) for item in here]
    sessions = [_id(item.value.get("sessionId")) for item in here]
    parts = PurePath(path).parts
    folder = parts[parts.index("subagents") - 1] if "subagents" in parts else None
    for place, item in enumerate(here):
        item.at = _nearest(instants, place) or 0
        nearest = _nearest(sessions, place)
        item.session = sessions[place] or folder or nearest or PurePath(path).stem


def _nearest(values: list[Any], place: int) -> Any:
    behind = [value for value in values[: place + 1] if value is not None]
    ahead = [value for value in values[place:] if value is not None]
    return behind[-1] if behind else ahead[0] if ahead else None


def _instant(value: Any) -> int | None:
    return TIMESTAMPS[value] if isinstance(value, str) else None


def _owners(seen: list[Seen]) -> dict[str, Seen]:
    copies: defaultdict[str, list[Seen]] = defaultdict(list)
    for item in seen:
        if item.uuid is not None:
            copies[item.uuid].append(item)
    claimed = [item for items in copies.values() for item in items]
    sole = [item for items in copies.values() if len({one.session for one in items}) == 1 for item in items]

    def rank(session: str) -> tuple[Any, ...]:
        own = [item.at for item in sole if item.session == session]
        return (min(item.at for item in claimed if item.session == session), not own, min(own, default=0), session)

    sizes = Counter(item.path for item in claimed)

    def order(item: Seen) -> tuple[Any, ...]:
        is_agent = PurePath(item.path).name.startswith("agent-")
        size = sizes[item.path] if is_agent else 0
        return (rank(item.session), item.parent is None, is_agent, -size, item.path, item.offset)

    return {uuid: min(items, key=order) for uuid, items in copies.items()}


def _kind(value: Object) -> str:
    type_ = value.get("type")
    content = _content(value)
    if type_ == "assistant":
        return "assistant"
    if type_ in ("user", "tool_result", "human", "compact_recap"):
        blocks = content if isinstance(content, list) else []
        is_result = bool(blocks) and all(
            isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks
        )
        return "result" if is_result and type_ in ("user", "tool_result") else "prompt"
    if type_ == "compact_prelude" or (type_ == "system" and value.get("subtype") == "compact_boundary"):
        return "boundary"
    return "side"


def _is_typed(value: Object, kind: str) -> bool:
    content = _content(value)
    blocks = content if isinstance(content, list) else []
    texts = [block["text"] for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    words = content if isinstance(content, str) else "\n".join(text for text in texts if isinstance(text, str) and text)
    not_typed = (
        *("<local-command-", "Caveat: The messages below", "<bash-stdout", "<bash-stderr"),
        *("[Request interrupted by user", "<task-notification"),
    )
    injected = (value.get("isMeta"), value.get("isCompactSummary"), value.get("type") == "compact_recap")
    return kind == "prompt" and not words.startswith(not_typed) and not any(flag in (1, "true") for flag in injected)


def _content(value: Object) -> Any:
    message = value.get("message")
    return message.get("content") if isinstance(message, dict) else message


def _id(value: Any) -> str | None:
    """A recorded id, a lone surrogate as its escape."""
    if not isinstance(value, str) or not value:
        return None
    return _LONE.sub(lambda found: f"\\u{ord(found.group()):04x}", value)


def _text(value: Any) -> str | None:
    return _LONE.sub("\ufffd", value) if isinstance(value, str) and value else None
