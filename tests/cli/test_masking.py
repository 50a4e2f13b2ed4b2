"""What people see has no secrets in it, wherever those stand; what programs read, and --raw, has."""

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

PIECE = 8
SESSIONS = 7
STEP = 37  # so that the secrets of some session stand at the edge of whatever is cut
PLACES = (
    "prompt answer thinking command result title summary cwd branch path tool error malformed description agent "
    "agent_answer system project key document teammate sidecar"
).split()


def random_part(place: str) -> str:
    """What must not be seen of a place's secret: the same in every run, and in no repository."""
    dice = random.Random(place)  # noqa: S311 - it shall be known
    return "".join(dice.choices(string.ascii_letters + string.digits, k=44))


SECRETS = {place: ("sk-ant-" if at % 2 else "ghp_") + random_part(place) for at, place in enumerate(PLACES)}
PIECES = {
    secret[at : at + PIECE]: place
    for place in PLACES
    for secret in [random_part(place)]
    for at in range(len(secret) - PIECE + 1)
}


def seen(text: str) -> set[str]:
    """The places whose secrets a text gives away, by any piece of the random part, wherever lines were broken."""
    marks = str.maketrans("", "", "«»\n│ ⏎`\\")
    texts = text, text.translate(marks)
    return {place for piece, place in PIECES.items() if any(piece in one for one in texts)}


def lines_of(number: int) -> Iterator[str]:
    """A session with a secret in every place of an entry, each behind so many signs."""
    pad, session = "w" * (STEP * number), f"s{number:02}"
    told = {place: f"{pad} {secret} and so on" for place, secret in SECRETS.items()}

    def at(parent: str | None = None) -> dict[str, Any]:
        keys = {"cwd": f"/w/{SECRETS['cwd']}", "gitBranch": f"fix/{SECRETS['branch']}", "sessionId": session}
        return keys | ({"parent": f"{session}-{parent}"} if parent else {})

    named = {"description": told["description"]} if number % 2 else {}
    yield user(f"{session}-u1", 1, told["prompt"], **at())
    blocks = [
        thinking_block(told["thinking"]),
        text_block(told["answer"]),
        tool_use(f"t1{session}", "Bash", command=told["command"], description="d"),
        tool_use(f"t2{session}", f"mcp__x__{SECRETS['tool']}", note="n", api_key=SECRETS["key"]),
        tool_use(f"t3{session}", "Read", file_path=f"/w/{pad}/{SECRETS['path']}/a.py"),
        tool_use(f"t4{session}", "Task", prompt=told["agent"], subagent_type="helper", **named),
    ]
    yield assistant(f"{session}-a1", 2, *blocks, **at("u1"))
    yield user(f"{session}-r1", 3, tool_result(f"t1{session}", told["result"], is_error=True), **at("a1"))
    yield user(f"{session}-r2", 4, tool_result(f"t2{session}", [text_block(told["result"])]), **at("r1"))
    error: dict[str, Any] = {"error": {"message": told["error"]}, "retryAttempt": 1, "maxRetries": 2}
    said: dict[str, Any] = {"type": "system", "message": None, "timestamp": "2026-03-01T09:00:05.000Z"}
    yield line(f"{session}-e1", subtype="api_error", **said, **error, **at("r2"))
    yield line(f"{session}-e2", subtype="info", content=told["system"], **said, **at("e1"))
    yield user(f"{session}-u2", 6, f"{told['teammate']}", **at("e2"))
    if number % 3 == 1:
        yield record(type="custom-title", customTitle=told["title"], sessionId=session)
    elif number % 3 == 2:
        yield record(type="summary", summary=told["summary"], leafUuid=f"{session}-u2", sessionId=None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("masking")
    project = place / "projects" / f"-w-{SECRETS['project']}"
    for number in range(SESSIONS):
        session, pad = f"s{number:02}", "w" * (STEP * number)
        path = write(project / f"{session}.jsonl", *lines_of(number))
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
    index(place / "x.db", project)
    return place


# every command with words that make it say all it can
SAID: dict[str, list[list[str]]] = {
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
        *([f'"{SECRETS[place]}"'] for place in ("prompt", "answer", "thinking", "command", "result")),
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


def told(folder: Path, capfd: pytest.CaptureFixture[str], command: str, *more: str) -> str:
    """All that a command prints and writes, whichever words it is given."""
    out = folder / "out" / "-".join((command, *more, os.environ.get("COLUMNS", "")))
    places = {"{projects}": str(folder / "projects"), "{out}": str(out)}
    for given in SAID[command]:
        shown = [word if "{" not in word else word.format(**{k[1:-1]: v for k, v in places.items()}) for word in given]
        words_ = [command, *shown, *more, "--db", str(folder / "x.db")]
        app(words_, standalone_mode=False)
    text = "".join(capfd.readouterr())
    if command == "export":
        files = [path for path in out.rglob("*") if path.is_file()]
        assert len(files) > SESSIONS
        text += "".join(path.read_text(encoding="utf-8") for path in files)
    return text


def test_every_command_is_tried() -> None:
    assert set(SAID) == set(COMMANDS)


@pytest.mark.parametrize("width", ["40", "80", "200"])
@pytest.mark.parametrize("command", SAID)
def test_what_people_see_has_no_piece_of_a_secret(
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    width: str,
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    text = told(folder, capfd, command)
    assert seen(text) == set()
    assert command in ("ingest", "restore", "doctor", "db", "explain") or "…" in text


@pytest.mark.parametrize("command", RAW)
def test_raw_shows_what_was_masked(folder: Path, capfd: pytest.CaptureFixture[str], command: str) -> None:
    assert seen(told(folder, capfd, command, "--raw"))


def test_programs_read_every_secret_as_it_was_recorded(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = {command: seen(told(folder, capfd, command, "--json")) for command in JSON}
    assert [command for command, places in found.items() if not places and command not in ("tree", "paths")] == []
    assert set().union(*found.values()) == set(PLACES) - {"document"}


def test_raw_pages_and_restored_files_hold_every_secret(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert seen(told(folder, capfd, "export", "--raw")) >= {"prompt", "answer", "command", "path", "description"}
    app(["restore", "--out", str(folder / "back"), "--db", str(folder / "x.db")], standalone_mode=False)
    files = (path for path in (folder / "back").rglob("*") if path.is_file())
    assert seen("".join(path.read_text(encoding="utf-8") for path in files)) == set(PLACES) - {"project"}


def test_what_was_typed_is_not_said_back(folder: Path) -> None:
    done = ccindex("show", SECRETS["prompt"], "--db", folder / "x.db")
    assert done.returncode == 1
    assert "no session, line, entry or path in this index begins with 'ghp_…'" in done.stderr


def test_a_hit_that_was_found_by_a_secret_is_shown_masked(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    app(["search", SECRETS["prompt"], "--session", "s02", "--db", str(folder / "x.db")], standalone_mode=False)
    said = capfd.readouterr().out
    assert "s02-u1" in said
    assert "ghp_… and so on" in said


def test_copies_whose_paths_differ_in_a_secret_alone_are_explained(
    db: Path, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for place in PLACES[:2]:
        write(project.with_name(f"-w-ghp_{random_part(place)}") / "s1.jsonl", user("u1", 1, "begin"))
    index(db, project.parent)
    app(["explain", "u1", "--db", str(db)], standalone_mode=False)
    said = capfd.readouterr().out
    assert "of 2 copies this one owns the uuid: its file's path sorts first" in said
    assert said.count("-w-ghp_…/s1.jsonl:1") == 2


def test_ids_that_look_like_secrets_still_name_what_they_name(
    db: Path, project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    session, first, second, third, tool, agent = (SECRETS[place] for place in PLACES[:6])
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
    wanted = [
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
    said = []
    for given in wanted:
        app([*given, "--db", str(db)], standalone_mode=False)
        said.append(capfd.readouterr().out)
    assert [given for given, text in zip(wanted, said, strict=True) if not text] == [["files"]]
    assert "begin" in said[0]
    assert "another way" in said[0]
