"""Control characters in transcripts are never printed to a terminal or a pipe, or written to exported text files."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.making.files import write_all
from tests.making.hostile_texts import ESCAPES, unsafe
from tests.making.in_process import misbehaviour, run
from tests.making.indexes import ask, index
from tests.making.pseudo_terminals import read_to_end
from tests.making.transcripts import line

BAD = "".join(ESCAPES).replace("\0", "")
# short, because it is part of every id
ID = "\x1b[31m\x9b\u202e"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Index a session and an agent with control characters in every name and text."""
    folder = tmp_path_factory.mktemp("bad").resolve()
    usage = {"output_tokens": 5, "service_tier": BAD}
    call = {"type": "tool_use", "id": f"t{BAD}", "name": f"Read{BAD}", "input": {"file_path": f"/w/{BAD}", BAD: BAD}}
    answer = {"type": "tool_result", "tool_use_id": f"t{BAD}", "is_error": True, "content": BAD}
    message = {"id": f"m{BAD}", "model": f"claude{BAD}", "stop_reason": BAD, "content": [call], "usage": usage}
    common: dict[str, Any] = {"sessionId": f"s1{ID}", "cwd": f"/w{BAD}", "gitBranch": BAD, "version": BAD, "slug": BAD}
    rows = [
        line(f"u1{ID}", **common, message={"role": "user", "content": BAD}),
        line(f"u2{ID}", parent=f"u1{ID}", type="assistant", message=message, **common),
        line(f"u3{ID}", parent=f"u2{ID}", message={"content": [answer]}, toolUseResult={"stderr": BAD}, **common),
        line(f"u4{ID}", parent=f"u3{ID}", message={"content": [{"type": BAD, BAD: BAD}, {"type": "text"}]}, **common),
        line(f"u5{ID}", parent=f"u3{ID}", type=BAD, subtype=BAD, content=BAD, level=BAD, **common),
        line(f"u6{ID}", parent=f"gone{ID}", type="system", subtype="api_error", error={"message": BAD}, **common),
        json.dumps({"type": "custom-title", "customTitle": BAD, "sessionId": f"s1{ID}"}),
        json.dumps({"type": f"other{BAD}", BAD: BAD}),
        f"malformed {BAD}",
    ]
    spawn = line(f"g1{ID}", isSidechain=True, agentId=f"k{ID}", **common)
    files = {
        f"projects/-p{ID}/s1{ID}.jsonl": ("\n".join(rows) + "\n").encode(),
        f"projects/-p{ID}/s1{ID}/subagents/agent-k{ID}.jsonl": (spawn + "\n").encode(),
        f"projects/-p{ID}/s1{ID}/subagents/agent-k{ID}.meta.json": json.dumps({"agentType": BAD, "name": BAD}).encode(),
    }
    write_all(folder, files)
    index(folder / "x.db", folder / "projects")
    return folder


READERS = [
    *(["sessions"], ["tree"], ["paths", "--session", "s1"], ["paths", "--session", "s1", "--uuids"], ["tools"]),
    *(
        ["show", "s1"],
        ["show", "s1", "--full", "--all", "--agents", "--inline"],
        ["search", "red"],
        ["agents"],
        ["files"],
    ),
    *(["graph", "tree", "s1"], ["graph", "depth-first", "s1"], ["graph", "sidechains", "s1"]),
    *(["explain", "u1"], ["explain", "u5"], ["stats", "--by", "model"], ["stats", "--by", "project"], ["stats"]),
    *(["doctor", "--all"], ["sql", "select * from v1_entries"], ["sql", "select path as '\x1b[2J' from v1_sources"]),
    *(["sql", "select * from v1_diagnostics"], ["sql", "--schema"], ["db", "path"], ["db", "current"]),
]
# commands that fail with a message that quotes an argument
FAILING = [
    *(
        ["show", BAD],
        ["explain", BAD],
        ["graph", "tree", BAD],
        ["graph", BAD, "u1"],
        ["sessions", "--session", BAD],
        ["sessions", BAD],
        [BAD],
        [f"--{BAD}"],
        ["db", BAD],
    ),
    *(["sessions", "--since", BAD], ["files", "--operation", BAD], ["sql", BAD], ["sql", f"{BAD}.sql"], ["show", "u"]),
    *(
        ["sql", "--example", BAD],
        ["sql", "--schema", BAD],
        ["sql", "select 1", "-p", BAD.replace("=", "")],
        ["sessions", "--limit", BAD],
    ),
    *(["restore", "--out", "out", "--source", BAD], ["export", "--format", BAD, "--out", "out"]),
    *(["sessions", "--db", f"/nowhere/{BAD}"], ["ingest", f"/nowhere/{BAD}"], ["restore", "--out", f"/dev/null/{BAD}"]),
]


def with_db(folder: Path, arguments: list[str]) -> list[str]:
    has_db = "--db" in arguments or arguments[0].startswith(("-", "\x1b"))
    return arguments if has_db else [*arguments, "--db", str(folder / "x.db")]


def test_index_contains_control_characters(folder: Path) -> None:
    [(title, uuid)] = ask(folder / "x.db", "select s.title, e.uuid from v1_sessions s, v1_entries e order by 2 limit 1")
    assert len(unsafe(title)) > 20
    assert unsafe(uuid)


@pytest.mark.parametrize("arguments", [*READERS, *FAILING], ids=lambda arguments: ascii(" ".join(arguments))[:60])
def test_piped_output_has_no_control_characters(folder: Path, arguments: list[str]) -> None:
    result = run(with_db(folder, arguments), folder)
    assert misbehaviour(result, human=True) is None
    assert (result.code == 0) == (arguments in READERS), result.stderr


@pytest.mark.parametrize("form", ["markdown", "dot", "tree", "timeline", "json"])
def test_exported_files_have_no_control_characters(folder: Path, tmp_path: Path, form: str) -> None:
    arguments = ["export", "--all", "--agents", "--format", form, "--out", str(tmp_path / "out")]
    result = run(with_db(folder, arguments), folder)
    assert (result.code, misbehaviour(result, human=True)) == (0, None)
    files = list((tmp_path / "out").iterdir())
    assert files
    for path in files:
        assert unsafe(path.name) == []
        if form == "json":
            json.loads(path.read_bytes())
        else:
            assert unsafe(path.read_text(encoding="utf-8")) == []


def test_terminal_output_has_no_escapes_except_colours(folder: Path, tmp_path: Path) -> None:
    documents = [["tree", "--json"], ["sessions", "--json"], ["tools", "--csv"], ["show", "s1", "--json"]]
    commands = [with_db(folder, arguments) for arguments in (*READERS, *FAILING, *documents)]
    commands.append(["ingest", str(folder / "projects"), "--db", str(tmp_path / "new.db")])
    output = on_one_terminal(commands, tmp_path)
    assert output.count("\n== next ==") == len(commands)
    assert "Traceback" not in output
    for arguments, text in zip(commands, output.split("== next ==\r\n"), strict=False):
        # the progress bar of ingest moves the cursor
        moves = ("\x1b[?25l", "\x1b[?25h", "\x1b[1A", "\x1b[2K", "\r") if arguments[0] == "ingest" else ()
        for move in moves:
            text = text.replace(move, "")  # noqa: PLW2901
        assert unsafe(text, on_terminal=True) == [], arguments
    assert (tmp_path / "new.db").exists()


def on_one_terminal(commands: list[list[str]], folder: Path) -> str:
    """Run commands in one process on a terminal; return its output."""
    script = (
        "import json, sys\n"
        "from ccindex.cli import main\n"
        "for words in json.load(open(sys.argv[1])):\n"
        "    sys.argv = ['ccindex', *words]\n"
        "    try: main()\n"
        "    except SystemExit: pass\n"
        "    print('\\n== next ==', flush=True)\n"
    )
    (folder / "words.json").write_text(json.dumps(commands))
    reader, terminal = pty.openpty()
    settings = os.environ | {"HOME": str(folder), "TERM": "xterm-256color", "COLUMNS": "120"}
    arguments = [sys.executable, "-c", script, str(folder / "words.json")]
    with subprocess.Popen(arguments, stdin=terminal, stdout=terminal, stderr=terminal, env=settings, cwd=folder):
        os.close(terminal)
        output = read_to_end(reader)
    return output.decode()
