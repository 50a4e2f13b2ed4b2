"""Text that a person typed is shown, exported, found and counted, wherever it was recorded."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.making.files import write
from tests.making.in_process import output_of
from tests.making.indexes import ask, index, one
from tests.making.transcripts import (
    agent_file,
    assistant,
    line,
    queue_operation,
    queue_session,
    queued_command,
    text_block,
    thinking_block,
    tool_result,
    tool_use,
    user,
)

HUMAN = {"origin": {"kind": "human"}}
REPORT = (
    "<task-notification>\n<task-id>g1</task-id>\n<status>completed</status>\n"
    '<summary>Agent "look around" completed</summary>\n<result>The cellar\nis full of quinces.</result>\n'
    "</task-notification>\nFull transcript available at: /tmp/g1.output"
)


def shown(db: Path, *arguments: str) -> list[str]:
    """Return the lines of a transcript without its heading, times and ids."""
    lines = output_of(db, "show", "s1", *arguments).splitlines()
    return [re.sub(r"  20\d\d-\d\d-\d\d [^\[]*?(?=$|  \[)", "", line) for line in lines[2:]]


def hits(db: Path, *arguments: str) -> list[dict[str, Any]]:
    rows = json.loads(output_of(db, "search", *arguments, "--json"))["hits"]
    assert isinstance(rows, list)
    return rows


@pytest.fixture
def queued(db: Path, project: Path) -> Path:
    """Return an index with a queued prompt in an attachment, removed text, withdrawn text and a notification."""
    write(
        project / "s1.jsonl",
        *queue_session(
            queued_command("q1", 6, "use rye flour", attached=HUMAN),
            queue_operation("enqueue", 7, "and bake it dark"),
            queue_operation("remove", 9),
            queue_operation("enqueue", 10, "serve it wa"),
            queue_operation("popAll", 11, "serve it wa"),
            queued_command("n1", 12, "<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>"),
        ),
    )
    index(db, project)
    return db


def test_queued_text_is_shown_where_it_was_typed(queued: Path) -> None:
    assert shown(queued) == [
        "",
        "You",
        "  go",
        "",
        "Claude",
        "  on it",
        "",
        "You, while Claude was working",
        "  use rye flour",
        "",
        "You, while Claude was working",
        "  and bake it dark",
        "",
        "You, while Claude was working  [withdrawn]",
        "  serve it wa",
        "",
        "Notice",
        "  Task b1 (failed)",
        "",
        "Claude",
        "  done",
    ]


def test_queued_text_in_json_is_typed_and_has_a_uuid_only_if_it_has_an_entry(queued: Path) -> None:
    entries = json.loads(output_of(queued, "show", "s1", "--json"))["entries"]
    assert [
        (entry["uuid"], entry["kind"], entry["is_typed"], entry["form"], entry["text"]) for entry in entries[2:5]
    ] == [
        ("q1", "side", 1, "queued", "use rye flour"),
        (None, "prompt", 1, "queued", "and bake it dark"),
        (None, "prompt", 1, "queued", "serve it wa"),
    ]
    assert set(entries[0]) == set(entries[3])
    assert entries[3]["line_no"] == 4
    assert entries[3]["source_path"] == entries[0]["source_path"]
    assert entries[3]["line_id"] == "s1"
    raw = output_of(queued, "show", "s1", "--raw").splitlines()
    assert json.loads(raw[3])["content"] == "and bake it dark"


def test_queued_text_is_found_as_prompt(queued: Path) -> None:
    for query, uuid in (("rye", "q1"), ("dark", None)):
        for arguments in ((), ("--type", "prompt"), ("--type", "typed"), ("--type", "queued"), ("--session", "s1")):
            [hit] = hits(queued, query, *arguments)
            assert (hit["uuid"], hit["session_id"], hit["line_id"], hit["status"]) == (uuid, "s1", "s1", "active")
        assert hits(queued, query, "--type", "assistant") == hits(queued, query, "--tool", "Bash") == []
        assert hits(queued, query, "--status", "abandoned") == hits(queued, query, "--until", "2026-02-01") == []
    assert hits(queued, "dark")[0]["snippet"] == "and bake it «dark»"
    assert "  line 4  " in output_of(queued, "search", "dark")
    assert one(queued, "select count(*) from entries_fts where entries_fts match 'prompt: (rye OR dark)'") == 2


def test_queued_text_is_exported(queued: Path, tmp_path: Path) -> None:
    for form in ("markdown", "json", "timeline"):
        output_of(queued, "export", "--session", "s1", "--format", form, "--out", str(tmp_path / form))
        [page] = [path.read_text(encoding="utf-8") for path in (tmp_path / form).iterdir()]
        for text in ("use rye flour", "and bake it dark", "serve it wa"):
            assert text in page
    page = (tmp_path / "markdown" / "transcript_s1.md").read_text(encoding="utf-8")
    assert page.count("### You, while Claude was working\n") == 2
    assert page.count("### You, while Claude was working  \\[withdrawn\\]") == 1
    document = json.loads((tmp_path / "json" / "transcript_s1.json").read_text(encoding="utf-8"))
    assert [row["text"] for row in document["queued_words"]] == ["and bake it dark", "serve it wa"]
    assert [entry["uuid"] for entry in document["entries"]].count(None) == 2


def test_queued_text_is_counted_as_prompt(queued: Path) -> None:
    assert ask(queued, "select kind, uuid, text from v1_prompts order by timestamp_ms") == [
        ("prompt", "u1", "go"),
        ("queued_command", "q1", "use rye flour"),
        ("queued_words", None, "and bake it dark"),
        ("queued_words", None, "serve it wa"),
    ]


def test_command_not_queued_by_a_person_is_not_typed(db: Path, project: Path) -> None:
    others = queued_command("q1", 6, "carry on", attached={"origin": {"kind": "coordinator"}})
    write(project / "s1.jsonl", *queue_session(others))
    index(db, project)
    assert ask(db, "select is_typed, form from v1_entries where uuid = 'q1'") == [(0, None)]
    assert "carry on" not in output_of(db, "show", "s1")
    assert hits(db, "carry", "--type", "prompt") == []


def test_subagent_report_is_shown_searchable_and_linked(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Task", prompt="look", subagent_type="Explore"), parent="u1"),
        user("r1", 2, tool_result("t1"), parent="a1", toolUseResult={"agentId": "g1"}),
        user("n1", 30, REPORT, parent="r1"),
        queued_command("n2", 31, REPORT.replace("quinces", "plums"), parentUuid="n1"),
    )
    agent_file(project, "g1", user("k1", 3, "look", isSidechain=True, agentId="g1"))
    index(db, project)
    text = output_of(db, "show", "s1")
    for fruit in ("quinces", "plums"):
        assert (
            f'  Agent Explore • g1 • Agent "look around" completed (completed)\n  The cellar\n  is full of {fruit}.\n'
            in text
        )
    assert text.count("Report  ") == 2
    [hit] = hits(db, "quinces")
    assert (hit["uuid"], hit["agent_id"], hit["form"]) == ("n1", "g1", "notification")
    assert "  report  " in output_of(db, "search", "quinces")
    assert ask(db, "select uuid, kind, agent_id, summary, result from v1_task_notices order by uuid limit 1") == [
        ("n1", "task", "g1", 'Agent "look around" completed', "The cellar\nis full of quinces.")
    ]


def test_shell_notification_shows_the_shell_id(db: Path, project: Path) -> None:
    notification = (
        "<bash-notification>\n<shell-id>b9</shell-id>\n<status>failed</status>\n<summary>Build failed.</summary>\n"
    )
    write(project / "s1.jsonl", user("u1", 0, "go"), user("n1", 1, notification + "</bash-notification>", parent="u1"))
    index(db, project)
    assert shown(db)[-2:] == ["Notice", "  Shell b9 • Build failed. (failed)"]
    assert ask(db, "select task_id, status, kind, agent_id, summary from v1_task_notices") == [
        ("b9", "failed", "shell", None, "Build failed.")
    ]


def test_context_from_an_editor_is_separated_from_the_prompt(db: Path, project: Path) -> None:
    context = "<ide_opened_file>The user opened\nx.py</ide_opened_file>"
    write(project / "s1.jsonl", user("u1", 0, text_block(context), text_block("<ide_selection>1</ide_selection> why?")))
    index(db, project)
    assert shown(db) == ["", "You", "  ┊ The user opened x.py", "  ┊ 1", "  why?"]
    assert one(db, "select first_prompt from v1_sessions") == "why?"


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}


@pytest.mark.parametrize(
    ("entries", "first"),
    [
        ([user("u1", 0, "<ide_opened_file>a</ide_opened_file>\n<ide_selection>b</ide_selection>\n why?")], "why?"),
        ([user("u1", 0, "<ide_opened_file>a</ide_opened_file>why <ide_x>?")], "why <ide_x>?"),
        ([user("u1", 0, "<ide_opened_file>never closed")], "<ide_opened_file>never closed"),
        ([user("u1", 0, "<idea>mine</idea>")], "<idea>mine</idea>"),
        ([user("u1", 0, IMAGE)], "(image)"),
        ([user("u1", 0, IMAGE), user("u2", 1, "what is it?", parent="u1")], "(image) what is it?"),
        ([user("u1", 0, IMAGE, text_block("see?")), user("u2", 1, "well?", parent="u1")], "see?"),
        (
            [
                user("u1", 0, text_block("<ide_selection>b</ide_selection>"), IMAGE),
                user("c1", 1, "<command-name>/model</command-name>", parent="u1"),
                user("u2", 2, IMAGE, parent="c1"),
                queued_command("q1", 3, "<ide_selection>c</ide_selection>what is it?", parentUuid="u2"),
            ],
            "(image) what is it?",
        ),
    ],
)
def test_first_prompt_starts_with_typed_text(db: Path, project: Path, entries: list[str], first: str) -> None:
    write(project / "s1.jsonl", *entries)
    index(db, project)
    assert one(db, "select first_prompt from v1_sessions") == first


def test_command_recorded_as_system_entry_is_shown_as_typed(db: Path, project: Path) -> None:
    system = {"type": "system", "subtype": "local_command", "message": None}
    write(
        project / "s1.jsonl",
        line("c1", content="<command-name>/model</command-name>\n<command-args>opus</command-args>", **system),
        line("c2", parent="c1", content="<local-command-stdout>Set model</local-command-stdout>", **system),
    )
    index(db, project)
    assert output_of(db, "show", "s1").splitlines()[0] == "== Session s1 • /model opus"
    assert shown(db) == ["", "You", "  /model opus", "", "Output", "  Set model"]


def test_forked_subagent_has_the_description_from_its_sidecar(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, tool_use("t1", "Agent", prompt="all of it", description="as asked"), parent="u1"),
    )
    folder = agent_file(project, "f1", user("k1", 2, "history", isSidechain=True, agentId="f1")).parent
    sidecar = {"agentType": "fork", "isFork": True, "description": "Count the jars", "toolUseId": "t1"}
    write(folder / "agent-f1.meta.json", json.dumps(sidecar))
    index(db, project)
    assert one(db, "select description from v1_agents") == "Count the jars"
    assert "Count the jars" in output_of(db, "tree", "--session", "s1")
    write(folder / "agent-f1.meta.json", json.dumps(sidecar | {"isFork": False}))
    index(db, project)
    assert one(db, "select description from v1_agents") == "as asked"


def test_thinking_without_text_is_omitted_if_the_answer_has_text(db: Path, project: Path) -> None:
    same = {"message": {"id": "m1"}}
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant("a1", 1, thinking_block(""), parent="u1", **same),
        assistant("a2", 2, {"type": "redacted_thinking", "data": "xyz"}, text_block("done"), parent="a1", **same),
        assistant("a3", 3, thinking_block(""), parent="a2"),
    )
    index(db, project)
    assert shown(db) == ["", "You", "  go", "", "Claude", "  done"]
    assert shown(db, "--all")[4:] == ["Claude", "  ✻ (thinking not recorded)", "  done", "", *shown(db, "--all")[-2:]]
    assert output_of(db, "show", "a3").splitlines()[-1] == "  ✻ (thinking not recorded)"


SEARCHED = [
    {"type": "web_search_result", "title": "Rye", "url": "https://rye.example", "encrypted_content": "xx"},
    {"type": "web_search_result", "title": "Oats", "url": "https://oats.example", "page_age": None},
]
UNAVAILABLE = {"type": "advisor_tool_result_error", "error_code": "unavailable"}


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        (
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "rye"}},
            ["  ● web_search  rye"],
        ),
        ({"type": "server_tool_use", "id": "s1", "name": "advisor", "input": {}}, ["  ● advisor"]),
        (
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": SEARCHED},
            ["    ⎿ Rye  https://rye.example", "      Oats  https://oats.example"],
        ),
        (
            {
                "type": "advisor_tool_result",
                "tool_use_id": "s1",
                "content": {"type": "advisor_result", "text": "Stop."},
            },
            ["    ⎿ Stop."],
        ),
        (
            {"type": "advisor_tool_result", "tool_use_id": "s1", "content": {"type": "advisor_redacted_result"}},
            ["    ⎿ (advisor redacted result)"],
        ),
        ({"type": "advisor_tool_result", "tool_use_id": "s1", "content": UNAVAILABLE}, ["    ⎿ error: unavailable"]),
        ({"type": "fallback", "model": "claude-x", "reason": {"why": "refused"}}, ["  [fallback] claude-x · refused"]),
    ],
)
def test_server_tools_are_readable(db: Path, project: Path, tmp_path: Path, block: Any, lines: list[str]) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, block, parent="u1"))
    index(db, project)
    assert shown(db)[5:] == lines
    output_of(db, "export", "--session", "s1", "--out", str(tmp_path / "out"))
    page = (tmp_path / "out" / "transcript_s1.md").read_text(encoding="utf-8")
    assert "tool_use_id" not in page
    assert lines[-1].split("  ")[-1].removeprefix("⎿ ").removeprefix("● ") in page
