"""Output on a terminal (colours, width, relative times) and in a pipe (no escape codes, few imports)."""

import fcntl
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

import pytest
from rich.cells import cell_len

from tests.making.commands import CCINDEX, ccindex
from tests.making.files import write
from tests.making.folders import SAMPLE
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
