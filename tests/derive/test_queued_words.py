"""Queued text: text that was removed from the queue and is not in any entry. The order of arrival does not matter."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ccindex.cli.app import app
from tests.making.files import append, write
from tests.making.first_loads import small_shards
from tests.making.indexes import ask, broken, everything, index, one, rebuild
from tests.making.transcripts import at, queue_operation, queue_session, queued_command, user

TEXTS = "select text, removed_by, beside_uuid, is_before from v1_queued_words order by timestamp_ms, text"


def texts(db: Path) -> list[tuple[Any, ...]]:
    return ask(db, TEXTS)


def test_removed_text_that_no_entry_contains_is_shown_after_the_previous_entry(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        *queue_session(queue_operation("enqueue", 7, "and the docs?"), queue_operation("remove", 9)),
    )
    index(db, project)
    assert texts(db) == [("and the docs?", "remove", "a1", 0)]
    [row] = ask(
        db,
        "select session_id, line_id, timestamp, timestamp_ms, removed_ms - timestamp_ms, line_no from v1_queued_words",
    )
    assert row == ("s1", "s1", at(7), 1_772_355_607_000, 2_000, 3)
    assert broken(db) == {}


@pytest.mark.parametrize(
    "entry",
    [
        queued_command("q1", 7, "and the docs?", attached={"origin": {"kind": "human"}}),
        queued_command("q1", 7, [{"type": "text", "text": "and the docs?"}]),
        user("u2", 12, "and  the docs?\n", parent="a1"),
        user("u2", 12, "also:\nand the docs?", parent="a1"),
        user("u2", 12, "<ide_opened_file>x.py</ide_opened_file>\nand the docs?", parent="a1"),
        user("u2", 12, "<bash-input>and the docs?</bash-input>", parent="a1"),
        user("u2", 12, "<command-name>and</command-name>\n<command-args>the docs?</command-args>", parent="a1"),
    ],
    ids=["attachment", "attached blocks", "prompt", "a line of a prompt", "after context", "shell", "command"],
)
def test_removed_text_that_an_entry_contains_is_not_queued_text(db: Path, project: Path, entry: str) -> None:
    write(
        project / "s1.jsonl",
        *queue_session(queue_operation("enqueue", 7, "and the docs?"), queue_operation("remove", 9), entry),
    )
    index(db, project)
    assert texts(db) == []


def test_same_text_in_an_earlier_prompt_is_ignored(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", *queue_session(queue_operation("enqueue", 7, "go"), queue_operation("remove", 9, "go")))
    index(db, project)
    assert texts(db) == [("go", "remove", "a1", 0)]


@pytest.mark.parametrize(
    "content",
    [
        "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>",
        "<bash-notification>\n<shell-id>b1</shell-id>\n<status>completed</status>\n</bash-notification>",
        '{"task_id":"b1","tool_use_id":"toolu_1","description":"Run checks","task_type":"local_bash"}',
        [{"type": "image", "source": {"type": "base64", "data": "AAAA"}}],
        "  ",
    ],
)
def test_notifications_and_contents_without_text_are_ignored(db: Path, project: Path, content: Any) -> None:
    write(project / "s1.jsonl", *queue_session(queue_operation("enqueue", 7, content), queue_operation("remove", 9)))
    index(db, project)
    assert texts(db) == []


def test_texts_that_are_still_queued_or_were_dequeued_are_not_queued_words(db: Path, project: Path) -> None:
    operations = (
        queue_operation("enqueue", 7, "sent"),
        queue_operation("enqueue", 8, "waiting"),
        queue_operation("dequeue", 9),
    )
    write(project / "s1.jsonl", *queue_session(*operations), user("u2", 21, "sent", parent="a2"))
    index(db, project)
    assert texts(db) == []


def test_text_before_the_first_entry_is_shown_before_it(db: Path, project: Path) -> None:
    first = [queue_operation("enqueue", 7, "first of all"), queue_operation("popAll", 8, "first of all")]
    write(project / "s1.jsonl", *first, user("u1", 10, "go"))
    index(db, project)
    assert texts(db) == [("first of all", "popAll", "u1", 1)]


def test_queued_text_of_a_session_without_a_trunk_has_no_entry(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", queue_operation("enqueue", 1, "hello?"), queue_operation("remove", 2))
    write(project / "s1" / "subagents" / "agent-k.jsonl", user("k1", 0, "look", isSidechain=True, agentId="k"))
    index(db, project)
    assert texts(db) == [("hello?", "remove", None, 1)]
    assert broken(db) == {}


def test_queued_words_change_with_later_records(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", *queue_session(queue_operation("enqueue", 7, "and the docs?")))
    index(db, project)
    assert texts(db) == []
    append(path, queue_operation("remove", 21) + "\n")
    index(db, project)
    assert texts(db) == [("and the docs?", "remove", "a1", 0)]
    assert search_hits(db, "docs") == [None]
    append(path, queued_command("q1", 7, "and the docs?") + "\n")
    index(db, project)
    assert texts(db) == []
    assert search_hits(db, "docs") == ["q1"]
    assert broken(db) == {}


def test_queued_words_of_a_rewritten_file_are_not_repeated(db: Path, project: Path) -> None:
    lines = queue_session(queue_operation("enqueue", 7, "and the docs?"), queue_operation("remove", 9))
    path = write(project / "s1.jsonl", *lines)
    index(db, project)
    write(path, user("u0", 0, "earlier"), *(line.replace('"cwd": "/w"', '"cwd": "/v"') for line in lines))
    index(db, project)
    assert [text for text, *_ in texts(db)] == ["and the docs?"]
    write(path, user("u0", 0, "earlier"), *(line.replace("and the docs?", "and the tests?") for line in lines))
    index(db, project)
    assert sorted(text for text, *_ in texts(db)) == ["and the docs?", "and the tests?"]
    assert search_hits(db, "tests") == [None]
    assert broken(db) == {}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('"\\ud800 odd\\u0000 words"', ["\ufffd odd\0 words"]),
        ("[" * 400 + "]" * 400, []),
        ("7", []),
        ('{"text": "x"}', []),
        ('["plain", {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]', ["a\nb"]),
    ],
)
def test_unusual_contents_are_accepted(db: Path, project: Path, content: str, expected: list[str]) -> None:
    enqueue = queue_operation("enqueue", 7, "CONTENT").replace('"CONTENT"', content)
    write(project / "s1.jsonl", *queue_session(enqueue, queue_operation("remove", 9)))
    index(db, project)
    assert [text for text, *_ in texts(db)] == expected
    assert search_hits(db, "odd OR b") == [None] * len(expected)
    assert broken(db) == {}


def test_many_operations_are_replayed_in_linear_time(db: Path, project: Path) -> None:
    """Queue 5,000 equal texts that are removed by operations without text, and 5,000 texts that are sent."""
    operations = [queue_operation("enqueue", 7, "again and again", n=n) for n in range(5_000)]
    operations += [queue_operation("enqueue", 7, f"sent {n}") for n in range(5_000)]
    operations += [queue_operation("remove", 8, n=n) for n in range(5_000)]
    sent = user("u2", 9, "\n".join(f"sent {n}" for n in range(5_000)), parent="a1")
    write(project / "s1.jsonl", *queue_session(*operations, sent))
    index(db, project)
    assert one(db, "select count(*) from v1_queued_words where text = 'again and again'") == 5_000
    assert one(db, "select count(*) from v1_queued_words") == 5_000


def test_a_rebuild_a_run_per_line_and_workers_give_the_same_rows(db: Path, project: Path, tmp_path: Path) -> None:
    lines = queue_session(
        queue_operation("enqueue", 7, "one"),
        queue_operation("enqueue", 8, "two"),
        queue_operation("remove", 9),
        queue_operation("popAll", 10, "two"),
        queued_command("q1", 11, "three"),
    )
    path = write(project / "s1.jsonl", *lines)
    index(db, project)
    whole = everything(db)
    rebuild(db)
    assert everything(db) == whole
    steps = tmp_path / "steps" / "ccindex.db"
    path.write_text("")
    for line in lines:
        append(path, line + "\n")
        index(steps, project)
    assert everything(steps) == whole
    write(project / "s2.jsonl", user("v1", 0, "else", sessionId="s2"))
    index(steps, project)
    loaded = tmp_path / "loaded" / "ccindex.db"
    with small_shards():
        index(loaded, project, jobs=0)
    assert everything(loaded) == everything(steps)
    assert search_hits(loaded, "one OR two OR three") == [None, None, "q1"]
    assert broken(steps) == broken(loaded) == {}


def test_forgetting_a_session_removes_its_queued_words(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        *queue_session(queue_operation("enqueue", 7, "and the quince?"), queue_operation("remove", 9)),
    )
    write(project / "s2.jsonl", user("v1", 0, "else", sessionId="s2"))
    index(db, project)
    assert search_hits(db, "quince") == [None]
    result = CliRunner().invoke(app, ["forget", "--session", "s1", "--yes", "--db", str(db)])
    assert result.exit_code == 0, result.output
    assert one(db, "select count(*) from queued_words") == 0
    assert search_hits(db, "quince") == []
    assert broken(db) == {}


def search_hits(db: Path, query: str) -> list[Any]:
    """Return the uuids of search hits; queued text, which has no uuid, comes first."""
    result = CliRunner().invoke(app, ["search", query, "--json", "--db", str(db)])
    assert result.exit_code == 0, result.output
    return sorted((hit["uuid"] for hit in json.loads(result.output)["hits"]), key=lambda uuid: uuid or "")
