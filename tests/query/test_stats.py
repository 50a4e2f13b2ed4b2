"""The figures that `stats` prints, compared with counts of the view rows in Python."""

import math
import re
import shutil
import sqlite3
import statistics
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ccindex.query.lists import Filters
from ccindex.query.stats import CALENDAR_GROUPS, FIGURE_COLUMNS, KEY_COLUMNS, TOTAL_COLUMNS, By, Stats, count_by
from tests.making.files import write
from tests.making.folders import SAMPLE
from tests.making.indexes import broken, index, rows_of
from tests.making.transcripts import (
    MODEL,
    agent_file,
    assistant,
    line,
    progress,
    text_block,
    token_usage,
    tool_result,
    tool_use,
    user,
)

OPUS = "claude-opus-4-6"
REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
INTERRUPTED = "[Request interrupted by user for tool use]"
ADDED = ("entries", "responses", "input_tokens", "output_tokens", "cache_creation_tokens", "cache_read_tokens")

Row = dict[str, Any]


def clock(day: str, time: str) -> dict[str, Any]:
    return {"timestamp": f"{day}T{time}Z"}


def write_hard_cases(folder: Path) -> None:
    """Write transcripts with cases that are easy to count wrongly."""
    work, other = folder / "-w", folder / "-Other"
    sunday, monday, later = "2025-12-28", "2025-12-29", "2027-01-03"  # 2025-W52, 2026-W01, 2026-W53
    one_id = {"id": "m1", "usage": token_usage(read=10, output=100, short=7, long=5, cached=1_000)}
    write(
        work / "s1.jsonl",
        user("u1", 0, "go", **clock(sunday, "23:50:00.000")),
        assistant("a1", 0, text_block("I"), message=one_id, parent="u1", **clock(sunday, "23:59:59.999")),
        assistant("a2", 0, tool_use("t1", "Bash"), message=one_id, parent="a1", **clock(monday, "00:00:00.000")),
        user("r1", 0, tool_result("t1", is_error=True), parent="a2", **clock(monday, "00:10:00.000")),  # after 10 min
        assistant(
            "a3",
            0,
            tool_use("t2", "Bash"),
            tool_use("t3", "mcp__x__Look"),
            message={"model": OPUS, "usage": token_usage(output=50)},
            parent="r1",
            **clock(monday, "00:20:00.001"),  # after 10 min and 1 ms
        ),
        user("r2", 0, tool_result("t2", REJECTED, is_error=True), parent="a3", **clock(monday, "00:20:02.000")),
        user("r3", 0, tool_result("t3"), parent="r2", **clock(monday, "00:20:05.000")),
        assistant(
            "a4", 0, tool_use("t4", "bash"), message={"model": "odd-1"}, parent="r3", **clock(monday, "00:21:00.000")
        ),
        user("r4", 0, tool_result("t4", INTERRUPTED, is_error=True), parent="a4", **clock(monday, "00:22:00.000")),
        assistant(
            "a5", 0, tool_use("t5", "Task", subagent_type="helper"), parent="r4", **clock(monday, "00:23:00.000")
        ),
        progress(
            "p1",
            0,
            "g2",
            "t5",
            wrapped={
                "type": "assistant",
                "message": {
                    "role": "assistant",
                    "id": "m-g2",
                    "model": OPUS,
                    "usage": token_usage(output=9),
                    "content": [],
                },
            },
            parent="a5",
        ),
        assistant("a6", 0, tool_use("t6", "Bash"), parent="a5", **clock(monday, "00:24:00.000")),  # without a result
        assistant(
            "a7", 0, text_block("x"), message={"model": "<synthetic>"}, parent="a6", **clock(later, "12:00:00.000")
        ),
    )
    agent_file(
        work,
        "g1",
        user("k1", 0, "help", isSidechain=True, agentId="g1", **clock(monday, "00:23:01.000")),
        assistant(
            "k2",
            0,
            tool_use("t7", "Read"),
            message={"usage": token_usage(output=20)},
            isSidechain=True,
            agentId="g1",
            parent="k1",
            **clock(monday, "00:23:02.000"),
        ),
        user("k3", 0, tool_result("t7"), isSidechain=True, agentId="g1", parent="k2", **clock(monday, "00:23:02.040")),
        sidecar={"agentType": "helper", "toolUseId": "t5"},
    )
    # a session at the same time as s1; its last entry is a copy from another session
    write(
        other / "s2.jsonl",
        line("v1", sessionId="s2", **clock(monday, "00:05:00.000")),
        assistant(
            "b1",
            0,
            sessionId="s2",
            parent="v1",
            message={"usage": token_usage(output=1)},
            **clock(monday, "00:07:00.000"),
        ),
        user("u1", 0, "go", sessionId="s2", **clock(sunday, "23:50:00.000")),
    )
    # a session without timestamps, and with an unknown model
    write(
        other / "s3.jsonl",
        line("n1", sessionId="s3", timestamp=None),
        assistant(
            "n2", 0, tool_use("t8", "Bash"), sessionId="s3", parent="n1", message={"model": "odd-2"}, timestamp=None
        ),
        assistant("n3", 0, sessionId="s3", parent="n2", message={"model": None}, timestamp=None),
    )


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("stats").resolve()
    shutil.copytree(SAMPLE, folder / "sample")
    write_hard_cases(folder / "hard")
    index(folder / "sample.db", folder / "sample")
    index(folder / "hard.db", folder / "hard")
    assert broken(folder / "hard.db") == {}
    return {"sample": folder / "sample.db", "hard": folder / "hard.db"}


def load_stats(db: Path, by: By, **filters: Any) -> Stats:
    with closing(sqlite3.connect(db)) as connection:
        return count_by(connection, by, Filters(**filters))


def load_rows(db: Path, by: By, **filters: Any) -> list[Row]:
    """Return the rows as they appear in the JSON document."""
    rows = load_stats(db, by, **filters).rows
    return [
        dict(zip(KEY_COLUMNS[by], row.keys, strict=True))
        | {name: getattr(row.figures, name) for name in FIGURE_COLUMNS[by]}
        for row in rows
    ]


class PlainStats:
    """All view rows, counted one by one in memory."""

    def __init__(self, db: Path) -> None:
        self.sessions = {row["session_id"]: row for row in rows_of(db, "v1_sessions")}
        self.responses = list(rows_of(db, "v1_responses"))
        models = {row["message_id"]: row["model"] for row in self.responses}
        response_ids = {
            row["uuid"]: row["message_id"] or row["request_id"] or row["uuid"]
            for row in rows_of(db, "v1_messages")
            if row["model"] != "<synthetic>"
        }
        aside = {row["uuid"]: row["line_id"] for row in rows_of(db, "v1_set_aside")}
        self.calls = [row for row in rows_of(db, "v1_tool_pairs") if row["name"] is not None]
        self.entries = list(rows_of(db, "v1_entries"))
        named: dict[str, set[str]] = defaultdict(set)
        for block in rows_of(db, "v1_blocks"):
            if block["tool_name"]:
                named[block["uuid"]].add(block["tool_name"])
        called: dict[str, set[str]] = defaultdict(set)
        for uuid, names in list(named.items()):
            called[response_ids.get(uuid, "")] |= names
        for call in self.calls:
            named[call["result_uuid"]].add(call["name"])
            call["model"] = models.get(call["message_id"])
            call["tools"] = {call["name"]}
        for entry in self.entries:
            entry["model"] = models.get(response_ids.get(entry["uuid"], ""))
            entry["tools"] = named[entry["uuid"]]
            found = re.search(r"#agent-([^@]+)", entry["line_id"] or aside[entry["uuid"]])
            entry["agent_id"] = found and found[1]
        for response in self.responses:
            response["tools"] = called[response["message_id"]]
        self.agents = {(row["session_id"], row["agent_id"]): row["name"] for row in rows_of(db, "v1_agents")}

    def key(self, by: By, row: Row) -> Any:
        form = {By.DAY: "%Y-%m-%d", By.WEEK: "%G-W%V", By.MONTH: "%Y-%m"}.get(by)
        if form:
            at = row["timestamp_ms"]
            return datetime.fromtimestamp(at / 1000, UTC).strftime(form) if at else None
        if by is By.MODEL:
            return row["model"]
        if by is By.AGENT:
            return row["agent_id"] and self.agents[row["session_id"], row["agent_id"]]
        return {By.SESSION: row["session_id"], By.TOOL: row.get("name")}.get(
            by, self.sessions[row["session_id"]]["project"]
        )

    def passes(self, row: Row, filters: Row) -> bool:
        tests: dict[str, Callable[[Any], bool]] = {
            "project": lambda wanted: wanted.lower() in self.sessions[row["session_id"]]["project"].lower(),
            "session_id": lambda wanted: bool(row["session_id"] == wanted),
            "model": lambda wanted: wanted.lower() in (row["model"] or "").lower(),
            "tool": lambda wanted: any(fnmatchcase(name.lower(), wanted.lower()) for name in row["tools"]),
            "since": lambda wanted: bool(row["timestamp_ms"] >= wanted),
            "until": lambda wanted: bool(row["timestamp_ms"] < wanted),
        }
        return all(tests[name](wanted) for name, wanted in filters.items())

    def figures(self, filters: Row, is_member: Callable[[Row], bool]) -> Row:
        """Add up the rows that match the filters and for which `is_member` returns true."""
        entries, responses, calls = (
            [row for row in rows if self.passes(row, filters) and is_member(row)]
            for rows in (self.entries, self.responses, self.calls)
        )
        prices = [row["est_cost_usd"] for row in responses if row["est_cost_usd"] is not None]
        answered = [row for row in calls if row["status"] == "paired"]
        refused = [row for row in answered if row["result_form"] in ("rejection", "interrupt")]
        errors = [row for row in answered if row["is_error"] and row not in refused]
        durations = sorted(row["duration_ms"] for row in answered)
        instants = sorted(row["timestamp_ms"] for row in entries)
        active = sum(later - earlier for earlier, later in pairwise(instants) if later - earlier <= 600_000)
        return {
            "entries": len(entries),
            "sessions": len({row["session_id"] for row in (*entries, *responses, *calls)}),
            "responses": len(responses),
            "input_tokens": sum(row["input_tokens"] for row in responses),
            "output_tokens": sum(row["output_tokens"] for row in responses),
            "cache_creation_tokens": sum(
                row["cache_creation_5m_tokens"] + row["cache_creation_1h_tokens"] for row in responses
            ),
            "cache_read_tokens": sum(row["cache_read_tokens"] for row in responses),
            "est_cost_usd": None if responses and not prices else pytest.approx(sum(prices)),
            "unpriced_responses": len(responses) - len(prices),
            "tool_calls": len(calls),
            "tool_errors": len(errors),
            "tool_refused": len(refused),
            "rejections": sum(row["result_form"] == "rejection" for row in answered),
            "pending": sum(row["status"] == "pending" for row in calls),
            "error_rate": len(errors) / len(answered) if answered else None,
            "median_tool_ms": statistics.median(durations) if durations else None,
            "p95_tool_ms": durations[math.ceil(Fraction(95 * len(durations), 100)) - 1] if durations else None,
            "active_hours": pytest.approx(active / 3_600_000),
        }

    def rows(self, by: By, filters: Row) -> dict[Any, Row]:
        counted = self.calls if by is By.TOOL else (*self.entries, *self.responses, *self.calls)
        keys = {self.key(by, row) for row in counted if self.passes(row, filters)}
        return {key: self._row(by, key, filters) for key in keys}

    def _row(self, by: By, key: Any, filters: Row) -> Row:
        def is_member(row: Row) -> bool:
            return (by is not By.TOOL or "status" in row) and bool(self.key(by, row) == key)

        figures = self.figures(filters, is_member)
        shown = {name: figures[name] for name in FIGURE_COLUMNS[by]}
        if by is By.SESSION:
            session = self.sessions[key]
            title = session["first_prompt"] if session["title"] is None else session["title"]
            return {"session_id": key, "title": title, "project": session["project"]} | shown
        if by is By.AGENT:
            rows = (row for row in (*self.entries, *self.responses, *self.calls) if self.passes(row, filters))
            agents = {(row["session_id"], row["agent_id"]) for row in rows if row["agent_id"] and is_member(row)}
            return {"agent": key, "agents": len(agents)} | shown
        return {by.value: key} | shown


FILTERS: list[Row] = [
    {},
    {"project": "OTHER"},
    {"project": "recipe"},
    {"session_id": "s1"},
    {"session_id": "51ea40b0-7088-4482-b231-74d06cde3e3a"},
    {"model": "Opus"},
    {"model": "odd"},
    {"tool": "BASH"},
    {"tool": "mcp__*"},
    {"tool": "Bash", "model": "sonnet"},
    {"since": 1_766_966_400_000},  # 2025-12-29
    {"until": 1_766_966_400_000},
    {"since": 1_766_967_000_000, "until": 1_766_967_700_000, "project": "-"},
    {"model": "no such model"},
]


@pytest.mark.parametrize("name", ["sample", "hard"])
@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_every_figure_matches_the_views(indexes: dict[str, Path], name: str, filters: Row) -> None:
    oracle = PlainStats(indexes[name])
    totals = oracle.figures(filters, lambda _: True)
    for by in By:
        found = load_rows(indexes[name], by, **filters)
        keyed = {row[KEY_COLUMNS[by][0]]: row for row in found}
        assert keyed == oracle.rows(by, filters), by
        assert len(keyed) == len(found)
        assert load_stats(indexes[name], by, **filters).totals._asdict() == totals
        if by is not By.TOOL:
            for column in (*ADDED, "unpriced_responses", "tool_calls", "tool_errors", "tool_refused"):
                assert sum(row[column] for row in found) == totals[column], (by, column)
            spent = load_stats(indexes[name], by, **filters).totals.est_cost_usd
            assert sum(row["est_cost_usd"] or 0 for row in found) == pytest.approx(spent or 0)


def test_figures_of_the_corpus_match_the_views(corpus: Path, tmp_path: Path) -> None:
    project = next(folder for folder in sorted(corpus.rglob("*")) if folder.is_dir() and [*folder.glob("*.jsonl")])
    index(tmp_path / "x.db", project)
    oracle = PlainStats(tmp_path / "x.db")
    for by in By:
        found = {row[KEY_COLUMNS[by][0]]: row for row in load_rows(tmp_path / "x.db", by)}
        assert found == oracle.rows(by, {}), by


def test_weeks_are_iso_8601_weeks(indexes: dict[str, Path]) -> None:
    rows = load_rows(indexes["hard"], By.WEEK)
    assert [row["week"] for row in rows] == [None, "2025-W52", "2026-W01", "2026-W09", "2026-W53"]
    assert [row["month"] for row in load_rows(indexes["hard"], By.MONTH)] == [None, "2025-12", "2026-03", "2027-01"]


def test_active_time_includes_short_gaps_and_counts_parallel_sessions_once(indexes: dict[str, Path]) -> None:
    days = {row["day"]: row for row in load_rows(indexes["hard"], By.DAY)}
    assert days["2025-12-28"]["active_hours"] == pytest.approx((10 * 60 - 0.001) / 3600)
    # from midnight to 00:10:00, partly in s2 as well, and from 00:20:00.001 to 00:24:00
    assert days["2025-12-29"]["active_hours"] == pytest.approx((600 + 239.999) / 3600)
    assert days["2025-12-29"]["sessions"] == 2
    [lone] = load_rows(indexes["hard"], By.DAY, session_id="s2")
    assert lone["active_hours"] == pytest.approx(120 / 3600)


def test_refused_call_is_not_an_error(indexes: dict[str, Path]) -> None:
    tools = {row["tool"]: row for row in load_rows(indexes["hard"], By.TOOL)}
    bash = {
        name: tools["Bash"][name] for name in ("tool_calls", "tool_errors", "tool_refused", "rejections", "pending")
    }
    assert bash == {"tool_calls": 4, "tool_errors": 1, "tool_refused": 1, "rejections": 1, "pending": 2}
    assert tools["Bash"]["error_rate"] == 0.5
    assert tools["Bash"]["median_tool_ms"] == (600_000 + 1_999) / 2
    assert tools["Bash"]["p95_tool_ms"] == 600_000
    assert (tools["bash"]["tool_refused"], tools["bash"]["rejections"]) == (1, 0)
    assert "output_tokens" not in tools["Bash"]
    assert list(tools) == ["Bash", "Read", "Task", "bash", "mcp__x__Look"]  # by number of calls, then by name


def test_response_is_counted_once_on_the_day_it_started(indexes: dict[str, Path]) -> None:
    days = {row["day"]: row for row in load_rows(indexes["hard"], By.DAY)}
    assert (days["2025-12-28"]["responses"], days["2025-12-28"]["cache_creation_tokens"]) == (1, 12)
    assert days["2025-12-28"]["tool_calls"] == 0
    assert days[None]["responses"] == 2
    assert days[None]["est_cost_usd"] is None
    assert days[None]["unpriced_responses"] == 2
    assert days["2027-01-03"]["est_cost_usd"] == 0.0  # no response, so no cost


def test_agents_are_grouped_by_name_and_entries_outside_agents_form_one_group(indexes: dict[str, Path]) -> None:
    rows = {row["agent"]: row for row in load_rows(indexes["hard"], By.AGENT)}
    assert rows[None]["agents"] == 0
    assert rows["helper"].items() >= {"agents": 2, "entries": 3, "responses": 2, "output_tokens": 29}.items()
    assert rows["helper"]["sessions"] == 1


def test_limit_keeps_the_latest_days_or_the_largest_groups(indexes: dict[str, Path]) -> None:
    for name, db in indexes.items():
        for by in By:
            every = load_rows(db, by)
            for limit in (1, 2, 100):
                limited = load_rows(db, by, limit=limit)
                assert limited == (every[-limit:] if by in CALENDAR_GROUPS else every[:limit]), (name, by)
                assert load_stats(db, by, limit=limit).row_count == len(every)
                assert load_stats(db, by, limit=limit).totals == load_stats(db, by).totals
    models = load_rows(indexes["hard"], By.MODEL)
    assert [row["model"] for row in models][:2] == [MODEL, OPUS]
    assert [row["model"] for row in models][2:] == ["odd-1", "odd-2", None]


def test_filters_without_matches_return_no_rows_and_empty_totals(indexes: dict[str, Path]) -> None:
    found = load_stats(indexes["hard"], By.DAY, session_id="no-such")
    assert found.rows == ()
    assert {name: getattr(found.totals, name) for name in TOTAL_COLUMNS if getattr(found.totals, name)} == {}
    assert found.totals.est_cost_usd == 0.0
    assert found.totals.error_rate is None


def test_huge_token_counts_and_extreme_timestamps_are_accepted(db: Path, project: Path) -> None:
    usage = {"output_tokens": 2**62, "input_tokens": 2**62}
    stamps = ["0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00", "1969-12-31T23:59:59Z"]
    lines = [assistant(f"a{n}", n, message={"usage": usage}, timestamp=stamp) for n, stamp in enumerate(stamps)]
    write(project / "s1.jsonl", *lines)
    index(db, project)
    assert load_stats(db, By.DAY).totals.output_tokens == 2**63 - 1
    for by in CALENDAR_GROUPS:
        assert load_stats(db, by).rows[0].keys == (None,)
    assert [row.keys for row in load_stats(db, By.DAY).rows] == [(None,), ("1969-12-31",)]
