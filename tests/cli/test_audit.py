"""What the program asks of Python while it reads what others wrote: no process, network, code or foreign file."""

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

# what could only come of running a transcript's words; in all of its texts and names
CODE = "__import__('os').system('touch pwned')"

# told by Python's own audit events, from the first import on
HOOK = """
import json, os, sys

allowed, words, log = json.loads(sys.argv[1]), json.loads(sys.argv[2]), []
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
    return path == os.devnull or any(path == place or path.startswith(place + os.sep) for place in allowed)

def hook(event, given):
    if event == "compile":
        source = given[0].decode(errors="replace") if isinstance(given[0], bytes) else str(given[0])
        if "pwned" in source:
            log.append((event, source[:200]))
    elif event.startswith(STARTS):
        log.append((event, repr(given)[:200]))
    elif event == "open" and (given[2] or 0) & WRITES and not is_inside(given[0]):
        log.append((event, repr(given)[:200]))
    elif event in MOVES and not all(map(is_inside, [item for item in given if isinstance(item, (str, bytes))])):
        log.append((event, repr(given)[:200]))
    elif event == "sqlite3.connect" and given[0] != ":memory:":
        name = str(given[0]).removeprefix("file:").partition("?")[0]
        if not is_inside(name):
            log.append((event, repr(given)[:200]))
    elif event in ("sqlite3.enable_load_extension", "sqlite3.load_extension"):
        log.append((event, repr(given)[:200]))

sys.addaudithook(hook)
from ccindex.cli import main

codes = []
for command in words:
    sys.argv = ["ccindex", *command]
    try:
        main()
        codes.append(0)
    except SystemExit as end:
        codes.append(end.code or 0)
with open(os.path.join(allowed[0], "log.json"), "w") as file:
    json.dump({"log": log, "codes": codes}, file)
"""

# every command that there is, with what it needs
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


def test_every_command_is_watched() -> None:
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


def test_no_command_runs_code_starts_a_process_opens_a_socket_or_writes_elsewhere(
    tmp_path: Path, projects: Path
) -> None:
    root = tmp_path.resolve()
    places = {name: root / name for name in ("log", "index", "out", "temporary", "home")}
    for name in ("log", "temporary", "home"):
        places[name].mkdir()
    named = {
        "{projects}": str(projects),
        "{out}": str(places["out"]),
        "{out}/restored": str(places["out"] / "restored"),
    }
    words = [
        [*(named.get(word, word) for word in command), "--db", str(places["index"] / "x.db")]
        for commands in COMMANDS.values()
        for command in commands
    ]
    before = sorted(projects.rglob("*"))
    allowed = [str(places[name]) for name in ("log", "index", "out", "temporary")]
    done = subprocess.run(
        [sys.executable, "-B", "-c", HOOK, json.dumps(allowed), json.dumps(words)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        cwd=places["home"],
        env=os.environ | {"TMPDIR": str(places["temporary"]), "HOME": str(places["home"])},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads((places["log"] / "log.json").read_text())
    assert told["log"] == []
    wrong = [
        word
        for word, code in zip(words, told["codes"], strict=True)
        if code != (CODE in word[:2] and word[0] != "search")
    ]
    assert wrong == []
    # what SQLite itself does, Python does not tell
    assert sorted(projects.rglob("*")) == before
    assert list(places["home"].iterdir()) == []
    assert list(places["temporary"].iterdir()) == []
    assert {path.name for path in places["index"].iterdir()} <= {
        "x.db",
        "x.db-wal",
        "x.db-shm",
        "x.db.lock",
        "x.db.ran",
    }


@pytest.mark.parametrize(
    ("deed", "event"),
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
def test_the_watch_would_notice(tmp_path: Path, deed: str, event: str) -> None:
    script = HOOK.replace("from ccindex.cli import main", f"def main():\n    {deed}\n")
    words = [sys.executable, "-B", "-c", script, json.dumps([str(tmp_path / "in")]), json.dumps([["x"]])]
    (tmp_path / "in").mkdir()
    subprocess.run(words, check=True, cwd=tmp_path)
    told = json.loads((tmp_path / "in" / "log.json").read_text())
    assert event in [name for name, _ in told["log"]]
