"""Words that were queued and removed: which of them no entry holds, however the data came in."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ccindex.cli.app import app
from tests.making.files import append, write
from tests.making.indexes import ask, broken, everything, index, one, rebuild
from tests.making.transcripts import at, queue_operation, queue_session, queued_command, user

TEXTS = "select text, removed_by, beside_uuid, is_before from v1_queued_words order by timestamp_ms, text"


def texts(db: Path) -> list[tuple[Any, ...]]:
    return ask(db, TEXTS)


def test_words_that_were_removed_and_stand_nowhere_are_kept_beside_the_entry_before(db: Path, project: Path) -> None:
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
    "holder",
    [
        queued_command("q1", 7, "and the docs?", attached={"origin": {"kind": "human"}}),
        queued_command("q1", 7, [{"type": "text", "text": "and the docs?"}]),
        user("u2", 12, "and  the docs?\n", parent="a1"),
        user("u2", 12, "also:\nand the docs?", parent="a1"),
        user("u2", 12, "<ide_opened_file>x.py</ide_opened_file>\nand the docs?", parent="a1"),
        user("u2", 12, "<bash-input>and the docs?</bash-input>", parent="a1"),
        user("u2", 12, "<command-name>and</command-name>\n<command-args>the docs?</command-args>", parent="a1"),
    ],
    ids=["attachment", "attached blocks", "prompt", "a line of a prompt", "behind context", "shell", "command"],
)
def test_words_that_an_entry_holds_are_not_kept_twice(db: Path, project: Path, holder: str) -> None:
    write(
        project / "s1.jsonl",
        *queue_session(queue_operation("enqueue", 7, "and the docs?"), queue_operation("remove", 9), holder),
    )
    index(db, project)
    assert texts(db) == []


def test_the_same_words_in_an_earlier_prompt_are_others(db: Path, project: Path) -> None:
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
def test_notifications_and_what_has_no_words_are_no_persons_words(db: Path, project: Path, content: Any) -> None:
    write(project / "s1.jsonl", *queue_session(queue_operation("enqueue", 7, content), queue_operation("remove", 9)))
    index(db, project)
    assert texts(db) == []


def test_words_still_queued_or_dequeued_are_not_removed(db: Path, project: Path) -> None:
    operations = (
        queue_operation("enqueue", 7, "sent"),
        queue_operation("enqueue", 8, "waiting"),
        queue_operation("dequeue", 9),
    )
    write(project / "s1.jsonl", *queue_session(*operations), user("u2", 21, "sent", parent="a2"))
    index(db, project)
    assert texts(db) == []


def test_words_before_the_first_entry_stand_before_it(db: Path, project: Path) -> None:
    first = [queue_operation("enqueue", 7, "first of all"), queue_operation("popAll", 8, "first of all")]
    write(project / "s1.jsonl", *first, user("u1", 10, "go"))
    index(db, project)
    assert texts(db) == [("first of all", "popAll", "u1", 1)]


def test_a_session_of_agents_alone_has_words_without_a_place(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", queue_operation("enqueue", 1, "hello?"), queue_operation("remove", 2))
    write(project / "s1" / "subagents" / "agent-k.jsonl", user("k1", 0, "look", isSidechain=True, agentId="k"))
    index(db, project)
    assert texts(db) == [("hello?", "remove", None, 1)]
    assert broken(db) == {}


def test_words_come_and_go_with_what_is_recorded_later(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", *queue_session(queue_operation("enqueue", 7, "and the docs?")))
    index(db, project)
    assert texts(db) == []
    append(path, queue_operation("remove", 21) + "\n")
    index(db, project)
    assert texts(db) == [("and the docs?", "remove", "a1", 0)]
    assert found(db, "docs") == [None]
    append(path, queued_command("q1", 7, "and the docs?") + "\n")
    index(db, project)
    assert texts(db) == []
    assert found(db, "docs") == ["q1"]
    assert broken(db) == {}


def test_a_rewritten_file_has_its_words_once(db: Path, project: Path) -> None:
    lines = queue_session(queue_operation("enqueue", 7, "and the docs?"), queue_operation("remove", 9))
    path = write(project / "s1.jsonl", *lines)
    index(db, project)
    write(path, user("u0", 0, "earlier"), *(line.replace('"cwd": "/w"', '"cwd": "/v"') for line in lines))
    index(db, project)
    assert [text for text, *_ in texts(db)] == ["and the docs?"]
    write(path, user("u0", 0, "earlier"), *(line.replace("and the docs?", "and the tests?") for line in lines))
    index(db, project)
    assert sorted(text for text, *_ in texts(db)) == ["and the docs?", "and the tests?"]
    assert found(db, "tests") == [None]
    assert broken(db) == {}


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        ('"\\ud800 odd\\u0000 words"', ["\ufffd odd\0 words"]),
        ("[" * 400 + "]" * 400, []),
        ("7", []),
        ('{"text": "x"}', []),
        ('["plain", {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]', ["a\nb"]),
    ],
)
def test_odd_contents_are_survived(db: Path, project: Path, content: str, kept: list[str]) -> None:
    enqueue = queue_operation("enqueue", 7, "CONTENT").replace('"CONTENT"', content)
    write(project / "s1.jsonl", *queue_session(enqueue, queue_operation("remove", 9)))
    index(db, project)
    assert [text for text, *_ in texts(db)] == kept
    assert found(db, "odd OR b") == [None] * len(kept)
    assert broken(db) == {}


def test_many_operations_are_replayed_in_time_proportional_to_their_number(db: Path, project: Path) -> None:
    """5,000 equal texts, all removed without a name, beside 5,000 that were sent."""
    operations = [queue_operation("enqueue", 7, "again and again", n=n) for n in range(5_000)]
    operations += [queue_operation("enqueue", 7, f"sent {n}") for n in range(5_000)]
    operations += [queue_operation("remove", 8, n=n) for n in range(5_000)]
    sent = user("u2", 9, "\n".join(f"sent {n}" for n in range(5_000)), parent="a1")
    write(project / "s1.jsonl", *queue_session(*operations, sent))
    index(db, project)
    assert one(db, "select count(*) from v1_queued_words where text = 'again and again'") == 5_000
    assert one(db, "select count(*) from v1_queued_words") == 5_000


def test_any_way_in_gives_the_same_rows(db: Path, project: Path, tmp_path: Path) -> None:
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
    step = tmp_path / "step" / "ccindex.db"
    path.write_text("")
    for line in lines:
        append(path, line + "\n")
        index(step, project)
    assert everything(step) == whole
    workers = tmp_path / "workers" / "ccindex.db"
    index(workers, project, jobs=2)
    assert everything(workers) == whole
    assert found(workers, "one OR two OR three") == [None, None, "q1"]
    assert broken(step) == broken(workers) == {}


def test_forgetting_a_session_forgets_its_queued_words(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        *queue_session(queue_operation("enqueue", 7, "and the quince?"), queue_operation("remove", 9)),
    )
    write(project / "s2.jsonl", user("v1", 0, "else", sessionId="s2"))
    index(db, project)
    assert found(db, "quince") == [None]
    done = CliRunner().invoke(app, ["forget", "--session", "s1", "--yes", "--db", str(db)])
    assert done.exit_code == 0, done.output
    assert one(db, "select count(*) from queued_words") == 0
    assert found(db, "quince") == []
    assert broken(db) == {}


def found(db: Path, query: str) -> list[Any]:
    """The uuids of what a search finds, words without one first."""
    done = CliRunner().invoke(app, ["search", query, "--json", "--db", str(db)])
    assert done.exit_code == 0, done.output
    return sorted((hit["uuid"] for hit in json.loads(done.output)["hits"]), key=lambda uuid: uuid or "")
