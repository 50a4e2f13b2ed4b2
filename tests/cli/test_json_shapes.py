"""JSON documents, CSV and table widths of every command, on the sample and on the corpus."""

import csv
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner, Result

from ccindex.cli.app import app
from ccindex.query.graph_queries import GraphQuery, id_kinds
from tests.making.commands import tree_nodes
from tests.making.folders import SAMPLE
from tests.making.indexes import ask, index, one

FILES = ["seen", "new", "appended", "rewritten", "unchanged", "missing"]
INGEST = ["run_id", "status", "files", "bytes_read", "lines_read", "entries_added", "malformed_lines"]
INGEST += ["seconds", "phases"]
TREE = ["line_id", "session_id", "kind", "attachment_uuid", "entry_count", "is_active", "children"]
HIT = ["uuid", "session_id", "line_id", "timestamp", "type", "snippet", "rank"]
HIT += ["kind", "project", "agent_id", "status", "fork_uuid", "timestamp_ms", "form", "source_path", "line_no"]
EXPLAINED = ["uuid", "occurrences", "owned_because", "parent", "fork", "rulings", "line"]
OCCURRENCE = ["is_owner", "is_current", "session_first_at", "session_first_own_at", "session_id", "has_parent"]
OCCURRENCE += [
    "is_agent_file",
    "is_helper_file",
    "agent_file_entries",
    "source_path",
    "generation",
    "byte_offset",
    "line_no",
    "same_bytes",
]
PARENT = ["recorded_parent_uuid", "is_seen", "parent_uuid", "spawn_rule", "is_cut", "root_kind", "thread_id"]
PARENT += ["parent_thread_id", "reason"]
FORK = ["uuid", "thread_id", "line_id", "rung", "name", "verdict", "reason", "children"]
CHILD = ["uuid", "kind", "timestamp", "line_id", "position", "set_aside", "starts_line"]
LINE = ["line_id", "position", "kind", "entry_count", "is_active", "parent_line_id", "attachment_uuid", "set_aside"]
LINE += ["fork_uuid"]
PROMISED_TOTALS = ["entries", "sessions", "responses", "input_tokens", "output_tokens", "cache_creation_tokens"]
PROMISED_TOTALS += ["cache_read_tokens", "est_cost_usd"]
TOTALS = [*PROMISED_TOTALS, "unpriced_responses", "tool_calls", "tool_errors", "tool_refused", "error_rate"]
TOTALS += ["median_tool_ms", "p95_tool_ms", "active_hours"]
TOOL_FIGURES = ["tool_calls", "tool_errors", "tool_refused", "error_rate", "median_tool_ms", "p95_tool_ms"]
TOOL_FIGURES += ["sessions", "rejections", "pending"]

GRAPH = ["uuid", "depth", "parent_uuid", "session_id", "thread_id", "agent_id", "line_id", "position", "set_aside"]
GRAPH += ["is_active", "status", "root_kind", "child_count", "type", "subtype", "kind", "timestamp", "timestamp_ms"]
EXTRA_GRAPH = {
    "branch-points": ["child_thread_id", "thread_child_count", "rung", "verdict"],
    "sidechains": ["last_uuid", "entry_count", "attachment_uuid"],
    "cycles": ["cycle", "recorded_parent_uuid"],
    "tree": ["indent", "preview"],
}

LISTS = {
    "sessions": "v1_sessions",
    "tools": "v1_tool_pairs",
    "agents": "v1_agents",
    "files": "v1_file_touches",
}
BY = {
    "day": ["day"],
    "week": ["week"],
    "month": ["month"],
    "model": ["model"],
    "project": ["project"],
    "session": ["session_id", "title", "project"],
    "tool": ["tool"],
    "agent": ["agent", "agents"],
}
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> Path:
    db = tmp_path_factory.mktemp("large").resolve() / "x.db"
    index(db, corpus)
    return db


@pytest.fixture(params=["sample", "large"])
def db(request: pytest.FixtureRequest) -> Path:
    """An index. Each test runs once with the sample and, if the corpus exists, once with the corpus."""
    path: Path = request.getfixturevalue(request.param)
    return path


def run(*arguments: str | Path, width: int | None = None) -> Result:
    """Run a command in this process, without a terminal."""
    settings = {"COLUMNS": None if width is None else str(width), "CCINDEX_DB": None}
    result = CliRunner().invoke(app, list(map(str, arguments)), env=settings)
    assert (result.exit_code, result.stderr) == (0, ""), arguments
    return result


def document(*arguments: str | Path) -> Any:
    """Return the JSON document that a command prints. NaN and Infinity are rejected."""
    stdout = run(*arguments, "--json").stdout
    assert stdout.endswith("\n")
    return json.loads(stdout, parse_constant=_refuse)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def csv_rows(*arguments: str | Path) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the CSV that a command prints."""
    csv.field_size_limit(10**9)
    head, *rows = csv.reader(io.StringIO(run(*arguments, "--csv").stdout))
    assert all(len(row) == len(head) for row in rows)
    return head, rows


def columns(db: Path, view: str) -> list[str]:
    return [row[1] for row in ask(db, f"pragma table_info({view})")]


def busiest(db: Path) -> str:
    """Return the session with the most lines among those that are small enough to be shown quickly."""
    query = "select session_id from v1_sessions where entry_count < 1000 order by line_count desc, session_id limit 1"
    return str(one(db, query))


def forked(db: Path) -> tuple[str, str]:
    """Return a session with a fork and the entry at the fork. Sessions with many agents are preferred."""
    query = (
        "select e.session_id, e.uuid from v1_forks f join v1_entries e on e.uuid = f.uuid join v1_sessions s "
        "on s.session_id = e.session_id where s.entry_count < 1000 order by s.agent_count desc, e.uuid limit 1"
    )
    [(session, entry)] = ask(db, query)
    return session, entry


@pytest.mark.parametrize("command", LISTS)
def test_list_has_the_rows_and_columns_of_its_view(db: Path, command: str) -> None:
    promised = columns(db, LISTS[command])
    output = document(command, "--db", db)
    assert list(output) == [command]
    assert len(output[command]) == one(db, f"select count(*) from {LISTS[command]}") > 0
    assert all(list(row) == promised for row in output[command])
    head, rows = csv_rows(command, "--db", db)
    assert head == promised
    assert [row[0] for row in rows] == [str(next(iter(row.values()))) for row in output[command]]


@pytest.mark.parametrize("by", BY)
def test_stats_have_the_documented_figures(db: Path, by: str) -> None:
    output = document("stats", "--by", by, "--db", db)
    figures = TOOL_FIGURES if by == "tool" else [name for name in TOTALS if by != "model" or name != "active_hours"]
    assert list(output) == ["by", "rows", "totals", "timezone"]
    assert output["by"] == by
    assert output["rows"]
    assert all(list(row) == BY[by] + figures for row in output["rows"])
    assert list(output["totals"]) == list(dict.fromkeys(TOTALS + figures))
    head, rows = csv_rows("stats", "--by", by, "--db", db)
    assert (head, len(rows)) == (BY[by] + figures, len(output["rows"]))


def test_tree_has_every_line_once(db: Path) -> None:
    output = document("tree", "--db", db)
    assert list(output) == ["roots"]
    nodes = [node for node, _ in tree_nodes(output["roots"])]
    assert all(list(node) == TREE for node in nodes)
    assert sorted(node["line_id"] for node in nodes) == sorted(
        row[0] for row in ask(db, "select line_id from v1_lines")
    )


@pytest.mark.parametrize("mode", ["conversation", "recorded"])
def test_paths_have_the_columns_of_their_view(db: Path, mode: str) -> None:
    recorded = ["--recorded"] if mode == "recorded" else []
    arguments = ["paths", "--session", busiest(db), "--agents", *recorded, "--db", str(db)]
    output = document(*arguments, "--uuids")
    expected = [*columns(db, "v1_paths"), "is_agent"]
    assert list(output) == ["session_id", "mode", "paths"]
    assert (output["session_id"], output["mode"]) == (busiest(db), mode)
    assert output["paths"]
    for path in output["paths"]:
        assert list(path) == [*expected, "uuids"]
        assert len(path["uuids"]) == path["entry_count"]
    head, rows = csv_rows(*arguments)
    assert (head, len(rows)) == (expected, len(output["paths"]))


@pytest.mark.parametrize("kind", ["session", "line", "entry", "path"])
def test_show_has_entries_with_their_blocks(db: Path, kind: str) -> None:
    session = busiest(db)
    ids = {
        "session": session,
        "line": one(db, "select min(line_id) from v1_lines where session_id = ? and kind <> 'trunk'", session),
        "entry": one(db, "select min(uuid) from v1_entries where session_id = ? and kind = 'assistant'", session),
        "path": one(db, "select min(path_id) from v1_paths where entry_count between 20 and 200"),
    }
    output = document("show", ids[kind], "--db", db)
    assert list(output) == ["id", "kind", "entries"]
    assert (output["id"], output["kind"]) == (ids[kind], kind)
    assert output["entries"]
    blocks, promised = set(columns(db, "v1_blocks")), [*columns(db, "v1_entries"), "set_aside", "blocks"]
    for entry in output["entries"]:
        assert list(entry) == promised
        assert all(block.keys() <= blocks and {"idx", "type"} <= block.keys() for block in entry["blocks"])
    assert any(entry["blocks"] for entry in output["entries"])


def test_explain_has_all_documented_keys(db: Path) -> None:
    (fork,), *_ = ask(db, "select uuid from v1_forks order by rung desc, uuid limit 1")
    for (uuid,) in ask(db, "select child_uuid from v1_edges where parent_uuid = ? and kind = 'parent'", fork):
        output = document("explain", uuid, "--db", db)
        assert list(output) == EXPLAINED
        assert output["uuid"] == uuid
        assert all(list(copy) == OCCURRENCE for copy in output["occurrences"])
        assert list(output["parent"]) == PARENT
        assert list(output["line"]) == LINE
        for ruling in [output["fork"], *output["rulings"]]:
            assert list(ruling) == FORK
            assert all(list(child) == CHILD for child in ruling["children"])


@pytest.mark.parametrize("query", list(GraphQuery))
def test_graph_rows_have_the_documented_keys(db: Path, query: GraphQuery) -> None:
    ids = dict(zip(("session", "entry"), forked(db), strict=True))
    for kind in id_kinds(query):
        arguments = ["graph", query.value, ids[kind][:-1], "--db", str(db)]
        output = document(*arguments)
        assert list(output) == ["query", "id", "rows"]
        assert (output["query"], output["id"]) == (query, ids[kind])
        keys = ["session_id", "is_linear"] if query == "is-linear" else [*GRAPH, *EXTRA_GRAPH.get(query, [])]
        assert output["rows"] or query in ("cycles", "ancestors", "sidechains")
        assert all(list(row) == keys for row in output["rows"])
        head, rows = csv_rows(*arguments)
        assert (head, len(rows)) == (keys, len(output["rows"]))
        assert document(*arguments, "--limit", "2")["rows"] == output["rows"][:2]


def test_search_hits_have_the_documented_keys(db: Path) -> None:
    output = document("search", "the", "--limit", "30", "--db", db)
    assert list(output) == ["hits"]
    assert len(output["hits"]) == 30
    assert all(list(hit) == HIT for hit in output["hits"])
    head, rows = csv_rows("search", "the", "--limit", "30", "--db", db)
    assert (head, len(rows)) == (HIT, len(output["hits"]))


def test_exported_and_restored_files_have_path_and_size(db: Path, tmp_path: Path) -> None:
    output = document("export", "--session", busiest(db), "--out", tmp_path / "pages", "--db", db)
    assert list(output) == ["files"]
    assert output["files"]
    for file in output["files"]:
        assert list(file) == ["path", "bytes"]
        assert Path(file["path"]).stat().st_size == file["bytes"]
    source = one(db, "select min(path) from v1_sources where kind = 'session'")
    output = document("restore", "--source", source, "--out", tmp_path / "back", "--db", db)
    assert list(output) == ["files"]
    assert [list(file) for file in output["files"]] == [["path", "bytes", "sha256"]]


def test_sql_has_columns_and_rows(db: Path) -> None:
    query = "select uuid, kind, null as none from v1_entries order by uuid limit 7"
    output = document("sql", query, "--db", db)
    assert list(output) == ["columns", "rows"]
    assert output["columns"] == ["uuid", "kind", "none"]
    head, rows = csv_rows("sql", query, "--db", db)
    assert (head, len(rows)) == (output["columns"], 7)
    assert [[uuid, kind, none or ""] for uuid, kind, none in output["rows"]] == rows


def test_sql_lists_views_and_examples(sample: Path) -> None:
    output = document("sql", "--schema", "--db", sample)
    assert list(output) == ["views"]
    assert all(list(view) == ["name", "sentence", "columns"] for view in output["views"])
    assert all(list(column) == ["name", "remark"] for view in output["views"] for column in view["columns"])
    output = document("sql", "--examples")
    assert list(output) == ["examples"]
    assert all(list(example) == ["name", "sentence"] for example in output["examples"])


@pytest.mark.parametrize("values", ["select 1e999", "select -1e999", "select x'00'", "select 9223372036854775807"])
def test_values_that_json_cannot_represent_give_a_valid_document(sample: Path, values: str) -> None:
    assert len(document("sql", values, "--db", sample)["rows"]) == 1


def test_doctor_has_checks_and_advice(db: Path) -> None:
    output = document("doctor", "--db", db)
    assert list(output) == ["ok", "checks", "advice"]
    assert output["ok"] is True
    assert all(list(check) == ["name", "ok", "detail"] for check in output["checks"])
    promised = {"integrity", "accounting", "drift", "sole-copies", "ghosts", "malformed-lines"}
    assert promised <= {check["name"] for check in output["checks"]}


def test_ingest_and_db_commands_have_the_documented_keys(tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path / "sample")
    db = tmp_path / "x.db"
    for full in ([], ["--full"]):
        output = document("ingest", tmp_path / "sample", *full, "--db", db)
        assert list(output) == INGEST
        assert list(output["files"]) == FILES
    shapes = {
        "path": ["path"],
        "current": ["path", "state", "revision", "head"],
        "upgrade": ["path", "from", "to"],
        "rebuild": ["sources", "entries", "revision"],
        "reprice": ["responses"],
        "vacuum": ["path", "bytes_before", "bytes_after"],
    }
    assert {name: list(document("db", name, "--db", db)) for name in shapes} == shapes
    assert document("db", "current", "--db", tmp_path / "none.db")["state"] == "absent"


def test_empty_index_gives_empty_documents(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    index(db, tmp_path)
    for command in LISTS:
        assert document(command, "--db", db) == {command: []}
        assert csv_rows(command, "--db", db)[1] == []
    assert document("tree", "--db", db) == {"roots": []}
    assert document("search", "x", "--db", db) == {"hits": []}
    assert document("stats", "--db", db)["rows"] == []
    assert document("restore", "--out", tmp_path / "out", "--db", db) == {"files": []}
    assert document("export", "--all", "--out", tmp_path / "out", "--db", db) == {"files": []}
    assert document("doctor", "--db", db)["ok"] is True


def tables(db: Path) -> Iterator[list[str]]:
    """Yield every command that prints a table."""
    yield from ([command, "--limit", "300"] for command in LISTS)
    yield from (["stats", "--by", by] for by in BY)
    yield ["paths", "--session", busiest(db), "--agents"]
    yield ["paths", "--session", busiest(db), "--agents", "--recorded"]
    yield from (["graph", query, forked(db)[0], "--limit", "300"] for query in ("tree", "depth-first", "main-thread"))
    yield ["sql", "select uuid, project, text, source_path, cwd from v1_entries where text <> '' limit 300"]
    yield ["sql", "--example", "latest_prompts"]
    yield ["sql", "--examples"]


@pytest.mark.parametrize("width", [80, 160])
def test_tables_fit_the_width(db: Path, width: int) -> None:
    for arguments in tables(db):
        lines = printed(*arguments, "--db", str(db), width=width)
        assert len(lines) > 1, arguments
        assert [line for line in lines if cell_len(line) > width] == [], arguments


@pytest.mark.parametrize(
    ("db", "width"),
    [
        ("sample", 80),
        ("sample", 160),
        ("large", 80),
        ("large", 160),
    ],
    indirect=["db"],
)
def test_tree_fits_the_width(db: Path, width: int) -> None:
    lines = printed("tree", "--limit", "0", "--db", str(db), width=width)
    assert len(lines) == one(db, "select count(*) from v1_lines")
    assert [line for line in lines if cell_len(line) > width] == []


def test_human_readable_output_has_no_control_characters(db: Path) -> None:
    for arguments in (["show", busiest(db), "--agents", "--all", "--full"], ["search", "the"], ["doctor", "--all"]):
        assert printed(*arguments, "--db", str(db), width=80)


def printed(*arguments: str, width: int) -> list[str]:
    """Return the lines that a command prints. Check that it prints no control characters and no traceback."""
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": str(width), "CCINDEX_DB": None})
    assert result.exit_code == 0, arguments
    assert all(line.startswith("ccindex: showing only the ") for line in result.stderr.splitlines()), arguments
    assert CONTROL.search(result.stdout) is None, arguments
    assert "Traceback (most recent call last)" not in result.stderr
    return result.stdout.split("\n")[:-1]
