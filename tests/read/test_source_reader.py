"""A source gives the same events however its bytes are read."""

import pickle
from collections.abc import Iterable
from pathlib import Path

import pytest

from ccindex.chunks import decompress
from ccindex.model.diagnostics import Code
from ccindex.model.events import Batch, Checkpoint, Chunk, Document, Event, Problem
from ccindex.model.sources import FileRole, FileState, FoundFile, PathInfo
from ccindex.read import source_reader
from ccindex.read.discovery import file_state
from ccindex.read.source_reader import Start, Unreadable, open_file, read_archived, read_file, read_source
from tests.making.files import append, write
from tests.making.transcripts import line

SESSION = PathInfo(FileRole.SESSION, "-w", stem="s1")


def found_file(path: Path, info: PathInfo = SESSION) -> FoundFile:
    return FoundFile(str(path), str(path), info, file_state(path.stat()))


def without_times(events: Iterable[Event]) -> list[Event]:
    return [event._replace(seconds={}) if isinstance(event, Checkpoint) else event for event in events]


def last_checkpoint(events: list[Event]) -> Checkpoint:
    last = events[-1]
    assert isinstance(last, Checkpoint)
    return last


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "s1.jsonl", line("u1", timestamp=None), "no JSON", line("u2", parent="u1"), line("u3")[:40])


def test_chunks_contain_the_file_and_the_last_event_is_a_checkpoint_at_its_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_reader, "CHUNK_BYTES", 100)
    events = list(read_file(found_file(path)))
    chunks = [event for event in events if isinstance(event, Chunk)]
    assert b"".join(decompress(chunk.data) for chunk in chunks) == path.read_bytes()
    assert [chunk.start for chunk in chunks] == list(range(0, path.stat().st_size, 100))
    checkpoint = last_checkpoint(events)
    assert checkpoint.state == file_state(path.stat())
    assert (checkpoint.position.archived, checkpoint.position.malformed_lines) == (path.stat().st_size, 2)
    assert {event.diagnostic.code.slug for event in events if isinstance(event, Problem)} == {"malformed-line"}


def test_events_can_be_sent_to_another_process(path: Path) -> None:
    events = list(read_file(found_file(path)))
    assert pickle.loads(pickle.dumps(events)) == events  # noqa: S301 - pickled in this test


def test_reading_resumes_from_a_position_and_its_preceding_bytes(path: Path) -> None:
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    first = last_checkpoint(list(read_file(found_file(path))))
    assert first.position.is_torn
    before = path.read_bytes()
    append(path, line("u3")[40:] + "\n" + line("u4") + "\n")
    whole = last_checkpoint(list(read_file(found_file(path))))
    with open_file(str(path)) as file:
        events = list(read_source(file, file_state(path.stat()), SESSION, Start(first.position, before)))
    assert last_checkpoint(events).position == whole.position
    assert [row[1] for event in events if isinstance(event, Batch) for row in event.entries] == ["u3", "u4"]


def test_archived_bytes_give_the_events_of_the_file_with_one_checkpoint(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = without_times(event for event in read_file(found_file(path)) if not isinstance(event, Chunk))
    monkeypatch.setattr(source_reader, "CHECKPOINT_BYTES", 1)
    data = path.read_bytes()
    blocks = [data[start : start + 50] for start in range(0, len(data), 50)]
    assert without_times(read_archived(blocks, file_state(path.stat()), SESSION)) == whole
    assert sum(isinstance(event, Checkpoint) for event in read_file(found_file(path))) == 2


@pytest.mark.parametrize("size", range(1, 60))
def test_nul_characters_are_reported_however_the_bytes_are_split(path: Path, size: int) -> None:
    lines = [
        b"{}",
        b'{"a":"\\u0000"}',
        b'{"b":1}',
        b'{"c":"' + b"long" * 50 + b'\\u0000"}',
        b"{}",
        b'{"d":"\0"}',
        b"{}",
    ]
    data = b"\n".join(lines)
    blocks = [data[start : start + size] for start in range(0, len(data), size)]
    events = read_archived(blocks, file_state(path.stat()), SESSION)
    problems = [event.diagnostic for event in events if isinstance(event, Problem)]
    assert [problem.line_no for problem in problems if problem.code is Code.NUL_CHARACTER] == [2, 4, 6]


def test_document_is_the_last_complete_object_of_its_file(tmp_path: Path) -> None:
    info = PathInfo(FileRole.SIDECAR, "-w", stem="agent-a.meta")
    path = write(tmp_path / "agent-a.meta.json", '{"agentType":"scout"}')
    [document] = [event for event in read_file(found_file(path, info)) if isinstance(event, Document)]
    assert document.row == ("scout", None, None, '{"agentType":"scout"}', None)
    write(path, '{"agentType":')
    assert not [event for event in read_file(found_file(path, info)) if isinstance(event, Document)]


def test_file_not_read_to_its_end_gets_a_state_that_never_matches(path: Path) -> None:
    state = file_state(path.stat())
    larger = FileState(state.device, state.inode, state.size + 10, state.mtime_ns)
    with open_file(str(path)) as file:
        checkpoint = last_checkpoint(list(read_source(file, larger, SESSION, Start())))
    assert (checkpoint.state.size, checkpoint.state.mtime_ns) == (state.size, 0)


def test_file_that_cannot_be_opened_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="No such file"):
        next(read_file(FoundFile("/gone", str(tmp_path / "gone"), SESSION, FileState(0, 0, 0, 0))))
