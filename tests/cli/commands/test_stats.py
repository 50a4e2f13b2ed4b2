"""`ccindex stats` in real processes: JSON, CSV, and tables on wide and narrow terminals."""

import csv
import io
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from tests.making.commands import CCINDEX, ccindex, failure, run_json
from tests.making.files import write
from tests.making.indexes import index
from tests.making.pseudo_terminals import read_to_end
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
TOOL_FIGURES = [
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
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


def on_terminal(width: int, *arguments: str | Path) -> list[str]:
    """Run a command on a terminal of the given width; return its output lines without colours."""
    reader, terminal = pty.openpty()
    environment = os.environ | {"COLUMNS": str(width), "TERM": "xterm-256color"}
    with subprocess.Popen(
        [*CCINDEX, *map(str, arguments)], stdout=terminal, stderr=subprocess.PIPE, env=environment
    ) as process:
        os.close(terminal)
        output = read_to_end(reader)
        assert process.wait(timeout=60) == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", output.decode()).split("\r\n")[:-1]


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
def test_json_and_csv_have_the_documented_keys(indexed: Path, by: str, keys: list[str]) -> None:
    document = run_json("stats", "--by", by, "--db", indexed)
    figures = [name for name in TOTALS if by != "model" or name != "active_hours"]
    columns = keys + (TOOL_FIGURES if by == "tool" else figures)
    assert list(document) == ["by", "rows", "totals", "timezone"]
    assert document["by"] == by
    assert all(list(row) == columns for row in document["rows"])
    assert list(document["totals"])[: len(TOTALS)] == TOTALS
    assert set(document["totals"]) == set(TOTALS).union(columns[len(keys) :])
    result = ccindex("stats", "--by", by, "--csv", "--db", indexed)
    lines = list(csv.reader(io.StringIO(result.stdout)))
    assert lines[0] == columns
    shown = [["" if value is None else str(value) for value in row.values()] for row in document["rows"]]
    assert lines[1:] == shown


def test_default_grouping_is_by_day_and_totals_ignore_the_limit(indexed: Path) -> None:
    document = run_json("stats", "--limit", "2", "--db", indexed)
    assert document["by"] == "day"
    assert [row["day"] for row in document["rows"]] == ["2026-03-04", "2026-03-05"]
    assert document["totals"]["sessions"] == document["totals"]["responses"] == document["totals"]["tool_calls"] == 60
    assert document["totals"]["tool_errors"] == 15
    assert document["totals"]["error_rate"] == 0.25
    assert document["totals"]["median_tool_ms"] == document["totals"]["p95_tool_ms"] == 1_500
    assert len(run_json("stats", "--db", indexed)["rows"]) == 60


def test_options_filter_the_rows(indexed: Path) -> None:
    def sessions(*arguments: str) -> list[str]:
        return sorted(
            row["session_id"] for row in run_json("stats", "--by", "session", *arguments, "--db", indexed)["rows"]
        )

    assert sessions("--session", "session-07") == ["session-07"]
    assert sessions("--project", "project-0", "--until", "2026-01-08") == ["session-03", "session-06"]
    assert sessions("--since", "2026-03-05") == ["session-60"]
    assert sessions("--model", "opus") == sessions("--tool", "Read") == []
    assert len(sessions("--tool", "B*", "--model", MODEL[:10])) == 60


def test_table_in_a_pipe_has_every_column(indexed: Path) -> None:
    result = ccindex("stats", "--by", "month", "--db", indexed)
    heading, rule, *rows, second_rule, total = result.stdout.splitlines()
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
    assert "\x1b" not in result.stdout
    assert max(row.count("█") for row in rows) == 20
    assert result.stderr == ""


def test_long_table_shows_the_latest_rows_and_a_message(indexed: Path) -> None:
    result = ccindex("stats", "--db", indexed)
    assert len(result.stdout.splitlines()) == 50 + 4
    assert result.stdout.splitlines()[-3].startswith(" 2026-03-05")
    assert result.stderr == "ccindex: showing only the latest 50 of 60 rows; --limit 0 shows all\n"
    assert "only the first 50 of 60" in ccindex("stats", "--by", "session", "--db", indexed).stderr
    assert ccindex("stats", "--limit", "0", "--db", indexed).stderr == ""


@pytest.mark.parametrize("by", ["day", "model", "project", "session", "tool", "agent"])
@pytest.mark.parametrize("width", [40, 80, 120, 160])
def test_table_fits_the_terminal(indexed: Path, by: str, width: int) -> None:
    lines = on_terminal(width, "stats", "--by", by, "--limit", "3", "--db", indexed)
    assert len(lines) >= 5
    assert max(map(len, lines)) <= width
    assert max(line.count("█") for line in lines) == width // 10
    assert "cost" in lines[0] or by == "tool"


def test_wide_terminal_shows_more_columns(indexed: Path) -> None:
    narrow, wide = (on_terminal(width, "stats", "--db", indexed)[0].split() for width in (80, 160))
    assert narrow == ["day", "responses", "output", "cost", "calls", "errors", "active"]
    assert {"median", "p95", "input", "written", "read"} <= set(wide) - set(narrow)


def test_bars_are_proportional_to_their_values(db: Path, project: Path) -> None:
    for number, model in enumerate(("common", "common", "common", "other")):
        write(
            project / f"s{number}.jsonl", assistant(f"a{number}", 0, sessionId=f"s{number}", message={"model": model})
        )
    index(db, project)
    result = ccindex("stats", "--by", "model", "--db", db)
    bars = {row.split()[0]: row.split()[-1] for row in result.stdout.splitlines()[2:4]}
    assert bars == {"common": "█" * 20, "other": "██████▋"}  # by responses, because no model has a price


def test_no_rows_is_not_an_error(indexed: Path, tmp_path: Path) -> None:
    result = ccindex("stats", "--model", "no-such", "--db", indexed)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    document = run_json("stats", "--model", "no-such", "--db", indexed)
    assert document["rows"] == []
    assert document["totals"]["est_cost_usd"] == 0.0
    assert ccindex("stats", "--model", "no-such", "--csv", "--db", indexed).stdout.startswith("day,entries,")
    index(tmp_path / "empty.db", tmp_path)
    assert run_json("stats", "--by", "tool", "--db", tmp_path / "empty.db")["rows"] == []


def test_invalid_option_values_are_usage_errors(indexed: Path) -> None:
    for arguments in (["--by", "colour"], ["--since", "soon"], ["--limit", "-1"]):
        assert failure("stats", *arguments, "--db", indexed)[0] == 2
    assert failure("stats", "--session", "no-such", "--db", indexed)[0] == 1


def test_help_shows_one_example_per_line() -> None:
    lines = [line.strip() for line in ccindex("stats", "--help").stdout.splitlines()]
    assert "ccindex stats --by month" in lines
    assert "ccindex stats --by model --since 30d" in lines
