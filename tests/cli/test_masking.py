"""Output for people masks secrets wherever they are recorded; JSON, CSV and --raw do not."""

import os
import random
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ccindex.cli.app import COMMANDS, app
from tests.making.commands import ccindex
from tests.making.files import append, write
from tests.making.indexes import index
from tests.making.transcripts import (
    agent_file,
    assistant,
    line,
    record,
    text_block,
    thinking_block,
    tool_result,
    tool_use,
    user,
)

PIECE_CHARS = 8
SESSIONS = 7
STEP = 37  # padding grows by this many characters per session, so that some secrets are where text is cut
FIELDS = (
    "prompt answer thinking command result title summary cwd branch path tool error malformed description agent "
    "agent_answer system project key document teammate sidecar"
).split()


def random_part(field: str) -> str:
    """Return the part of a field's secret that must be masked. It is the same in every run."""
    rng = random.Random(field)  # noqa: S311 - must be predictable
    return "".join(rng.choices(string.ascii_letters + string.digits, k=44))


SECRETS = {field: ("sk-ant-" if number % 2 else "ghp_") + random_part(field) for number, field in enumerate(FIELDS)}
PIECES = {
    secret[start : start + PIECE_CHARS]: field
    for field in FIELDS
    for secret in [random_part(field)]
    for start in range(len(secret) - PIECE_CHARS + 1)
}


def leaked(text: str) -> set[str]:
    """Return the fields whose secrets appear in the given text, even in part or across line breaks."""
    layout = str.maketrans("", "", "«»\n│ ⏎`\\")
    variants = text, text.translate(layout)
    return {field for piece, field in PIECES.items() if any(piece in variant for variant in variants)}


def session_lines(number: int) -> Iterator[str]:
    """Yield the lines of a session with a secret in every field. The number sets the padding before the secrets."""
    pad, session = "w" * (STEP * number), f"s{number:02}"
    texts = {field: f"{pad} {secret} and so on" for field, secret in SECRETS.items()}

    def common(parent: str | None = None) -> dict[str, Any]:
        keys = {"cwd": f"/w/{SECRETS['cwd']}", "gitBranch": f"fix/{SECRETS['branch']}", "sessionId": session}
        return keys | ({"parent": f"{session}-{parent}"} if parent else {})

    description = {"description": texts["description"]} if number % 2 else {}
    yield user(f"{session}-u1", 1, texts["prompt"], **common())
    blocks = [
        thinking_block(texts["thinking"]),
        text_block(texts["answer"]),
        tool_use(f"t1{session}", "Bash", command=texts["command"], description="d"),
        tool_use(f"t2{session}", f"mcp__x__{SECRETS['tool']}", note="n", api_key=SECRETS["key"]),
        tool_use(f"t3{session}", "Read", file_path=f"/w/{pad}/{SECRETS['path']}/a.py"),
        tool_use(f"t4{session}", "Task", prompt=texts["agent"], subagent_type="helper", **description),
    ]
    yield assistant(f"{session}-a1", 2, *blocks, **common("u1"))
    yield user(f"{session}-r1", 3, tool_result(f"t1{session}", texts["result"], is_error=True), **common("a1"))
    yield user(f"{session}-r2", 4, tool_result(f"t2{session}", [text_block(texts["result"])]), **common("r1"))
    error: dict[str, Any] = {"error": {"message": texts["error"]}, "retryAttempt": 1, "maxRetries": 2}
    system: dict[str, Any] = {"type": "system", "message": None, "timestamp": "2026-03-01T09:00:05.000Z"}
    yield line(f"{session}-e1", subtype="api_error", **system, **error, **common("r2"))
    yield line(f"{session}-e2", subtype="info", content=texts["system"], **system, **common("e1"))
    yield user(f"{session}-u2", 6, f"{texts['teammate']}", **common("e2"))
    if number % 3 == 1:
        yield record(type="custom-title", customTitle=texts["title"], sessionId=session)
    elif number % 3 == 2:
        yield record(type="summary", summary=texts["summary"], leafUuid=f"{session}-u2", sessionId=None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("masking")
    project = root / "projects" / f"-w-{SECRETS['project']}"
    for number in range(SESSIONS):
        session, pad = f"s{number:02}", "w" * (STEP * number)
        path = write(project / f"{session}.jsonl", *session_lines(number))
        append(path, f"no object: {SECRETS['malformed']}\n")
        thread: dict[str, Any] = {"sessionId": session, "isSidechain": True, "agentId": f"k{number}"}
        agent_file(
            project,
            f"k{number}",
            user(f"{session}-g1", 7, f"{pad} {SECRETS['agent']} and so on", **thread),
            assistant(f"{session}-g2", 8, text_block(SECRETS["agent_answer"]), parent=f"{session}-g1", **thread),
            session=session,
            sidecar={
                "agentType": "helper",
                "description": f"{pad} {SECRETS['sidecar']}",
                "toolUseId": f"t4{session}",
            },
        )
        write(project / session / "tool-results" / "big.txt", f"{pad} {SECRETS['document']}")
    index(root / "x.db", project)
    return root


# every command, with arguments that make it print as much as possible
ARGUMENTS: dict[str, list[list[str]]] = {
    "ingest": [["{projects}"]],
    "sessions": [["--limit", "0"]],
    "tree": [[], ["--session", "s03"]],
    "paths": [["--session", "s03"], ["--session", "s04", "--uuids"], ["--session", "s05", "--recorded", "--agents"]],
    "show": [
        *([f"s{number:02}", "--all", "--agents"] for number in range(SESSIONS)),
        ["s05", "--full", "--inline"],
        ["s05-e1"],
        ["s05-a1"],
        ["path-s05-u2"],
    ],
    "search": [
        ["and so on", "--limit", "0"],
        ["sk", "--limit", "0"],
        *([f'"{SECRETS[field]}"'] for field in ("prompt", "answer", "thinking", "command", "result")),
    ],
    "explain": [["s03-a1"], ["s03-g1"]],
    "graph": [
        *(["tree", f"s{number:02}"] for number in range(SESSIONS)),
        *([query, "s05"] for query in ("depth-first", "roots", "sidechains", "branch-points", "is-linear")),
        ["ancestors", "s05-u2"],
    ],
    "stats": [["--by", by] for by in ("day", "model", "project", "session", "tool", "agent")],
    "tools": [["--limit", "0"]],
    "agents": [["--limit", "0"]],
    "files": [["--limit", "0"]],
    "export": [
        ["--all", "--agents", "--out", "{out}/markdown"],
        *(["--all", "--format", form, "--out", "{out}/" + form] for form in ("dot", "tree", "timeline")),
    ],
    "restore": [["--out", "{out}/restored"]],
    "sql": [
        ["select * from v1_entries"],
        ["select text as uuid, tool_name, input from v1_blocks"],
        ["select * from v1_diagnostics"],
        ["select * from v1_sources"],
        ["select * from v1_agents"],
        ["select substr(text, 1, 60) from v1_entries"],
        [f"select '{SECRETS['prompt']}'"],
        ["--example", "latest_prompts"],
        ["--example", "costliest_sessions"],
    ],
    "doctor": [["--all"], ["--secrets"]],
    "forget": [["--session", "s05", "--dry-run"], ["--list"]],
    "db": [["path"], ["current"]],
}  # fmt: skip
RAW = ("sessions", "tree", "paths", "search", "explain", "graph", "stats", "tools", "agents", "files", "sql", "show")
JSON = (*RAW, "restore")


def output_of(folder: Path, capfd: pytest.CaptureFixture[str], command: str, *more: str) -> str:
    """Run a command once per list of arguments; return everything that it prints and writes."""
    out = folder / "out" / "-".join((command, *more, os.environ.get("COLUMNS", "")))
    paths = {"projects": str(folder / "projects"), "out": str(out)}
    for template in ARGUMENTS[command]:
        arguments = [text.format(**paths) if "{" in text else text for text in template]
        app([command, *arguments, *more, "--db", str(folder / "x.db")], standalone_mode=False)
    text = "".join(capfd.readouterr())
    if command == "export":
        files = [path for path in out.rglob("*") if path.is_file()]
        assert len(files) > SESSIONS
        text += "".join(path.read_text(encoding="utf-8") for path in files)
    return text


def test_masking_is_tested_for_every_command() -> None:
    assert set(ARGUMENTS) == set(COMMANDS)


@pytest.mark.parametrize("width", ["40", "80", "200"])
@pytest.mark.parametrize("command", ARGUMENTS)
def test_human_readable_output_contains_no_part_of_a_secret(
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    width: str,
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    text = output_of(folder, capfd, command)
    assert leaked(text) == set()
    assert command in ("ingest", "restore", "doctor", "db", "explain") or "…" in text


@pytest.mark.parametrize("command", RAW)
def test_raw_shows_secrets(folder: Path, capfd: pytest.CaptureFixture[str], command: str) -> None:
    assert leaked(output_of(folder, capfd, command, "--raw"))


def test_json_contains_every_secret(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    leaks = {command: leaked(output_of(folder, capfd, command, "--json")) for command in JSON}
    assert [command for command, fields in leaks.items() if not fields and command not in ("tree", "paths")] == []
    assert set().union(*leaks.values()) == set(FIELDS) - {"document"}


def test_raw_exports_and_restored_files_contain_every_secret(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert leaked(output_of(folder, capfd, "export", "--raw")) >= {"prompt", "answer", "command", "path", "description"}
    app(["restore", "--out", str(folder / "back"), "--db", str(folder / "x.db")], standalone_mode=False)
    files = (path for path in (folder / "back").rglob("*") if path.is_file())
    assert leaked("".join(path.read_text(encoding="utf-8") for path in files)) == set(FIELDS) - {"project"}


def test_secret_in_an_argument_is_masked_in_the_message(folder: Path) -> None:
    result = ccindex("show", SECRETS["prompt"], "--db", folder / "x.db")
    assert result.returncode == 1
    assert "no session, line, entry or path in this index has an id starting with 'ghp_…'" in result.stderr


def test_search_for_a_secret_shows_masked_hits(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    app(["search", SECRETS["prompt"], "--session", "s02", "--db", str(folder / "x.db")], standalone_mode=False)
    stdout = capfd.readouterr().out
    assert "s02-u1" in stdout
    assert "ghp_… and so on" in stdout


def test_explain_masks_paths_that_differ_only_in_a_secret(
    db: Path, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for field in FIELDS[:2]:
        write(project.with_name(f"-w-ghp_{random_part(field)}") / "s1.jsonl", user("u1", 1, "begin"))
    index(db, project.parent)
    app(["explain", "u1", "--db", str(db)], standalone_mode=False)
    stdout = capfd.readouterr().out
    assert "chosen from 2 occurrences because its file's path sorts first" in stdout
    assert stdout.count("-w-ghp_…/s1.jsonl:1") == 2


def test_ids_that_look_like_secrets_are_accepted_by_all_commands(
    db: Path, project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    session, first, second, third, tool, agent = (SECRETS[field] for field in FIELDS[:6])
    keys: dict[str, Any] = {"sessionId": session}
    inside = keys | {"isSidechain": True, "agentId": agent}
    write(
        project / f"{session}.jsonl",
        user(first, 1, "begin", **keys),
        assistant(second, 2, tool_use(tool, "Task", prompt="do", description="it"), parent=first, **keys),
        user(third, 3, tool_result(tool, f"agentId: {agent}"), parent=second, **keys),
        user(SECRETS["cwd"], 4, "another way", parent=first, **keys),
    )
    agent_file(project, agent, user(SECRETS["branch"], 5, "do", **inside), session=session, sidecar={"toolUseId": tool})
    index(db, project)
    commands = [
        ["show", session, "--all", "--agents"],
        ["show", session, "--inline"],
        *(["show", uuid] for uuid in (first, second, f"path-{third}", f"{session}#agent-{agent}")),
        ["explain", first],
        ["explain", SECRETS["branch"]],
        *(["graph", query, session] for query in ("tree", "depth-first", "sidechains", "branch-points", "roots")),
        ["graph", "ancestors", third],
        *([command] for command in ("sessions", "tree", "tools", "agents", "files", "doctor")),
        ["tree", "--session", session],
        ["paths", "--session", session, "--agents"],
        ["paths", "--session", session, "--uuids"],
        *(["stats", "--by", by] for by in ("session", "tool", "agent")),
        ["search", "begin", "OR", "do"],
        *(
            ["export", "--all", "--agents", "--format", form, "--out", str(tmp_path / form)]
            for form in ("markdown", "json", "dot", "tree", "timeline")
        ),
    ]
    outputs = []
    for command in commands:
        app([*command, "--db", str(db)], standalone_mode=False)
        outputs.append(capfd.readouterr().out)
    assert [command for command, text in zip(commands, outputs, strict=True) if not text] == [["files"]]
    assert "begin" in outputs[0]
    assert "another way" in outputs[0]
