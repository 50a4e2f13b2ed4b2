"""The rows of every listing and their order, compared with the result of filtering the view rows in Python."""

import re
import shutil
import sqlite3
from collections.abc import Callable
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ccindex.query.lists import AGENTS, FILES, SESSIONS, TOOLS, Filters, Listing, list_rows, view_columns
from ccindex.query.search import search
from ccindex.query.stats import By, count_by
from ccindex.store.connection import reading
from tests.making.files import write
from tests.making.folders import SAMPLE
from tests.making.indexes import ask, broken, index, rows_of
from tests.making.transcripts import START_MS, agent_file, assistant, progress, text_block, tool_result, tool_use, user

OPUS = "claude-opus-4-6"
WRAPPED = "odd-2"  # a model that occurs only in a progress entry
SYNTHETIC = "<synth"  # not a model: Claude Code wrote entries with this value itself, and only search finds them
SPECIAL = "-home-me-100%_a[b]c"  # contains LIKE and GLOB wildcards
OTHER = "-Other"

Row = dict[str, Any]
LISTINGS: dict[str, Listing] = {"sessions": SESSIONS, "tools": TOOLS, "agents": AGENTS, "files": FILES}


def write_hard_cases(folder: Path) -> None:
    """Write transcripts with cases that filters could easily get wrong."""
    special, other = folder / SPECIAL, folder / OTHER
    inside: dict[str, Any] = {"isSidechain": True, "agentId": "g1"}
    wrapped = {"role": "assistant", "id": "m-g2", "model": WRAPPED, "content": []}
    write(
        special / "s1.jsonl",
        user("u1", 0, "word one"),
        assistant("a1", 1, tool_use("t1", "Bash", command="ls"), tool_use("t2", "bash"), parent="u1"),
        user("r1", 2, tool_result("t1"), tool_result("t2"), parent="a1"),
        assistant("a2", 3, tool_use("t3", "mcp__srv__Look"), message={"model": OPUS}, parent="r1"),
        user("r2", 4, tool_result("t3"), tool_result("t0", "who asked?"), parent="a2"),
        assistant("a3", 5, tool_use("t4", "Read", file_path="/w/app/[id]/100%_x.py"), parent="r2"),  # never answered
        assistant("a4", 6, tool_use("t5", "Edit", file_path="/w/App/main.PY"), message={"model": "odd-1"}, parent="a3"),
        user("r4", 7, tool_result("t5"), parent="a4"),
        assistant("a5", 8, tool_use("t6", "Task", subagent_type="helper", prompt="help"), parent="r4"),
        progress("p1", 9, "g2", "t6", wrapped={"type": "assistant", "message": wrapped}, parent="a5"),
        assistant("a6", 20, text_block("word"), message={"model": "<synthetic>"}, parent="a5"),
    )
    agent_file(
        special,
        "g1",
        user("k1", 9, "word help", **inside),
        assistant("k2", 10, tool_use("t7", "Read", file_path="/w/a*b"), message={"model": OPUS}, parent="k1", **inside),
        user("k3", 11, tool_result("t7"), parent="k2", **inside),
        sidecar={"agentType": "helper", "toolUseId": "t6"},
    )
    agent_file(
        special, "g4", user("k4", 10, "word lost", isSidechain=True, agentId="g4"), session="s1"
    )  # no call started this agent
    # a session in two projects; its earliest entry is in the second one
    write(special / "s2.jsonl", user("v2", 40, "word two", sessionId="s2", parent="v1"))
    write(other / "s2.jsonl", user("v1", 30, "word", sessionId="s2"))
    # a session that owns no entry: its only entry is a copy from another session
    write(other / "s3.jsonl", user("u1", 0, "word one", sessionId="s3"))
    # a session without timestamps
    keys: dict[str, Any] = {"sessionId": "s4", "timestamp": None}
    write(
        other / "s4.jsonl",
        user("n1", 0, "word", **keys),
        assistant("n2", 0, tool_use("t1", "BASH"), tool_use("t8", "Write", file_path="/w/n"), parent="n1", **keys),
    )
    agent_file(other, "g1", user("k5", 55, "word", isSidechain=True, agentId="g1", sessionId="s5"), session="s5")
    # two sessions with the same timestamps, and with call ids that other sessions also use
    for name in ("s6", "s5"):
        write(
            other / f"{name}.jsonl",
            user(f"{name}u", 50, "word", sessionId=name),
            assistant(
                f"{name}a",
                60,
                tool_use("t1", "Bash"),
                tool_use("t9", "Glob", path="/w"),
                parent=f"{name}u",
                sessionId=name,
            ),
            assistant(f"{name}b", 60, tool_use("t9x", "Glob", path="/w"), parent=f"{name}a", sessionId=name),
        )


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("lists").resolve()
    shutil.copytree(SAMPLE, folder / "sample")
    write_hard_cases(folder / "hard")
    index(folder / "sample.db", folder / "sample")
    index(folder / "hard.db", folder / "hard")
    assert broken(folder / "hard.db") == {}
    return {"sample": folder / "sample.db", "hard": folder / "hard.db"}


def listed(db: Path, name: str, more: dict[str, str | None] | None = None, **filters: Any) -> list[Row]:
    with reading(db) as connection:
        return list(list_rows(connection, LISTINGS[name], Filters(**filters), more))


def contains(part: str, name: str | None) -> bool:
    return name is not None and part.lower() in name.lower()


def matches(pattern: str, name: str | None) -> bool:
    """Whether a name matches a pattern in which * is the only wildcard."""
    regex = ".*".join(map(re.escape, pattern.split("*")))
    return name is not None and re.fullmatch(regex, name, re.IGNORECASE | re.DOTALL) is not None


class RowFacts(NamedTuple):
    """A row, its models and tools, and its first and last timestamps."""

    row: Row
    models: list[str | None]
    tools: list[str | None]
    first: int | None
    last: int | None


class PlainLists:
    """All view rows, filtered one by one in memory."""

    def __init__(self, db: Path) -> None:
        self.sessions = {row["session_id"]: row for row in rows_of(db, "v1_sessions")}
        self.rows: dict[str, list[Row]] = {name: list(rows_of(db, listing.view)) for name, listing in LISTINGS.items()}
        models = {row["uuid"]: row["model"] for row in rows_of(db, "v1_messages")}
        responses = list(rows_of(db, "v1_responses"))
        self.facts: dict[str, list[RowFacts]] = {
            "sessions": [
                RowFacts(
                    row,
                    [each["model"] for each in responses if each["session_id"] == row["session_id"]],
                    [call["name"] for call in self.rows["tools"] if call["session_id"] == row["session_id"]],
                    row["first_timestamp_ms"],
                    row["last_timestamp_ms"],
                )
                for row in self.rows["sessions"]
            ],
            "tools": [
                RowFacts(row, [models.get(row["use_uuid"])], [row["name"]], row["timestamp_ms"], row["timestamp_ms"])
                for row in self.rows["tools"]
            ],
            "agents": [
                RowFacts(
                    row,
                    [each["model"] for each in responses if agent_key(each) == agent_key(row)],
                    [each["name"] for each in self.rows["tools"] if agent_key(each) == agent_key(row)],
                    row["first_timestamp_ms"],
                    row["last_timestamp_ms"],
                )
                for row in self.rows["agents"]
            ],
            "files": [
                RowFacts(row, [models.get(row["uuid"])], [row["tool_name"]], row["timestamp_ms"], row["timestamp_ms"])
                for row in self.rows["files"]
            ],
        }

    def expected(self, name: str, filters: Row) -> list[Row]:
        found = [facts.row for facts in self.facts[name] if self._passes(facts, filters)]
        return sorted(found, key=ORDERS[name])

    def _passes(self, facts: RowFacts, filters: Row) -> bool:
        tests: dict[str, Callable[[Any], bool]] = {
            "project": lambda wanted: contains(wanted, self.sessions[facts.row["session_id"]]["project"]),
            "session_id": lambda wanted: bool(facts.row["session_id"] == wanted),
            "model": lambda wanted: any(contains(wanted, model) for model in facts.models),
            "tool": lambda wanted: any(matches(wanted, tool) for tool in facts.tools),
            "since": lambda wanted: facts.last is not None and facts.last >= wanted,
            "until": lambda wanted: facts.first is not None and facts.first < wanted,
        }
        return all(tests[name](wanted) for name, wanted in filters.items())


def agent_key(row: Row) -> tuple[str, str]:
    return row["session_id"], row["agent_id"] or ""


def latest(instant: int | None) -> tuple[bool, int]:
    return instant is None, -(instant or 0)


ORDERS: dict[str, Callable[[Row], Any]] = {
    "sessions": lambda row: (latest(row["last_timestamp_ms"]), row["session_id"]),
    "tools": lambda row: (latest(row["timestamp_ms"]), row["tool_use_id"], row["session_id"]),
    "agents": lambda row: (latest(row["last_timestamp_ms"]), row["session_id"], row["agent_id"]),
    "files": lambda row: (latest(row["timestamp_ms"]), row["tool_use_id"], row["path"], row["uuid"]),
}

VALUES: dict[str, dict[str, list[Any]]] = {
    "hard": {
        "project": ["OTHER", "100%_A[B]", "%", "_", "a[b]*", "-", "no such", ""],
        "session_id": ["s1", "s2", "s3", "s4", "s5", "s", "S1", "s%"],
        "model": ["Opus", "SONNET", "odd", WRAPPED, SYNTHETIC, "%", "no such"],
        "tool": ["BASH", "mcp__*", "*", "*a*", "m_p*", "mcp%", "Bas", "*LOOK", "read"],
        "since": [0, 1, START_MS, START_MS + 10_000, START_MS + 10_001, START_MS + 60_000, START_MS + 60_001],
        "until": [0, 1, START_MS, START_MS + 1, START_MS + 30_000, START_MS + 30_001, START_MS + 99_000],
    },
    "sample": {
        "project": ["recipe", "BREAD"],
        "session_id": ["51ea40b0-7088-4482-b231-74d06cde3e3a", "dd78"],
        "model": ["haiku", "sonnet"],
        "tool": ["bash", "*e*", "Agent"],
        "since": [1_776_000_000_000],
        "until": [1_776_000_000_000],
    },
}


@pytest.fixture(scope="module")
def plain_lists(indexes: dict[str, Path]) -> dict[str, PlainLists]:
    return {name: PlainLists(db) for name, db in indexes.items()}


@pytest.mark.parametrize("name", LISTINGS)
@pytest.mark.parametrize("which", ["hard", "sample"])
def test_every_single_filter_matches_a_plain_python_implementation(
    indexes: dict[str, Path], plain_lists: dict[str, PlainLists], which: str, name: str
) -> None:
    assert listed(indexes[which], name) == plain_lists[which].expected(name, {}) != []
    restricting = set()
    for kind, values in VALUES[which].items():
        for value in values:
            found = listed(indexes[which], name, **{kind: value})
            assert found == plain_lists[which].expected(name, {kind: value}), (kind, value)
            if 0 < len(found) < len(plain_lists[which].rows[name]):
                restricting.add(kind)
    assert restricting == set(VALUES[which]) or which == "sample"


@pytest.mark.parametrize("name", LISTINGS)
@pytest.mark.parametrize("which", ["hard", "sample"])
def test_two_filters_combine(
    indexes: dict[str, Path], plain_lists: dict[str, PlainLists], which: str, name: str
) -> None:
    with reading(indexes[which]) as connection:
        for (left, lefts), (right, rights) in combinations(VALUES[which].items(), 2):
            for first, second in product(lefts[:4], rights[:4]):
                filters = {left: first, right: second}
                found = list(list_rows(connection, LISTINGS[name], Filters(**filters)))
                assert found == plain_lists[which].expected(name, filters), filters


def test_all_filters_combine(indexes: dict[str, Path]) -> None:
    every: Row = {"project": "100", "session_id": "s1", "model": "opus", "since": START_MS, "until": START_MS + 99_000}
    assert [row["session_id"] for row in listed(indexes["hard"], "sessions", tool="mcp__*", **every)] == ["s1"]
    assert [row["tool_use_id"] for row in listed(indexes["hard"], "tools", tool="mcp__*", **every)] == ["t3"]
    assert [row["agent_id"] for row in listed(indexes["hard"], "agents", tool="read", **every)] == ["g1"]
    more: dict[str, str | None] = {"path": "*A*B", "operation": "read"}
    assert [row["path"] for row in listed(indexes["hard"], "files", more, tool="read", **every)] == ["/w/a*b"]


def test_hard_cases_are_indexed_as_intended(indexes: dict[str, Path]) -> None:
    db = indexes["hard"]
    sessions = {row["session_id"]: row for row in listed(db, "sessions")}
    assert (sessions["s1"]["project"], sessions["s2"]["project"], sessions["s3"]["project"]) == (SPECIAL, OTHER, OTHER)
    assert (sessions["s3"]["entry_count"], sessions["s3"]["last_timestamp_ms"]) == (0, None)
    assert sessions["s4"]["last_timestamp"] is None
    status = {(row["session_id"], row["tool_use_id"]): row["status"] for row in listed(db, "tools")}
    assert (status["s1", "t0"], status["s1", "t4"], status["s1", "t1"]) == ("orphan_result", "pending", "paired")
    agents = {row["agent_id"]: (row["line_id"], row["spawn_uuid"]) for row in listed(db, "agents", session_id="s1")}
    assert agents == {"g1": ("s1#agent-g1", "a5"), "g2": (None, "a5"), "g4": ("s1#agent-g4", None)}


def test_orphan_result_is_listed_but_matches_no_tool_filter(indexes: dict[str, Path]) -> None:
    everything = {row["tool_use_id"] for row in listed(indexes["hard"], "tools", session_id="s1")}
    named = {row["tool_use_id"] for row in listed(indexes["hard"], "tools", session_id="s1", tool="*")}
    assert everything - named == {"t0"}


PATHS = {
    "*main.py": ["/w/App/main.PY"],
    "*APP*": ["/w/App/main.PY", "/w/app/[id]/100%_x.py"],
    "*100%_x*": ["/w/app/[id]/100%_x.py"],
    "*100%%x*": [],
    "*main_py": [],
    "/w": ["/w", "/w", "/w", "/w"],
    "w": [],
}


@pytest.mark.parametrize("pattern", PATHS)
def test_star_in_a_path_matches_any_text(indexes: dict[str, Path], pattern: str) -> None:
    assert sorted(row["path"] for row in listed(indexes["hard"], "files", {"path": pattern})) == PATHS[pattern]


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("*[id]*", ["/w/app/[id]/100%_x.py"]),
        ("*/?pp/*", []),
        ("*[a]pp*", []),
        ("/w/app/[id]*", ["/w/app/[id]/100%_x.py"]),
    ],
)
def test_brackets_and_question_marks_in_a_path_are_literal(
    indexes: dict[str, Path], pattern: str, paths: list[str]
) -> None:
    assert sorted(row["path"] for row in listed(indexes["hard"], "files", {"path": pattern})) == paths


@pytest.mark.parametrize("name", ["Bas?", "[b]ash", "Bas[^x]"])
def test_brackets_and_question_marks_in_a_tool_name_are_literal(indexes: dict[str, Path], name: str) -> None:
    assert listed(indexes["hard"], "tools", tool=name) == []
    assert listed(indexes["hard"], "sessions", tool=name) == []
    assert listed(indexes["hard"], "agents", tool=name.replace("ash", "ead")) == []


def test_model_filter_does_not_match_the_separator_between_model_names(indexes: dict[str, Path]) -> None:
    assert listed(indexes["hard"], "sessions", model=",") == []


@pytest.mark.parametrize("operation", ["read", "write", "edit", "notebook", "search"])
def test_files_are_filtered_by_operation(
    indexes: dict[str, Path], plain_lists: dict[str, PlainLists], operation: str
) -> None:
    for which in ("hard", "sample"):
        expected = [row for row in plain_lists[which].expected("files", {}) if row["operation"] == operation]
        assert listed(indexes[which], "files", {"operation": operation}) == expected


@pytest.mark.parametrize("name", LISTINGS)
@pytest.mark.parametrize("which", ["hard", "sample"])
def test_limit_keeps_the_first_rows(indexes: dict[str, Path], which: str, name: str) -> None:
    every = listed(indexes[which], name)
    for limit in range(1, len(every) + 2):
        assert listed(indexes[which], name, limit=limit) == every[:limit]
    assert listed(indexes[which], name, limit=0) == []


@pytest.mark.parametrize("name", LISTINGS)
def test_row_has_all_columns_of_its_view(indexes: dict[str, Path], name: str) -> None:
    columns = [row[1] for row in ask(indexes["hard"], f"pragma table_info({LISTINGS[name].view})")]
    with reading(indexes["hard"]) as connection:
        assert view_columns(connection, LISTINGS[name]) == columns
        assert all(list(row) == columns for row in list_rows(connection, LISTINGS[name], Filters()))


def test_row_order_does_not_depend_on_indexing_order(tmp_path: Path) -> None:
    folder = (tmp_path / "hard").resolve()
    write_hard_cases(folder)
    files = sorted(path for path in folder.rglob("*.json*") if path.name in ("s1.jsonl", "s5.jsonl", "s6.jsonl"))
    others = sorted(path for path in folder.rglob("*.json*") if path not in files)
    found = []
    for number, order in enumerate(permutations(files)):
        db = tmp_path / f"{number}.db"
        for path in (*order, *others) if number % 2 else (*reversed(others), *order):
            index(db, path)
        found.append({name: listed(db, name) for name in LISTINGS})
    assert all(each == found[0] for each in found)
    tied = [row["session_id"] for row in found[0]["sessions"] if row["last_timestamp_ms"] == START_MS + 60_000]
    assert tied == ["s5", "s6"]
    calls = [(row["tool_use_id"], row["session_id"]) for row in found[0]["tools"]][:6]
    assert calls == [(tool, session) for tool in ("t1", "t9", "t9x") for session in ("s5", "s6")]


class SessionsByCommand:
    """The sessions that each command shows for the given filters."""

    def __init__(self, connection: sqlite3.Connection, **chosen: Any) -> None:
        filters = Filters(**chosen)
        self.listed = {
            name: {row["session_id"] for row in list_rows(connection, listing, filters)}
            for name, listing in LISTINGS.items()
        }
        self.calls = {(row["session_id"], row["tool_use_id"]) for row in list_rows(connection, TOOLS, filters)}
        self.touches = {(row["session_id"], row["tool_use_id"]) for row in list_rows(connection, FILES, filters)}
        self.counted = {str(row.keys[0]) for row in count_by(connection, By.SESSION, filters).rows}
        self.found = {hit.session_id for hit in search(connection, "word", filters)}


def sessions_by_command(db: Path, **chosen: Any) -> SessionsByCommand:
    with reading(db) as connection:
        return SessionsByCommand(connection, **chosen)


def test_session_matches_the_model_of_a_subagent_known_only_from_progress(indexes: dict[str, Path]) -> None:
    shown = sessions_by_command(indexes["hard"], model=WRAPPED)
    assert shown.listed["agents"] == shown.counted == {"s1"}
    assert shown.listed["sessions"] == {"s1"}


@pytest.mark.parametrize("which", ["hard", "sample"])
def test_no_command_shows_a_session_missing_from_the_sessions_list(indexes: dict[str, Path], which: str) -> None:
    for kind, values in VALUES[which].items():
        for value in [value for value in values if value not in (WRAPPED, SYNTHETIC)]:
            shown = sessions_by_command(indexes[which], **{kind: value})
            sessions = shown.listed["sessions"]
            for name in ("tools", "agents", "files"):
                assert shown.listed[name] <= sessions, (name, kind, value)
            assert shown.counted <= sessions, (kind, value)
            assert shown.found <= sessions, (kind, value)
            assert shown.touches <= shown.calls, (kind, value)


@pytest.mark.parametrize("which", ["hard", "sample"])
@pytest.mark.parametrize("kind", ["project", "session_id", "model", "tool"])
def test_sessions_lists_the_sessions_that_stats_counts(indexes: dict[str, Path], which: str, kind: str) -> None:
    empty = {"s3"}  # owns no entry
    for value in [value for value in VALUES[which][kind] if value != WRAPPED]:
        shown = sessions_by_command(indexes[which], **{kind: value})
        if kind == "tool":
            assert shown.listed["sessions"] == shown.listed["tools"], value
        if value != SYNTHETIC:
            assert shown.listed["sessions"] - empty == shown.counted, value


def test_search_finds_the_same_sessions_by_project_and_id(indexes: dict[str, Path]) -> None:
    for kind in ("project", "session_id"):
        for value in VALUES["hard"][kind]:
            shown = sessions_by_command(indexes["hard"], **{kind: value})
            assert shown.found == shown.listed["sessions"] - {"s3"}, value


def test_since_is_inclusive_and_until_is_exclusive(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u", 10, "word"),
        assistant("a", 10, tool_use("t", "Read", file_path="/x"), parent="u"),
        user("r", 10, tool_result("t"), parent="a"),
    )
    agent_file(project, "g", user("k", 10, "word", isSidechain=True, agentId="g"))
    index(db, project)
    instant = START_MS + 10_000
    for since, until, is_in in (
        (instant, instant + 1, True),
        (instant - 1, instant, False),
        (instant + 1, None, False),
    ):
        shown = sessions_by_command(db, since=since, until=until)
        for name in LISTINGS:
            assert (shown.listed[name] == {"s1"}) is is_in, (name, since, until)
        assert (shown.counted == {"s1"}) is is_in
        assert (shown.found == {"s1"}) is is_in


def test_empty_index_has_no_rows(db: Path, project: Path) -> None:
    index(db, project)
    assert [listed(db, name) for name in LISTINGS] == [[], [], [], []]


def test_filter_values_are_never_parsed_as_sql(indexes: dict[str, Path]) -> None:
    hostile = "x' or 1=1 --"
    for name in LISTINGS:
        for kind in ("project", "session_id", "model", "tool"):
            filters: Row = {kind: hostile}
            assert listed(indexes["hard"], name, **filters) == []
