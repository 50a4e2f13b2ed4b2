"""An append to the end of a line costs what it adds, and gives the same index as one run."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccindex.derive import changes as changes_module
from ccindex.derive.extend import Extended, extend_lines
from ccindex.ingest.ingest import ingest
from ccindex.maintain.update import begin_run
from ccindex.store.connection import changing
from tests.making.files import append, write
from tests.making.hypothesis_settings import examples
from tests.making.indexes import ask, broken, differences, everything, index, one
from tests.making.transcripts import (
    agent_file,
    assistant,
    line,
    queue_operation,
    record,
    text_block,
    thinking_block,
    tool_result,
    tool_use,
    user,
)
from tests.reference.everyday_sessions import everyday_lines
from tests.reference.random_choices import numbers_from_seed
from tests.reference.random_projects import projects

Lines = Sequence[tuple[str, str | bytes]]  # lines in the order in which they are written, with the paths of their files


@contextmanager
def counted() -> Iterator[dict[str, int]]:
    """Count the stale families, and those of them whose lines were only extended."""
    counts = {"stale": 0, "extended": 0}

    def counting(connection: Any, changes: Any, stale: Any) -> Extended:
        extended = extend_lines(connection, changes, stale)
        counts["stale"] += len(stale.families)
        counts["extended"] += len(extended.families)
        return extended

    with patch.object(changes_module, "extend_lines", counting):
        yield counts


def replay(folder: Path, lines: Lines, pieces: Sequence[int]) -> dict[str, int]:
    """Write the lines in pieces of the given sizes, index every piece, and compare with an index of all files."""
    root, db, clean = folder / "p", folder / "x.db", folder / "clean.db"
    root.mkdir(parents=True)
    start = 0
    with counted() as counts:
        for size in pieces:
            for name, text in lines[start : start + size]:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                append(root / name, text if isinstance(text, bytes) else text + "\n")
            start += size
            before = counts["extended"]
            index(db, root)
            if counts["extended"] > before:
                clean.unlink(missing_ok=True)
                index(clean, root)
                assert differences(everything(db), everything(clean)) == {}
                assert broken(db) == {}
    clean.unlink(missing_ok=True)
    index(clean, root)
    assert differences(everything(db), everything(clean)) == {}
    return counts


def test_everyday_sessions_in_pieces_give_the_same_index_as_one_run(tmp_path: Path) -> None:
    total = {"stale": 0, "extended": 0}
    for seed in range(10):
        numbers = numbers_from_seed(seed)
        lines = everyday_lines(numbers, steps=25)
        first = numbers(0, len(lines))
        counts = replay(tmp_path / str(seed), lines, [first, *(numbers(1, 3) for _ in lines[first:])])
        total = {key: total[key] + counts[key] for key in total}
    assert total["extended"] > total["stale"] / 4 > 25


@examples(10)
@given(st.data())
def test_damaged_projects_line_by_line_give_the_same_index_as_one_run(data: st.DataObject) -> None:
    files = data.draw(projects())
    whole = [(name, text) for name, part in files.items() for text in part.splitlines(keepends=True)]
    first = data.draw(st.integers(0, len(whole)))
    with tempfile.TemporaryDirectory() as name:
        replay(Path(name).resolve(), whole, [first, *[1] * (len(whole) - first)])


def chain(length: int) -> list[str]:
    """Return a session of prompts, which were queued, responses with calls, and results."""
    lines: list[str] = []
    for number in range(0, length, 4):
        second, keys = 10 * number, {"parent": f"u{number - 1}" if number else None}
        lines += [
            queue_operation("enqueue", second, f"do {number}"),
            queue_operation("dequeue", second),
            user(f"u{number}", second, f"do {number}", **keys),
            assistant(f"u{number + 1}", second + 1, text_block("ok"), parent=f"u{number}"),
            assistant(f"u{number + 2}", second + 2, tool_use(f"t{number}", "Read"), parent=f"u{number + 1}"),
            user(f"u{number + 3}", second + 3, tool_result(f"t{number}"), parent=f"u{number + 2}"),
        ]
    return lines


def appended_lines(length: int) -> dict[str, list[str]]:
    """Return everyday lines that continue a chain of the given length, by what they are."""
    last, second = f"u{length - 1}", 10 * length
    call = assistant("x", second, tool_use("tx", "Bash"), parent=last)
    side = {"type": "system", "subtype": "turn_duration", "message": None}
    return {
        "prompt": [user("x", second, "go on", parent=last)],
        "text": [assistant("x", second, text_block("fine"), parent=last)],
        "thinking": [assistant("x", second, thinking_block("hm"), parent=last)],
        "call": [call],
        "call and result": [call, user("y", second + 1, tool_result("tx"), tool_result("ty"), parent="x")],
        "side entry": [line("x", parent=last, second=second, **side)],
        "snapshot": [record(type="file-history-snapshot", snapshot={})],
        "queue": [queue_operation("enqueue", second, "go"), queue_operation("dequeue", second)],
        "last prompt": [record(type="last-prompt", lastPrompt="x", leafUuid=last)],
        "same title": [record(type="ai-title", aiTitle="Title")],
    }


def work_of_append(folder: Path, length: int, lines: Sequence[str]) -> tuple[int, int, int]:
    """Index a chain, append lines, and return the steps, changed rows and extended families of the second run."""
    path = write(folder / "p" / "s1.jsonl", *chain(length), record(type="ai-title", aiTitle="Title"))
    index(folder / "x.db", folder / "p")
    append(path, "".join(text + "\n" for text in lines))
    steps = 0

    def count_step() -> int:
        nonlocal steps
        steps += 1
        return 0

    with changing(folder / "x.db", create=False) as connection, counted() as counts:
        before = connection.total_changes
        connection.set_progress_handler(count_step, 1)
        ingest(begin_run(connection), [folder / "p"], must_exist=True)
        connection.set_progress_handler(None, 0)
        changed = connection.total_changes - before
    assert counts["extended"] == counts["stale"]
    return steps, changed, counts["extended"]


@pytest.mark.parametrize("name", appended_lines(4))
def test_work_of_an_append_does_not_depend_on_the_length_of_the_session(tmp_path: Path, name: str) -> None:
    few, many = 400, 3_100  # the last quarter hour has the same number of entries
    small = work_of_append(tmp_path / "few", few, appended_lines(few)[name])
    large = work_of_append(tmp_path / "many", many, appended_lines(many)[name])
    assert large[1:] == small[1:]
    # a prompt is compared with the operations of the queue, which are few in comparison with the entries
    per_entry = 8 if name == "prompt" else 0
    # there are more rows of totals
    assert large[0] < 1.1 * small[0] + per_entry * (many - few)
    assert large[2] == (name != "snapshot")


FALLBACKS = {
    "second child": [line("x", parent="u2", second=90)],
    "earlier than the end": [line("x", parent="u3", second=1)],
    "new root": [line("x", second=90)],
    "unknown parent": [line("x", parent="ghost", second=90)],
    "other file": [],
    "spawning call": [assistant("x", 90, tool_use("tx", "Task", prompt="go"), parent="u3")],
    "repeated call": [assistant("x", 90, tool_use("t0", "Read"), parent="u3")],
    "interrupt": [user("x", 90, "[Request interrupted by user]", parent="u3")],
    "other model": [assistant("x", 90, text_block("a"), parent="u3", message={"model": "claude-opus-4-6"})],
    "agent id in a result": [user("x", 90, tool_result("t0", "agentId: g1"), parent="u3")],
    "fork of an entry": [line("x", parent="u3", second=90, forkedFrom={"messageUuid": "u0", "sessionId": "s1"})],
    "boundary": [line("x", parent="u3", second=90, type="system", subtype="compact_boundary", message=None)],
    "new title": [record(type="ai-title", aiTitle="Other")],
    "removed text": [queue_operation("remove", 90)],
    "relocation": [record(type="relocated", relocatedCwd="/elsewhere")],
}


@pytest.mark.parametrize("name", FALLBACKS)
def test_other_appends_derive_the_family_again(tmp_path: Path, name: str) -> None:
    lines = [("s1.jsonl", text) for text in chain(4)]
    last = [("s1.jsonl", text) for text in FALLBACKS[name]] or [("other.jsonl", line("x", parent="u3", second=90))]
    counts = replay(tmp_path, [*lines, *last], [len(lines), len(last)])
    assert counts == {"stale": 2, "extended": 0}  # of both runs
    assert one(tmp_path / "x.db", "select count(*) from v1_sessions") == 1


def test_threads_of_a_family_are_extended_together(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", *chain(4))
    keys: dict[str, Any] = {"isSidechain": True, "agentId": "g1"}
    agent = agent_file(
        project, "g1", line("k1", second=50, **keys), assistant("k2", 51, text_block("a"), parent="k1", **keys)
    )
    index(db, project)
    append(path, assistant("x1", 60, text_block("b"), parent="u3") + "\n")
    append(agent, assistant("k3", 61, text_block("c"), parent="k2", **keys) + "\n")
    with counted() as counts:
        index(db, project)
    assert counts["extended"] == 1
    assert ask(db, "select entry_count from v1_agents") == [(3,)]
    assert ask(db, "select entry_count from v1_lines order by line_id") == [(5,), (3,)]
    clean = db.with_name("clean.db")
    index(clean, project)
    assert differences(everything(db), everything(clean)) == {}


def test_real_sessions_line_by_line_give_the_same_index_as_one_run(corpus: Path, tmp_path: Path) -> None:
    sessions = sorted(corpus.rglob("*.jsonl"), key=lambda path: path.stat().st_size)[-6:]
    total = {"stale": 0, "extended": 0}
    for number, path in enumerate(sessions):
        lines = [(path.name, text) for text in path.read_bytes().splitlines(keepends=True)][:400]
        counts = replay(tmp_path / str(number), lines, [len(lines) - 12, *[1] * 12])
        total = {key: total[key] + counts[key] for key in total}
        shutil.rmtree(tmp_path / str(number))
    assert total["extended"] > total["stale"] / 3 > 0
