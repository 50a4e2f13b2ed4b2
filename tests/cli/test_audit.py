"""Reading hostile transcripts starts no process, opens no socket, runs no code and writes only ccindex's own files."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.making.command_tree import LEAVES
from tests.making.files import write
from tests.making.hostile_lines import write_lines
from tests.making.transcripts import assistant, line, tool_use, user_message

# creates a file if any text or name in a transcript is executed as code
CODE = "__import__('os').system('touch pwned')"

# logs forbidden Python audit events, starting before the first import of ccindex
HOOK = """
import json, os, sys

allowed, commands, log = json.loads(sys.argv[1]), json.loads(sys.argv[2]), []
STARTS = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system",
          "os.startfile", "pty.spawn", "urllib.", "http.", "ftplib.",
          "smtplib.", "webbrowser.", "pickle.", "ctypes.dlopen")
MOVES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
         "os.chown", "os.utime", "shutil.rmtree", "shutil.move", "shutil.copyfile", "tempfile.mkstemp",
         "tempfile.mkdtemp")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

def is_inside(name):
    if isinstance(name, int) or name is None:
        return True
    path = os.path.realpath(os.fsdecode(name))
    return path == os.devnull or any(path == folder or path.startswith(folder + os.sep) for folder in allowed)

def hook(event, args):
    if event == "compile":
        source = args[0].decode(errors="replace") if isinstance(args[0], bytes) else str(args[0])
        if "pwned" in source:
            log.append((event, source[:200]))
    elif event.startswith(STARTS):
        log.append((event, repr(args)[:200]))
    elif event == "open" and (args[2] or 0) & WRITES and not is_inside(args[0]):
        log.append((event, repr(args)[:200]))
    elif event in MOVES and not all(map(is_inside, [item for item in args if isinstance(item, (str, bytes))])):
        log.append((event, repr(args)[:200]))
    elif event == "sqlite3.connect" and args[0] != ":memory:":
        name = str(args[0]).removeprefix("file:").partition("?")[0]
        if not is_inside(name):
            log.append((event, repr(args)[:200]))
    elif event in ("sqlite3.enable_load_extension", "sqlite3.load_extension"):
        log.append((event, repr(args)[:200]))

sys.addaudithook(hook)
from ccindex.cli import main

codes = []
for command in commands:
    sys.argv = ["ccindex", *command]
    try:
        main()
        codes.append(0)
    except SystemExit as end:
        codes.append(end.code or 0)
with open(os.path.join(allowed[0], "log.json"), "w") as file:
    json.dump({"log": log, "codes": codes}, file)
"""

# every command, with arguments
COMMANDS = {
    ("ingest",): [["ingest", "{projects}"], ["ingest", "{projects}", "--full", "--json"]],
    ("sessions",): [["sessions"], ["sessions", "--tool", CODE, "--project", CODE, "--model", CODE]],
    ("tree",): [["tree"], ["tree", "--json"]],
    ("paths",): [["paths", "--session", "known"]],
    ("show",): [["show", "known", "--full", "--all"], ["show", "known", "--raw"], ["show", CODE]],
    ("search",): [["search", "pwned"], ["search", CODE]],
    ("explain",): [["explain", "k1"]],
    ("graph",): [["graph", "tree", "known"], ["graph", "ancestors", "k2"], ["graph", "tree", "known", "--json"]],
    ("stats",): [["stats"], ["stats", "--by", "model", "--json"]],
    ("tools",): [["tools"], ["tools", "--csv"]],
    ("agents",): [["agents"]],
    ("files",): [["files"]],
    ("export",): [
        ["export", "--all", "--format", form, "--out", "{out}"] for form in ("markdown", "json", "dot", "tree")
    ],
    ("restore",): [["restore", "--out", "{out}/restored"]],
    ("sql",): [["sql", "select * from v1_entries"], ["sql", "--schema"], ["sql", "--examples"], ["sql", CODE]],
    ("doctor",): [["doctor"], ["doctor", "--secrets"]],
    ("forget",): [["forget", "--session", "known", "--dry-run"], ["forget", "--session", "known"]],
    ("db", "path"): [["db", "path"]],
    ("db", "current"): [["db", "current"]],
    ("db", "upgrade"): [["db", "upgrade"]],
    ("db", "rebuild"): [["db", "rebuild"]],
    ("db", "reprice"): [["db", "reprice"]],
    ("db", "vacuum"): [["db", "vacuum"]],
}


def test_every_command_is_audited() -> None:
    assert set(COMMANDS) == set(LEAVES)


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "projects"
    write_lines(folder, random.Random(7), 200)  # noqa: S311
    message = {"model": "claude-opus-4-7", "usage": {"output_tokens": 3}}
    call = tool_use("t1", CODE, command=CODE, file_path=CODE)
    rows = [line("k1", sessionId="known", message=user_message(CODE), cwd=CODE, gitBranch=CODE)]
    rows.append(assistant("k2", 0, call, parent="k1", sessionId="known", message=message))
    write(folder / CODE.replace("/", "_") / "known.jsonl", *rows)
    write(folder / "p" / "known" / "subagents" / "agent-a.meta.json", json.dumps({"agentType": CODE, "name": CODE}))
    return folder


def test_commands_start_no_process_open_no_socket_and_write_only_their_own_files(
    tmp_path: Path, projects: Path
) -> None:
    root = tmp_path.resolve()
    folders = {name: root / name for name in ("log", "index", "out", "temporary", "home")}
    for name in ("log", "temporary", "home"):
        folders[name].mkdir()
    substitutions = {
        "{projects}": str(projects),
        "{out}": str(folders["out"]),
        "{out}/restored": str(folders["out"] / "restored"),
    }
    command_lines = [
        [*(substitutions.get(argument, argument) for argument in command), "--db", str(folders["index"] / "x.db")]
        for commands in COMMANDS.values()
        for command in commands
    ]
    before = sorted(projects.rglob("*"))
    allowed = [str(folders[name]) for name in ("log", "index", "out", "temporary")]
    process = subprocess.run(
        [sys.executable, "-B", "-c", HOOK, json.dumps(allowed), json.dumps(command_lines)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        cwd=folders["home"],
        env=os.environ | {"TMPDIR": str(folders["temporary"]), "HOME": str(folders["home"])},
        timeout=120,
    )
    assert process.returncode == 0, process.stderr
    report = json.loads((folders["log"] / "log.json").read_text())
    assert report["log"] == []
    wrong = [
        arguments
        for arguments, code in zip(command_lines, report["codes"], strict=True)
        if code != (CODE in arguments[:2] and arguments[0] != "search")
    ]
    assert wrong == []
    # the hook does not see files that SQLite opens
    assert sorted(projects.rglob("*")) == before
    assert list(folders["home"].iterdir()) == []
    assert list(folders["temporary"].iterdir()) == []
    assert {path.name for path in folders["index"].iterdir()} <= {
        "x.db",
        "x.db-wal",
        "x.db-shm",
        "x.db.lock",
        "x.db.ran",
    }


@pytest.mark.parametrize(
    ("action", "event"),
    [
        ("import os; os.system('true')", "os.system"),
        ("import subprocess; subprocess.run(['true'])", "subprocess.Popen"),
        ("import socket; socket.socket()", "socket.__new__"),
        ("open('elsewhere', 'w')", "open"),
        ("import os; os.mkdir('elsewhere')", "os.mkdir"),
        ("import sqlite3; sqlite3.connect('elsewhere')", "sqlite3.connect"),
        ("eval('1 or \"pwned\"')", "compile"),
    ],
)
def test_audit_hook_detects_forbidden_actions(tmp_path: Path, action: str, event: str) -> None:
    script = HOOK.replace("from ccindex.cli import main", f"def main():\n    {action}\n")
    command = [sys.executable, "-B", "-c", script, json.dumps([str(tmp_path / "in")]), json.dumps([["x"]])]
    (tmp_path / "in").mkdir()
    subprocess.run(command, check=True, cwd=tmp_path)
    report = json.loads((tmp_path / "in" / "log.json").read_text())
    assert event in [name for name, _ in report["log"]]
