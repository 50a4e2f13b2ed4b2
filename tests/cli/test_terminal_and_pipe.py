"""Output on a terminal (colours, width, relative times) and in a pipe (no escape codes, few imports)."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.making.commands import CCINDEX, ccindex
from tests.making.files import write
from tests.making.indexes import index
from tests.making.pseudo_terminals import read_to_end
from tests.making.transcripts import line

# commands that list or show something, with arguments for the sample
READERS = {
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
COLOURED = [name for name in READERS if name != "explain"]
ESCAPE = "\x1b"
COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|9[0-7])(?:;[0-9;]*)?m")


def on_terminal(columns: int, *arguments: str | Path, **settings: str) -> str:
    """Run a command on a terminal with this width; return its output."""
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    unset = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM")
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    environment |= {"TERM": "xterm-256color"} | settings
    command = [*CCINDEX, *map(str, arguments)]
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment) as process:
        os.close(terminal)
        output = read_to_end(reader)
        assert process.wait(timeout=60) == 0
    return output.decode()


@pytest.mark.parametrize("name", COLOURED)
def test_terminal_output_has_colours_and_fits_the_width(sample: Path, name: str) -> None:
    output = on_terminal(100, *READERS[name], "--db", sample)
    is_plain = name in ("sql", "paths")  # these tables have no colours, only a bold heading
    assert ESCAPE in output if is_plain else COLOUR.search(output)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", output).split("\r\n")
    assert len(lines) > 2
    assert ESCAPE not in "".join(lines)
    if name not in ("search", "doctor"):
        assert max(map(cell_len, lines)) <= 100


@pytest.mark.parametrize("name", ["sessions", "search", "doctor"])
@pytest.mark.parametrize("setting", ["NO_COLOR=1", "TERM=dumb"])
def test_colours_can_be_disabled(sample: Path, name: str, setting: str) -> None:
    variable, _, value = setting.partition("=")
    output = on_terminal(100, *READERS[name], "--db", sample, **{variable: value})
    assert output.count("\r\n") > 2
    assert COLOUR.search(output) is None


def test_json_on_a_terminal_is_indented_and_has_no_colours(sample: Path) -> None:
    output = on_terminal(100, "db", "current", "--json", "--db", sample)
    assert output.startswith('{\r\n  "path": ')
    assert ESCAPE not in output


def test_recent_times_are_relative_only_on_a_terminal(db: Path, project: Path) -> None:
    now = datetime.now(UTC)
    ages = {"a": timedelta(seconds=5), "b": timedelta(hours=2, minutes=5), "c": timedelta(days=3, hours=1)}
    for name, age in ages.items():
        timestamp = (now - age).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        write(project / f"{name}.jsonl", line(f"u{name}", sessionId=name, timestamp=timestamp))
    write(project / "old.jsonl", line("u1", sessionId="old"))
    index(db, project)
    output = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(100, "sessions", "--db", db))
    shown = [re.split(r"\s{2,}", row.strip())[:2] for row in output.split("\r\n")[2:-1]]
    assert shown == [["just now", "a"], ["2 hours ago", "b"], ["3 days ago", "c"], ["2026-03-01", "old"]]
    assert " ago" not in ccindex("sessions", "--db", db).stdout


# runs ccindex and prints the imported modules at the end
PRINT_IMPORTS = (
    "import atexit, sys\n"
    "atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))\n"
    "sys.argv[0] = 'ccindex'\n"
    "from ccindex.cli import main\n"
    "main()\n"
)
SLOW_MODULES = {"sqlalchemy", "alembic", "genai_prices", "rich.console", "rich.text", "ccindex.ingest"}
PIPED = READERS | {
    "export": ["export", "--session", "51ea", "--out", "{out}"],
    "restore": ["restore", "--out", "{out}"],
    "db path": ["db", "path"],
    "db current": ["db", "current"],
}


@pytest.mark.parametrize("name", PIPED)
def test_piped_output_has_no_escape_codes_and_imports_no_slow_modules(sample: Path, tmp_path: Path, name: str) -> None:
    arguments = [text.format(out=tmp_path / "out") for text in PIPED[name]]
    environment = os.environ | {"TERM": "xterm-256color", "CLICOLOR_FORCE": "1", "FORCE_COLOR": "1"}
    result = subprocess.run(
        [sys.executable, "-c", PRINT_IMPORTS, *arguments, "--db", str(sample)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=60,
    )
    assert result.stdout
    assert ESCAPE not in result.stdout
    *messages, imported = result.stderr.splitlines()
    assert messages == []
    assert "ccindex.cli.app" in imported.split()
    assert SLOW_MODULES.intersection(imported.split()) == set()


WITHOUT_READER = [
    *READERS.values(),
    ["sessions", "--json"],
    ["tools", "--csv"],
    ["tree", "--json"],
    ["show", "51ea", "--raw"],
]


@pytest.mark.parametrize("arguments", WITHOUT_READER, ids=" ".join)
def test_closed_pipe_ends_the_program_silently(sample: Path, arguments: list[str]) -> None:
    reader, pipe = os.pipe()
    os.close(reader)  # like `head` after its last line
    result = subprocess.run(
        [*CCINDEX, *arguments, "--db", str(sample)],
        stdout=pipe,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
    )
    os.close(pipe)
    assert (result.returncode, result.stderr) == (0, "")
