"""What each listing lets through and in which order, beside a plain reading of the rows of the views."""

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ccindex.query.lists import AGENTS, FILES, SESSIONS, TOOLS, Filters, Listing, columns_of, list_rows
from ccindex.query.search import search
from ccindex.query.stats import By, count_by
from ccindex.store.connection import reading
from tests.making.files import write
from tests.making.folders import SAMPLE
from tests.making.indexes import ask, broken, index
from tests.making.transcripts import START_MS, agent_file, assistant, progress, text_block, tool_result, tool_use, user

OPUS = "claude-opus-4-6"
WRAPPED = "odd-2"  # a model that only a progress entry tells of
SYNTHETIC = "<synth"  # no model: only search finds by it what Claude Code made up
ODD = "-home-me-100%_a[b]c"  # LIKE and GLOB would read signs in it
OTHER = "-Other"

Row = dict[str, Any]
LISTINGS: dict[str, Listing] = {"sessions": SESSIONS, "tools": TOOLS, "agents": AGENTS, "files": FILES}


def write_hard_cases(folder: Path) -> None:
    """Transcripts with all that is easily let through or kept back by mistake."""
    odd, other = folder / ODD, folder / OTHER
    inside: dict[str, Any] = {"isSidechain": True, "agentId": "g1"}
    wrapped = {"role": "assistant", "id": "m-g2", "model": WRAPPED, "content": []}
    write(
        odd / "s1.jsonl",
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
        odd,
        "g1",
        user("k1", 9, "word help", **inside),
        assistant("k2", 10, tool_use("t7", "Read", file_path="/w/a*b"), message={"model": OPUS}, parent="k1", **inside),
        user("k3", 11, tool_result("t7"), parent="k2", **inside),
        sidecar={"agentType": "helper", "toolUseId": "t6"},
    )
    agent_file(odd, "g4", user("k4", 10, "word lost", isSidechain=True, agentId="g4"), session="s1")  # nobody called it
    # in two projects; its earliest entry is in the second
    write(odd / "s2.jsonl", user("v2", 40, "word two", sessionId="s2", parent="v1"))
    write(other / "s2.jsonl", user("v1", 30, "word", sessionId="s2"))
    # owns nothing: a copy of another's
    write(other / "s3.jsonl", user("u1", 0, "word one", sessionId="s3"))
    # says nothing of when
    keys: dict[str, Any] = {"sessionId": "s4", "timestamp": None}
    write(
        other / "s4.jsonl",
        user("n1", 0, "word", **keys),
        assistant("n2", 0, tool_use("t1", "BASH"), tool_use("t8", "Write", file_path="/w/n"), parent="n1", **keys),
    )
    agent_file(other, "g1", user("k5", 55, "word", isSidechain=True, agentId="g1", sessionId="s5"), session="s5")
    # at one instant, with ids of calls that others have too
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


def told(db: Path, name: str, more: dict[str, str | None] | None = None, **filters: Any) -> list[Row]:
    with reading(db) as connection:
        return list(list_rows(connection, LISTINGS[name], Filters(**filters), more))


def rows_of(db: Path, view: str) -> Iterator[Row]:
    columns = [row[1] for row in ask(db, f"pragma table_info({view})")]
    for row in ask(db, f"select {', '.join(columns)} from {view}"):
        yield dict(zip(columns, row, strict=True))


def holds(part: str, name: str | None) -> bool:
    return name is not None and part.lower() in name.lower()


def is_like(pattern: str, name: str | None) -> bool:
    """Whether a name is as the pattern has it, in which * is the only sign that stands for others."""
    made = ".*".join(map(re.escape, pattern.split("*")))
    return name is not None and re.fullmatch(made, name, re.IGNORECASE | re.DOTALL) is not None


class About(NamedTuple):
    """A row, the models and tools it is about, and from when to when it lasts."""

    row: Row
    models: list[str | None]
    tools: list[str | None]
    first: int | None
    last: int | None


class Oracle:
    """All rows of the views in memory, looked at one by one."""

    def __init__(self, db: Path) -> None:
        self.sessions = {row["session_id"]: row for row in rows_of(db, "v1_sessions")}
        self.rows: dict[str, list[Row]] = {name: list(rows_of(db, listing.view)) for name, listing in LISTINGS.items()}
        models = {row["uuid"]: row["model"] for row in rows_of(db, "v1_messages")}
        spent = list(rows_of(db, "v1_responses"))
        self.about: dict[str, list[About]] = {
            "sessions": [
                About(
                    row,
                    [one["model"] for one in spent if one["session_id"] == row["session_id"]],
                    [call["name"] for call in self.rows["tools"] if call["session_id"] == row["session_id"]],
                    row["first_timestamp_ms"],
                    row["last_timestamp_ms"],
                )
                for row in self.rows["sessions"]
            ],
            "tools": [
                About(row, [models.get(row["use_uuid"])], [row["name"]], row["timestamp_ms"], row["timestamp_ms"])
                for row in self.rows["tools"]
            ],
            "agents": [
                About(
                    row,
                    [each["model"] for each in spent if whose(each) == whose(row)],
                    [each["name"] for each in self.rows["tools"] if whose(each) == whose(row)],
                    row["first_timestamp_ms"],
                    row["last_timestamp_ms"],
                )
                for row in self.rows["agents"]
            ],
            "files": [
                About(row, [models.get(row["uuid"])], [row["tool_name"]], row["timestamp_ms"], row["timestamp_ms"])
                for row in self.rows["files"]
            ],
        }

    def expected(self, name: str, filters: Row) -> list[Row]:
        found = [about.row for about in self.about[name] if self._passes(about, filters)]
        return sorted(found, key=ORDERS[name])

    def _passes(self, about: About, filters: Row) -> bool:
        tests: dict[str, Callable[[Any], bool]] = {
            "project": lambda wanted: holds(wanted, self.sessions[about.row["session_id"]]["project"]),
            "session_id": lambda wanted: bool(about.row["session_id"] == wanted),
            "model": lambda wanted: any(holds(wanted, model) for model in about.models),
            "tool": lambda wanted: any(is_like(wanted, tool) for tool in about.tools),
            "since": lambda wanted: about.last is not None and about.last >= wanted,
            "until": lambda wanted: about.first is not None and about.first < wanted,
        }
        return all(tests[name](wanted) for name, wanted in filters.items())


def whose(row: Row) -> tuple[str, str]:
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
def oracles(indexes: dict[str, Path]) -> dict[str, Oracle]:
    return {name: Oracle(db) for name, db in indexes.items()}


@pytest.mark.parametrize("name", LISTINGS)
@pytest.mark.parametrize("which", ["hard", "sample"])
def test_each_filter_alone_lets_through_what_a_plain_reading_does(
    indexes: dict[str, Path], oracles: dict[str, Oracle], which: str, name: str
) -> None:
    assert told(indexes[which], name) == oracles[which].expected(name, {}) != []
    kept_back = set()
    for kind, values in VALUES[which].items():
        for value in values:
            found = told(indexes[which], name, **{kind: value})
            assert found == oracles[which].expected(name, {kind: value}), (kind, value)
            if 0 < len(found) < len(oracles[which].rows[name]):
                kept_back.add(kind)
    assert kept_back == set(VALUES[which]) or which == "sample"


@pytest.mark.parametrize("name", LISTINGS)
@pytest.mark.parametrize("which", ["hard", "sample"])
def test_two_filters_let_through_what_both_do(
    indexes: dict[str, Path], oracles: dict[str, Oracle], which: str, name: str
) -> None:
    with reading(indexes[which]) as connection:
        for (one, ones), (other, others) in combinations(VALUES[which].items(), 2):
            for first, second in product(ones[:4], others[:4]):
                filters = {one: first, other: second}
                found = list(list_rows(connection, LISTINGS[name], Filters(**filters)))
                assert found == oracles[which].expected(name, filters), filters


def test_all_filters_at_once_still_let_something_through(indexes: dict[str, Path]) -> None:
    every: Row = {"project": "100", "session_id": "s1", "model": "opus", "since": START_MS, "until": START_MS + 99_000}
    assert [row["session_id"] for row in told(indexes["hard"], "sessions", tool="mcp__*", **every)] == ["s1"]
    assert [row["tool_use_id"] for row in told(indexes["hard"], "tools", tool="mcp__*", **every)] == ["t3"]
    assert [row["agent_id"] for row in told(indexes["hard"], "agents", tool="read", **every)] == ["g1"]
    more: dict[str, str | None] = {"path": "*A*B", "operation": "read"}
    assert [row["path"] for row in told(indexes["hard"], "files", more, tool="read", **every)] == ["/w/a*b"]


def test_what_is_hard_about_the_index_is_in_it(indexes: dict[str, Path]) -> None:
    db = indexes["hard"]
    sessions = {row["session_id"]: row for row in told(db, "sessions")}
    assert (sessions["s1"]["project"], sessions["s2"]["project"], sessions["s3"]["project"]) == (ODD, OTHER, OTHER)
    assert (sessions["s3"]["entry_count"], sessions["s3"]["last_timestamp_ms"]) == (0, None)
    assert sessions["s4"]["last_timestamp"] is None
    status = {(row["session_id"], row["tool_use_id"]): row["status"] for row in told(db, "tools")}
    assert (status["s1", "t0"], status["s1", "t4"], status["s1", "t1"]) == ("orphan_result", "pending", "paired")
    agents = {row["agent_id"]: (row["line_id"], row["spawn_uuid"]) for row in told(db, "agents", session_id="s1")}
    assert agents == {"g1": ("s1#agent-g1", "a5"), "g2": (None, "a5"), "g4": ("s1#agent-g4", None)}


def test_an_orphan_result_is_a_row_but_no_tool_of_any_name(indexes: dict[str, Path]) -> None:
    everything = {row["tool_use_id"] for row in told(indexes["hard"], "tools", session_id="s1")}
    named = {row["tool_use_id"] for row in told(indexes["hard"], "tools", session_id="s1", tool="*")}
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
def test_files_are_found_by_their_path_in_which_a_star_stands_for_anything(
    indexes: dict[str, Path], pattern: str
) -> None:
    assert sorted(row["path"] for row in told(indexes["hard"], "files", {"path": pattern})) == PATHS[pattern]


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("*[id]*", ["/w/app/[id]/100%_x.py"]),
        ("*/?pp/*", []),
        ("*[a]pp*", []),
        ("/w/app/[id]*", ["/w/app/[id]/100%_x.py"]),
    ],
)
def test_brackets_and_question_marks_in_a_path_stand_for_themselves(
    indexes: dict[str, Path], pattern: str, paths: list[str]
) -> None:
    assert sorted(row["path"] for row in told(indexes["hard"], "files", {"path": pattern})) == paths


@pytest.mark.parametrize("name", ["Bas?", "[b]ash", "Bas[^x]"])
def test_brackets_and_question_marks_in_a_tools_name_stand_for_themselves(indexes: dict[str, Path], name: str) -> None:
    assert told(indexes["hard"], "tools", tool=name) == []
    assert told(indexes["hard"], "sessions", tool=name) == []
    assert told(indexes["hard"], "agents", tool=name.replace("ash", "ead")) == []


def test_a_model_is_not_found_across_the_comma_between_two(indexes: dict[str, Path]) -> None:
    assert told(indexes["hard"], "sessions", model=",") == []


@pytest.mark.parametrize("operation", ["read", "write", "edit", "notebook", "search"])
def test_files_are_found_by_what_was_done(indexes: dict[str, Path], oracles: dict[str, Oracle], operation: str) -> None:
    for which in ("hard", "sample"):
        expected = [row for row in oracles[which].expected("files", {}) if row["operation"] == operation]
        assert told(indexes[which], "files", {"operation": operation}) == expected


@pytest.mark.parametrize("name", LISTINGS)
@pytest.mark.parametrize("which", ["hard", "sample"])
def test_a_limit_keeps_the_first_in_order(indexes: dict[str, Path], which: str, name: str) -> None:
    every = told(indexes[which], name)
    for limit in range(1, len(every) + 2):
        assert told(indexes[which], name, limit=limit) == every[:limit]
    assert told(indexes[which], name, limit=0) == []


@pytest.mark.parametrize("name", LISTINGS)
def test_a_row_has_all_the_columns_of_its_view(indexes: dict[str, Path], name: str) -> None:
    columns = [row[1] for row in ask(indexes["hard"], f"pragma table_info({LISTINGS[name].view})")]
    with reading(indexes["hard"]) as connection:
        assert columns_of(connection, LISTINGS[name]) == columns
        assert all(list(row) == columns for row in list_rows(connection, LISTINGS[name], Filters()))


def test_the_order_does_not_depend_on_which_file_came_first(tmp_path: Path) -> None:
    folder = (tmp_path / "hard").resolve()
    write_hard_cases(folder)
    files = sorted(path for path in folder.rglob("*.json*") if path.name in ("s1.jsonl", "s5.jsonl", "s6.jsonl"))
    rest = sorted(path for path in folder.rglob("*.json*") if path not in files)
    found = []
    for number, order in enumerate(permutations(files)):
        db = tmp_path / f"{number}.db"
        for path in (*order, *rest) if number % 2 else (*reversed(rest), *order):
            index(db, path)
        found.append({name: told(db, name) for name in LISTINGS})
    assert all(each == found[0] for each in found)
    tied = [row["session_id"] for row in found[0]["sessions"] if row["last_timestamp_ms"] == START_MS + 60_000]
    assert tied == ["s5", "s6"]
    calls = [(row["tool_use_id"], row["session_id"]) for row in found[0]["tools"]][:6]
    assert calls == [(tool, session) for tool in ("t1", "t9", "t9x") for session in ("s5", "s6")]


class Behind:
    """The sessions behind the rows of every command, for one choice of filters."""

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


def behind(db: Path, **chosen: Any) -> Behind:
    with reading(db) as connection:
        return Behind(connection, **chosen)


def test_a_session_is_found_by_the_model_of_a_subagent_that_only_progress_tells_of(indexes: dict[str, Path]) -> None:
    told_of = behind(indexes["hard"], model=WRAPPED)
    assert told_of.listed["agents"] == told_of.counted == {"s1"}
    assert told_of.listed["sessions"] == {"s1"}


@pytest.mark.parametrize("which", ["hard", "sample"])
def test_no_command_tells_of_a_session_that_sessions_does_not_list(indexes: dict[str, Path], which: str) -> None:
    for kind, values in VALUES[which].items():
        for value in [value for value in values if value not in (WRAPPED, SYNTHETIC)]:
            told_of = behind(indexes[which], **{kind: value})
            sessions = told_of.listed["sessions"]
            for name in ("tools", "agents", "files"):
                assert told_of.listed[name] <= sessions, (name, kind, value)
            assert told_of.counted <= sessions, (kind, value)
            assert told_of.found <= sessions, (kind, value)
            assert told_of.touches <= told_of.calls, (kind, value)


@pytest.mark.parametrize("which", ["hard", "sample"])
@pytest.mark.parametrize("kind", ["project", "session_id", "model", "tool"])
def test_sessions_lists_those_that_stats_counts_something_of(indexes: dict[str, Path], which: str, kind: str) -> None:
    empty = {"s3"}  # it owns nothing that could be counted
    for value in [value for value in VALUES[which][kind] if value != WRAPPED]:
        told_of = behind(indexes[which], **{kind: value})
        if kind == "tool":
            assert told_of.listed["sessions"] == told_of.listed["tools"], value
        if value != SYNTHETIC:
            assert told_of.listed["sessions"] - empty == told_of.counted, value


def test_search_looks_in_the_projects_and_sessions_that_the_others_do(indexes: dict[str, Path]) -> None:
    for kind in ("project", "session_id"):
        for value in VALUES["hard"][kind]:
            told_of = behind(indexes["hard"], **{kind: value})
            assert told_of.found == told_of.listed["sessions"] - {"s3"}, value


def test_a_period_begins_with_its_first_instant_and_ends_before_its_last(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u", 10, "word"),
        assistant("a", 10, tool_use("t", "Read", file_path="/x"), parent="u"),
        user("r", 10, tool_result("t"), parent="a"),
    )
    agent_file(project, "g", user("k", 10, "word", isSidechain=True, agentId="g"))
    index(db, project)
    moment = START_MS + 10_000
    for since, until, is_in in ((moment, moment + 1, True), (moment - 1, moment, False), (moment + 1, None, False)):
        told_of = behind(db, since=since, until=until)
        for name in LISTINGS:
            assert (told_of.listed[name] == {"s1"}) is is_in, (name, since, until)
        assert (told_of.counted == {"s1"}) is is_in
        assert (told_of.found == {"s1"}) is is_in


def test_nothing_is_listed_of_an_empty_index(db: Path, project: Path) -> None:
    index(db, project)
    assert [told(db, name) for name in LISTINGS] == [[], [], [], []]


def test_a_value_is_never_read_as_sql(indexes: dict[str, Path]) -> None:
    hostile = "x' or 1=1 --"
    for name in LISTINGS:
        for kind in ("project", "session_id", "model", "tool"):
            filters: Row = {kind: hostile}
            assert told(indexes["hard"], name, **filters) == []
