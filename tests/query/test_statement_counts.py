"""The number of SQL statements that a command runs does not depend on the number of rows it shows."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from ccindex.cli.app import app
from tests.making.files import write
from tests.making.indexes import index, one
from tests.making.transcripts import (
    agent_file,
    assistant,
    boundary_entry,
    queue_operation,
    task_notification,
    text_block,
    to_line,
    tool_result,
    tool_use,
    user,
)

MAX_STATEMENTS = 30
ENTRIES = 400
AGENTS = 12
SESSIONS = 60


def write_session(project: Path, name: str) -> None:
    """Write a session of 400 entries with calls, results, branches, agents, notices, a compaction and queued text."""
    keys = {"sessionId": name}
    rows: list[str] = []
    parent: str | None = None

    def add(uuid: str, row: str) -> None:
        nonlocal parent
        rows.append(row)
        parent = uuid

    turns = 0
    while len(rows) < ENTRIES - 3 * AGENTS - 4:
        turn, start = f"{name}-{turns}", 10 * turns
        add(f"{turn}u", user(f"{turn}u", start, "go on", parent=parent, **keys))
        blocks = [text_block("so"), tool_use(f"{turn}t", "Task" if turns < AGENTS else "Bash", prompt=f"look {turns}")]
        add(f"{turn}a", assistant(f"{turn}a", start + 1, *blocks, parent=parent, **keys))
        more: dict[str, Any] = {"toolUseResult": {"agentId": f"g{turns}"}} if turns < AGENTS else {}
        add(f"{turn}r", user(f"{turn}r", start + 4, tool_result(f"{turn}t", "done"), parent=parent, **more, **keys))
        if turns % 20 == 9:  # a rewind
            rows.append(user(f"{turn}x", start + 5, "no", parent=f"{turn}r", **keys))
        if turns % 20 == 15:
            notice = task_notification(f"g{turns % AGENTS}", "completed")
            add(f"{turn}n", user(f"{turn}n", start + 6, notice, parent=parent, **keys))
        turns += 1
    rows.append(to_line(boundary_entry(f"{name}-c", parent, 10 * turns, **keys)))
    rows += [
        queue_operation("enqueue", 10 * turns + 1, "words that no entry contains", **keys),
        queue_operation("remove", 10 * turns + 2, **keys),
    ]
    write(project / f"{name}.jsonl", *rows)
    for number in range(AGENTS):
        inside = keys | {"isSidechain": True, "agentId": f"g{number}"}
        first, second = f"{name}-g{number}-1", f"{name}-g{number}-2"
        agent_file(
            project,
            f"g{number}",
            user(first, 10 * number + 2, f"look {number}", **inside),
            assistant(second, 10 * number + 3, text_block("found"), parent=first, **inside),
            session=name,
        )


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("statements").resolve()
    write_session(folder / "-w", "large")
    index(folder / "x.db", folder)
    db = folder / "x.db"
    assert one(db, "select entry_count from v1_sessions") in range(ENTRIES - 20, ENTRIES + 20)
    assert one(db, "select count(*) from v1_lines") > AGENTS + 4
    assert one(db, "select count(*) from v1_task_notices") > 0
    assert one(db, "select count(*) from v1_compactions") == 1
    return db


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of sessions without a title or a typed prompt, each with a branch."""
    folder = tmp_path_factory.mktemp("statements").resolve()
    for number in range(SESSIONS):
        name = f"s{number:02}"
        command = "<command-name>/look</command-name>"
        rows = [
            user(f"{name}-1", number, command, sessionId=name),
            assistant(f"{name}-2", number, text_block("so"), parent=f"{name}-1", sessionId=name),
            user(f"{name}-3", number + 1, command, parent=f"{name}-2", sessionId=name),
            user(f"{name}-4", number + 2, command, parent=f"{name}-2", sessionId=name),
        ]
        write(folder / "-w" / f"{name}.jsonl", *rows)
    index(folder / "x.db", folder)
    return folder / "x.db"


def statements(monkeypatch: pytest.MonkeyPatch, db: Path, *arguments: str) -> list[str]:
    """Run a command and return the statements that it executes on the index, over all connections."""
    found: list[str] = []
    connect = sqlite3.connect

    def traced(database: Any, **settings: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(database, **settings)
        if database != ":memory:":
            connection.set_trace_callback(found.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    app([*arguments, "--db", str(db)], standalone_mode=False)
    # FTS5's internal statements are traced as comments
    return [statement for statement in found if not statement.startswith("-- ") or "\n" in statement]


@pytest.mark.parametrize(
    "options",
    [[], ["--all"], ["--agents", "--all"], ["--inline", "--full"], ["--json"], ["--json", "--agents"]],
    ids=" ".join,
)
def test_long_session_is_shown_with_few_statements(
    large: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    assert len(statements(monkeypatch, large, "show", "large", *options)) <= MAX_STATEMENTS


@pytest.mark.parametrize("form", ["tree", "timeline", "dot"])
def test_session_is_exported_with_few_statements(
    large: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: str
) -> None:
    words = ["export", "--session", "large", "--format", form, "--out", str(tmp_path)]
    assert len(statements(monkeypatch, large, *words)) <= MAX_STATEMENTS


def test_markdown_page_is_exported_with_few_statements(
    large: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = ["export", "--session", "large", "--agents", "--out", str(tmp_path)]
    found = statements(monkeypatch, large, *words)
    assert len(found) <= MAX_STATEMENTS * len(list(tmp_path.iterdir()))


@pytest.mark.parametrize(
    "words",
    [
        ["sessions", "--limit", "0"],
        ["tree", "--limit", "0"],
        ["search", "look", "--limit", "0"],
        ["paths", "--session", "s07"],
    ],
    ids=" ".join,
)
def test_number_of_statements_for_a_list_does_not_depend_on_the_number_of_rows(
    many: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    assert len(statements(monkeypatch, many, *words)) <= 20
