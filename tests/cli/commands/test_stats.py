"""`ccindex stats` as a user runs it: its JSON, its CSV, and its tables on wide and narrow terminals."""

import csv
import io
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from tests.making.commands import CCINDEX, answer, ccindex, failure
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import MODEL, assistant, token_usage, tool_result, tool_use, user

TOTALS = [
    "entries",
    "sessions",
    "responses",
    "input_tokens",
    "output_tokens",
    "cache_creation_tokens",
    "cache_read_tokens",
    "est_cost_usd",
    "unpriced_responses",
    "tool_calls",
    "tool_errors",
    "tool_refused",
    "error_rate",
    "median_tool_ms",
    "p95_tool_ms",
    "active_hours",
]
OF_TOOLS = [
    "tool_calls",
    "tool_errors",
    "tool_refused",
    "error_rate",
    "median_tool_ms",
    "p95_tool_ms",
    "sessions",
    "rejections",
    "pending",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("counted").resolve()
    for number in range(1, 61):
        day, session = f"2026-{1 + number // 28:02}-{1 + number % 28:02}", f"session-{number:02}"
        write(
            folder / f"-home-me-project-{number % 3}" / f"{session}.jsonl",
            user(f"u{number}", 0, f"do {number}", sessionId=session, timestamp=f"{day}T08:00:00Z"),
            assistant(
                f"a{number}",
                0,
                tool_use(f"t{number}", "Bash"),
                sessionId=session,
                parent=f"u{number}",
                message={"usage": token_usage(read=number, output=number * 1_000, cached=12_345_678)},
                timestamp=f"{day}T08:05:00Z",
            ),
            user(
                f"r{number}",
                0,
                tool_result(f"t{number}", is_error=number % 4 == 0),
                sessionId=session,
                parent=f"a{number}",
                timestamp=f"{day}T08:05:01.500Z",
            ),
        )
    index(folder / "ccindex.db", folder)
    return folder / "ccindex.db"


def on_terminal(width: int, *words: str | Path) -> list[str]:
    """Run it on a terminal of that width; the lines without their colours."""
    reader, terminal = pty.openpty()
    environment = os.environ | {"COLUMNS": str(width), "TERM": "xterm-256color"}
    with subprocess.Popen(
        [*CCINDEX, *map(str, words)], stdout=terminal, stderr=subprocess.PIPE, env=environment
    ) as process:
        os.close(terminal)
        said = b""
        while part := _read(reader):
            said += part
        assert process.wait(timeout=60) == 0
    os.close(reader)
    return re.sub(r"\x1b\[[0-9;]*m", "", said.decode()).split("\r\n")[:-1]


def _read(reader: int) -> bytes:
    try:
        return os.read(reader, 65_536)
    except OSError:  # how Linux says that the terminal is closed
        return b""


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        ("day", ["day"]),
        ("week", ["week"]),
        ("month", ["month"]),
        ("model", ["model"]),
        ("project", ["project"]),
        ("session", ["session_id", "title", "project"]),
        ("tool", ["tool"]),
        ("agent", ["agent", "agents"]),
    ],
)
def test_json_and_csv_have_the_shape_of_the_contract(made: Path, by: str, keys: list[str]) -> None:
    said = answer("stats", "--by", by, "--db", made)
    figures = [name for name in TOTALS if by != "model" or name != "active_hours"]
    columns = keys + (OF_TOOLS if by == "tool" else figures)
    assert list(said) == ["by", "rows", "totals", "timezone"]
    assert said["by"] == by
    assert all(list(row) == columns for row in said["rows"])
    assert list(said["totals"])[: len(TOTALS)] == TOTALS
    assert set(said["totals"]) == set(TOTALS).union(columns[len(keys) :])
    done = ccindex("stats", "--by", by, "--csv", "--db", made)
    lines = list(csv.reader(io.StringIO(done.stdout)))
    assert lines[0] == columns
    shown = [["" if value is None else str(value) for value in row.values()] for row in said["rows"]]
    assert lines[1:] == shown


def test_days_are_the_default_and_totals_count_all_of_them(made: Path) -> None:
    said = answer("stats", "--limit", "2", "--db", made)
    assert said["by"] == "day"
    assert [row["day"] for row in said["rows"]] == ["2026-03-04", "2026-03-05"]
    assert said["totals"]["sessions"] == said["totals"]["responses"] == said["totals"]["tool_calls"] == 60
    assert said["totals"]["tool_errors"] == 15
    assert said["totals"]["error_rate"] == 0.25
    assert said["totals"]["median_tool_ms"] == said["totals"]["p95_tool_ms"] == 1_500
    assert len(answer("stats", "--db", made)["rows"]) == 60


def test_options_narrow_what_is_counted(made: Path) -> None:
    def sessions(*words: str) -> list[str]:
        return sorted(row["session_id"] for row in answer("stats", "--by", "session", *words, "--db", made)["rows"])

    assert sessions("--session", "session-07") == ["session-07"]
    assert sessions("--project", "project-0", "--until", "2026-01-08") == ["session-03", "session-06"]
    assert sessions("--since", "2026-03-05") == ["session-60"]
    assert sessions("--model", "opus") == sessions("--tool", "Read") == []
    assert len(sessions("--tool", "B*", "--model", MODEL[:10])) == 60


def test_off_a_terminal_the_table_has_every_column(made: Path) -> None:
    done = ccindex("stats", "--by", "month", "--db", made)
    heading, rule, *rows, second_rule, total = done.stdout.splitlines()
    assert re.split(r"\s{2,}", heading.strip()) == [
        "month",
        "responses",
        "input",
        "output",
        "cache written",
        "cache read",
        "cost",
        "calls",
        "errors",
        "median",
        "p95",
        "active",
    ]
    assert set(rule.strip()) == set(second_rule.strip()) == {"─"}
    assert [row.split()[0] for row in rows] == ["2026-01", "2026-02", "2026-03"]
    assert total.split()[:4] == ["total", "60", "1,830", "1.8M"]
    assert "\x1b" not in done.stdout
    assert max(row.count("█") for row in rows) == 20
    assert done.stderr == ""


def test_a_long_table_shows_the_latest_and_says_so(made: Path) -> None:
    done = ccindex("stats", "--db", made)
    assert len(done.stdout.splitlines()) == 50 + 4
    assert done.stdout.splitlines()[-3].startswith(" 2026-03-05")
    assert done.stderr == "ccindex: only the latest 50 of 60 are shown; --limit 0 shows all\n"
    assert "only the first 50 of 60" in ccindex("stats", "--by", "session", "--db", made).stderr
    assert ccindex("stats", "--limit", "0", "--db", made).stderr == ""


@pytest.mark.parametrize("by", ["day", "model", "project", "session", "tool", "agent"])
@pytest.mark.parametrize("width", [40, 80, 120, 160])
def test_no_line_is_wider_than_the_terminal(made: Path, by: str, width: int) -> None:
    lines = on_terminal(width, "stats", "--by", by, "--limit", "3", "--db", made)
    assert len(lines) >= 5
    assert max(map(len, lines)) <= width
    assert max(line.count("█") for line in lines) == width // 10
    assert "cost" in lines[0] or by == "tool"


def test_a_wide_terminal_has_more_columns(made: Path) -> None:
    narrow, wide = (on_terminal(width, "stats", "--db", made)[0].split() for width in (80, 160))
    assert narrow == ["day", "responses", "output", "cost", "calls", "errors", "active"]
    assert {"median", "p95", "input", "written", "read"} <= set(wide) - set(narrow)


def test_bars_are_as_long_as_what_they_stand_for(db: Path, project: Path) -> None:
    for number, model in enumerate(("odd", "odd", "odd", "other")):
        write(
            project / f"s{number}.jsonl", assistant(f"a{number}", 0, sessionId=f"s{number}", message={"model": model})
        )
    index(db, project)
    done = ccindex("stats", "--by", "model", "--db", db)
    bars = {row.split()[0]: row.split()[-1] for row in done.stdout.splitlines()[2:4]}
    assert bars == {"odd": "█" * 20, "other": "██████▋"}  # of responses, as nothing has a price


def test_finding_nothing_is_no_failure(made: Path, tmp_path: Path) -> None:
    done = ccindex("stats", "--model", "no-such", "--db", made)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    said = answer("stats", "--model", "no-such", "--db", made)
    assert said["rows"] == []
    assert said["totals"]["est_cost_usd"] == 0.0
    assert ccindex("stats", "--model", "no-such", "--csv", "--db", made).stdout.startswith("day,entries,")
    index(tmp_path / "empty.db", tmp_path)
    assert answer("stats", "--by", "tool", "--db", tmp_path / "empty.db")["rows"] == []


def test_what_cannot_be_counted_by_is_wrong_usage(made: Path) -> None:
    for words in (["--by", "colour"], ["--since", "soon"], ["--limit", "-1"]):
        assert failure("stats", *words, "--db", made)[0] == 2
    assert failure("stats", "--session", "no-such", "--db", made)[0] == 1


def test_help_shows_its_examples_line_by_line() -> None:
    lines = [line.strip() for line in ccindex("stats", "--help").stdout.splitlines()]
    assert "ccindex stats --by month" in lines
    assert "ccindex stats --by model --since 30d" in lines
