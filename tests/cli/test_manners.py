"""How the program behaves among others: in pipes and on terminals, with its help, its completion and its start-up."""

import fcntl
import inspect
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from ccindex.cli.app import app
from tests.making.command_tree import COMMANDS, GROUPS, LEAVES
from tests.making.commands import CCINDEX, ccindex
from tests.making.files import write
from tests.making.folders import ROOT, SAMPLE
from tests.making.indexes import index
from tests.making.transcripts import line

# commands that list or show something, with what they need on the sample
SHOWN = {
    "sessions": ["sessions"],
    "tree": ["tree"],
    "paths": ["paths", "--session", "51ea"],
    "show": ["show", "51ea"],
    "search": ["search", "photo"],
    "explain": ["explain", "2cb4"],
    "graph": ["graph", "tree", "51ea"],
    "stats": ["stats"],
    "tools": ["tools"],
    "agents": ["agents"],
    "files": ["files"],
    "sql": ["sql", "select uuid, text from v1_entries"],
    "doctor": ["doctor"],
}
COLOURED = [name for name in SHOWN if name != "explain"]
ESCAPE = "\x1b"
COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|9[0-7])(?:;[0-9;]*)?m")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample").resolve()
    shutil.copytree(SAMPLE, folder / "sample")
    index(folder / "x.db", folder / "sample")
    return folder / "x.db"


def on_terminal(columns: int, *words: str | Path, **settings: str) -> str:
    """Run it on a terminal of that many columns; all that it shows there."""
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    unset = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM")
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    environment |= {"TERM": "xterm-256color"} | settings
    command = [*CCINDEX, *map(str, words)]
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment) as process:
        os.close(terminal)
        said = b""
        while part := _read(reader):
            said += part
        assert process.wait(timeout=60) == 0
    os.close(reader)
    return said.decode()


def _read(reader: int) -> bytes:
    try:
        return os.read(reader, 65_536)
    except OSError:  # how Linux says that the terminal is closed
        return b""


@pytest.mark.parametrize("name", COLOURED)
def test_a_terminal_has_colours_and_as_many_columns_as_it_says(sample: Path, name: str) -> None:
    said = on_terminal(100, *SHOWN[name], "--db", sample)
    is_plain = name in ("sql", "paths")  # a table of others' columns has a bold heading only
    assert ESCAPE in said if is_plain else COLOUR.search(said)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", said).split("\r\n")
    assert len(lines) > 2
    assert ESCAPE not in "".join(lines)
    if name not in ("search", "doctor"):
        assert max(map(cell_len, lines)) <= 100


@pytest.mark.parametrize("name", ["sessions", "search", "doctor"])
@pytest.mark.parametrize("setting", ["NO_COLOR=1", "TERM=dumb"])
def test_who_wants_no_colours_has_none(sample: Path, name: str, setting: str) -> None:
    variable, _, value = setting.partition("=")
    said = on_terminal(100, *SHOWN[name], "--db", sample, **{variable: value})
    assert said.count("\r\n") > 2
    assert COLOUR.search(said) is None


def test_json_on_a_terminal_is_laid_out_for_reading_and_has_no_colours(sample: Path) -> None:
    said = on_terminal(100, "db", "current", "--json", "--db", sample)
    assert said.startswith('{\r\n  "path": ')
    assert ESCAPE not in said


def test_recent_times_are_relative_on_a_terminal_and_nowhere_else(db: Path, project: Path) -> None:
    now = datetime.now(UTC)
    ages = {"a": timedelta(seconds=5), "b": timedelta(hours=2, minutes=5), "c": timedelta(days=3, hours=1)}
    for name, age in ages.items():
        moment = (now - age).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        write(project / f"{name}.jsonl", line(f"u{name}", sessionId=name, timestamp=moment))
    write(project / "old.jsonl", line("u1", sessionId="old"))
    index(db, project)
    said = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(100, "sessions", "--db", db))
    shown = [re.split(r"\s{2,}", row.strip())[:2] for row in said.split("\r\n")[2:-1]]
    assert shown == [["just now", "a"], ["2 hours ago", "b"], ["3 days ago", "c"], ["2026-03-01", "old"]]
    assert " ago" not in ccindex("sessions", "--db", db).stdout


# run the program as it is installed, and say at its end what it imported
WATCHED = (
    "import atexit, sys\n"
    "atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))\n"
    "sys.argv[0] = 'ccindex'\n"
    "from ccindex.cli import main\n"
    "main()\n"
)
NOT_AT_ALL = {"sqlalchemy", "alembic", "genai_prices", "rich.console", "rich.text", "ccindex.ingest"}
IN_A_PIPE = SHOWN | {
    "export": ["export", "--session", "51ea", "--out", "{out}"],
    "restore": ["restore", "--out", "{out}"],
    "db path": ["db", "path"],
    "db current": ["db", "current"],
}


@pytest.mark.parametrize("name", IN_A_PIPE)
def test_in_a_pipe_there_is_no_escape_code_and_nothing_heavy_is_imported(
    sample: Path, tmp_path: Path, name: str
) -> None:
    words = [word.format(out=tmp_path / "out") for word in IN_A_PIPE[name]]
    environment = os.environ | {"TERM": "xterm-256color", "CLICOLOR_FORCE": "1", "FORCE_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *words, "--db", str(sample)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=60,
    )
    assert done.stdout
    assert ESCAPE not in done.stdout
    *said, imported = done.stderr.splitlines()
    assert said == []
    assert "ccindex.cli.app" in imported.split()
    assert NOT_AT_ALL.intersection(imported.split()) == set()


READ_BY_NOBODY = [
    *SHOWN.values(),
    ["sessions", "--json"],
    ["tools", "--csv"],
    ["tree", "--json"],
    ["show", "51ea", "--raw"],
]


@pytest.mark.parametrize("words", READ_BY_NOBODY, ids=" ".join)
def test_a_reader_that_is_gone_ends_the_program_quietly(sample: Path, words: list[str]) -> None:
    reader, pipe = os.pipe()
    os.close(reader)  # as `head` has, once it has seen enough
    done = subprocess.run(
        [*CCINDEX, *words, "--db", str(sample)], stdout=pipe, stderr=subprocess.PIPE, text=True, check=False, timeout=60
    )
    os.close(pipe)
    assert (done.returncode, done.stderr) == (0, "")


def help_of(*words: str, columns: int = 80) -> list[str]:
    settings = {"COLUMNS": str(columns), "TERMINAL_WIDTH": str(columns)}
    done = CliRunner().invoke(app, [*words, "--help"], env=settings)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_help_has_examples_line_by_line() -> None:
    problems = {" ".join(words): wrong_examples(words, command.callback) for words, command in LEAVES.items()}
    assert {name: problem for name, problem in problems.items() if problem} == {}


def wrong_examples(words: tuple[str, ...], callback: Any) -> str | None:
    """What is wrong with the examples in the help of a command."""
    shown = help_of(*words)
    examples = (inspect.getdoc(inspect.unwrap(callback)) or "").partition("Examples:\n")[2].splitlines()
    if not examples or "  Examples:" not in shown:
        return "it has no examples"
    start = shown.index("  Examples:") + 1
    if [text.strip() for text in shown[start : start + len(examples)]] != [text.strip() for text in examples]:
        return "examples are not shown line by line"
    if shown[start + len(examples)] != "":
        return "no empty line after the examples"
    if not all(f"ccindex {' '.join(words)}" in text for text in examples):
        return "an example is of another command"
    return None if max(map(len, shown)) <= 100 else "a line has more than 100 characters"


def test_the_list_of_commands_has_a_whole_sentence_for_each() -> None:
    sentences: dict[tuple[str, ...], str] = {}
    for group, command in GROUPS.items():
        shown = help_of(*group)
        rows = [text.split(maxsplit=1) for text in shown[shown.index("Commands:") + 1 :]]
        assert sorted(name for name, _ in rows) == sorted(command.commands)
        sentences |= {(*group, name): text for name, text in rows}
    assert sentences.keys() == COMMANDS.keys() - {()}
    assert [words for words, text in sentences.items() if text.endswith("...") or not text.endswith(".")] == []


def test_the_list_of_commands_is_in_the_order_of_use_and_fits() -> None:
    shown = help_of()
    listed = shown[shown.index("Commands:") + 1 :]
    assert [text.split()[0] for text in listed] == list(GROUPS[()].commands)
    assert max(map(len, shown)) <= 80


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The program under its own name, by which shells know its completion."""
    script = tmp_path_factory.mktemp("bin") / "ccindex"
    script.write_text("from ccindex.cli import main\n\nmain()\n", encoding="utf-8")
    return [sys.executable, str(script)]


def completed(program: list[str], typed: str, **settings: str) -> list[str]:
    """What bash would offer after what was typed."""
    asked = {"_CCINDEX_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    environment = {key: value for key, value in os.environ.items() if key != "CCINDEX_DB"}
    environment |= {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        program, capture_output=True, text=True, check=False, env=environment | asked | settings, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


PROJECTS = ["projects-recipe-box", "recipe-box", "box", "projects-bread-timer", "bread-timer", "timer"]
MODELS = ["claude-haiku-4-5", "claude-opus-4-7", "claude-sonnet-4-6"]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("ccindex se", ["sessions", "search"]),
        ("ccindex db re", ["rebuild", "reprice"]),
        ("ccindex paths --u", ["--uuids"]),
        ("ccindex stats --by m", ["month", "model"]),
        ("ccindex export --format t", ["tree", "timeline"]),
        ("ccindex tree --session 5", ["51ea40b0-7088-4482-b231-74d06cde3e3a"]),
        ("ccindex show d", ["dd78d3f8-b9e7-40e9-8346-103d8354a5af"]),
        ("ccindex sessions --project ", PROJECTS),
        ("ccindex tools --tool Task", ["TaskCreate", "TaskUpdate"]),
        ("ccindex tools --tool ta", ["taskCreate", "taskUpdate"]),
        ("ccindex stats --model o", ["opus-4-7"]),
        ("ccindex explain 2cb4", ["2cb4e296-51c2-46cc-a7a0-08dbe74ecab9"]),
        ("ccindex graph ma", ["main-thread"]),
        ("ccindex graph ancestors 2cb4", ["2cb4e296-51c2-46cc-a7a0-08dbe74ecab9"]),
        ("ccindex graph roots 5", ["51ea40b0-7088-4482-b231-74d06cde3e3a"]),
        ("ccindex graph tree 51", ["51ea40b0-7088-4482-b231-74d06cde3e3a"]),
        ("ccindex sql --example cost_p", ["cost_per_month"]),
        ("ccindex stats --model ", [*MODELS, *(model.removeprefix("claude-") for model in MODELS)]),
    ],
)
def test_the_shell_completes(program: list[str], sample: Path, typed: str, offered: list[str]) -> None:
    assert completed(program, typed, CCINDEX_DB=str(sample)) == offered


def test_a_project_is_completed_by_any_part_of_its_name(program: list[str], sample: Path) -> None:
    offered = completed(program, "ccindex sessions --project bread", CCINDEX_DB=str(sample))
    assert offered == ["bread-timer"]


def test_completion_asks_the_index_that_was_named(program: list[str], sample: Path, tmp_path: Path) -> None:
    typed = f"ccindex sessions --db {sample} --session 5"
    assert completed(program, typed, CCINDEX_DB=str(tmp_path / "none.db")) == ["51ea40b0-7088-4482-b231-74d06cde3e3a"]


def test_without_an_index_completion_is_silent_and_makes_none(program: list[str], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n")
    for name, option in (("none.db", "session"), ("none.db", "project"), ("notes.txt", "tool"), ("notes.txt", "model")):
        assert completed(program, f"ccindex stats --{option} ", CCINDEX_DB=str(tmp_path / name)) == []
    assert os.listdir(tmp_path) == ["notes.txt"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_can_be_shown(program: list[str], shell: str) -> None:
    done = subprocess.run(
        program,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"_CCINDEX_COMPLETE": f"source_{shell}", "PYTHONPATH": str(ROOT)},
    )
    assert f"_CCINDEX_COMPLETE=complete_{shell}" in done.stdout
    assert done.stderr == ""
