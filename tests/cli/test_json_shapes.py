"""What programs read, on the sample and on the corpus: every document, every CSV; and no table wider than asked for."""

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
OF_TOOLS = ["tool_calls", "tool_errors", "tool_refused", "error_rate", "median_tool_ms", "p95_tool_ms"]
OF_TOOLS += ["sessions", "rejections", "pending"]

GRAPH = ["uuid", "depth", "parent_uuid", "session_id", "thread_id", "agent_id", "line_id", "position", "set_aside"]
GRAPH += ["is_active", "status", "root_kind", "child_count", "type", "subtype", "kind", "timestamp", "timestamp_ms"]
MORE_OF_GRAPH = {
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
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample").resolve()
    shutil.copytree(SAMPLE, folder / "sample")
    index(folder / "x.db", folder / "sample")
    return folder / "x.db"


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> Path:
    db = tmp_path_factory.mktemp("large").resolve() / "x.db"
    index(db, corpus)
    return db


@pytest.fixture(params=["sample", "large"])
def db(request: pytest.FixtureRequest) -> Path:
    """An index of the sample, then one of the corpus where that is there."""
    found: Path = request.getfixturevalue(request.param)
    return found


def run(*words: str | Path, width: int | None = None) -> Result:
    """Run a command in this process, its output off any terminal."""
    settings = {"COLUMNS": None if width is None else str(width), "CCINDEX_DB": None}
    done = CliRunner().invoke(app, list(map(str, words)), env=settings)
    assert (done.exit_code, done.stderr) == (0, ""), words
    return done


def document(*words: str | Path) -> Any:
    """The one document that a command prints; NaN and Infinity are no JSON."""
    said = run(*words, "--json").stdout
    assert said.endswith("\n")
    return json.loads(said, parse_constant=_refuse)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def rows_of(*words: str | Path) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of a command's CSV."""
    csv.field_size_limit(10**9)
    head, *rows = csv.reader(io.StringIO(run(*words, "--csv").stdout))
    assert all(len(row) == len(head) for row in rows)
    return head, rows


def columns(db: Path, view: str) -> list[str]:
    return [row[1] for row in ask(db, f"pragma table_info({view})")]


def busiest(db: Path) -> str:
    """The session with most lines, of a size that is quick to show."""
    find = "select session_id from v1_sessions where entry_count < 1000 order by line_count desc, session_id limit 1"
    return str(one(db, find))


def forked(db: Path) -> tuple[str, str]:
    """A session with a fork and agents, if there is one, and the entry at which it forks."""
    find = (
        "select e.session_id, e.uuid from v1_forks f join v1_entries e on e.uuid = f.uuid join v1_sessions s "
        "on s.session_id = e.session_id where s.entry_count < 1000 order by s.agent_count desc, e.uuid limit 1"
    )
    [(session, entry)] = ask(db, find)
    return session, entry


@pytest.mark.parametrize("command", LISTS)
def test_a_list_has_the_rows_and_columns_of_its_view(db: Path, command: str) -> None:
    promised = columns(db, LISTS[command])
    told = document(command, "--db", db)
    assert list(told) == [command]
    assert len(told[command]) == one(db, f"select count(*) from {LISTS[command]}") > 0
    assert all(list(row) == promised for row in told[command])
    head, rows = rows_of(command, "--db", db)
    assert head == promised
    assert [row[0] for row in rows] == [str(next(iter(row.values()))) for row in told[command]]


@pytest.mark.parametrize("by", BY)
def test_stats_have_their_figures_by(db: Path, by: str) -> None:
    told = document("stats", "--by", by, "--db", db)
    figures = OF_TOOLS if by == "tool" else [name for name in TOTALS if by != "model" or name != "active_hours"]
    assert list(told) == ["by", "rows", "totals", "timezone"]
    assert told["by"] == by
    assert told["rows"]
    assert all(list(row) == BY[by] + figures for row in told["rows"])
    assert list(told["totals"]) == list(dict.fromkeys(TOTALS + figures))
    head, rows = rows_of("stats", "--by", by, "--db", db)
    assert (head, len(rows)) == (BY[by] + figures, len(told["rows"]))


def test_the_tree_has_every_line_once(db: Path) -> None:
    told = document("tree", "--db", db)
    assert list(told) == ["roots"]
    found = [node for node, _ in tree_nodes(told["roots"])]
    assert all(list(node) == TREE for node in found)
    assert sorted(node["line_id"] for node in found) == sorted(
        row[0] for row in ask(db, "select line_id from v1_lines")
    )


@pytest.mark.parametrize("mode", ["conversation", "recorded"])
def test_paths_have_the_columns_of_their_view(db: Path, mode: str) -> None:
    recorded = ["--recorded"] if mode == "recorded" else []
    words = ["paths", "--session", busiest(db), "--agents", *recorded, "--db", str(db)]
    told = document(*words, "--uuids")
    wanted = [*columns(db, "v1_paths"), "is_agent"]
    assert list(told) == ["session_id", "mode", "paths"]
    assert (told["session_id"], told["mode"]) == (busiest(db), mode)
    assert told["paths"]
    for path in told["paths"]:
        assert list(path) == [*wanted, "uuids"]
        assert len(path["uuids"]) == path["entry_count"]
    head, rows = rows_of(*words)
    assert (head, len(rows)) == (wanted, len(told["paths"]))


@pytest.mark.parametrize("kind", ["session", "line", "entry", "path"])
def test_show_gives_entries_with_their_blocks(db: Path, kind: str) -> None:
    session = busiest(db)
    ids = {
        "session": session,
        "line": one(db, "select min(line_id) from v1_lines where session_id = ? and kind <> 'trunk'", session),
        "entry": one(db, "select min(uuid) from v1_entries where session_id = ? and kind = 'assistant'", session),
        "path": one(db, "select min(path_id) from v1_paths where entry_count between 20 and 200"),
    }
    told = document("show", ids[kind], "--db", db)
    assert list(told) == ["id", "kind", "entries"]
    assert (told["id"], told["kind"]) == (ids[kind], kind)
    assert told["entries"]
    blocks, promised = set(columns(db, "v1_blocks")), [*columns(db, "v1_entries"), "set_aside", "blocks"]
    for entry in told["entries"]:
        assert list(entry) == promised
        assert all(block.keys() <= blocks and {"idx", "type"} <= block.keys() for block in entry["blocks"])
    assert any(entry["blocks"] for entry in told["entries"])


def test_explain_tells_all_of_its_parts(db: Path) -> None:
    (fork,), *_ = ask(db, "select uuid from v1_forks order by rung desc, uuid limit 1")
    for (uuid,) in ask(db, "select child_uuid from v1_edges where parent_uuid = ? and kind = 'parent'", fork):
        told = document("explain", uuid, "--db", db)
        assert list(told) == EXPLAINED
        assert told["uuid"] == uuid
        assert all(list(copy) == OCCURRENCE for copy in told["occurrences"])
        assert list(told["parent"]) == PARENT
        assert list(told["line"]) == LINE
        for ruling in [told["fork"], *told["rulings"]]:
            assert list(ruling) == FORK
            assert all(list(child) == CHILD for child in ruling["children"])


@pytest.mark.parametrize("query", list(GraphQuery))
def test_rows_of_the_graph_have_their_keys(db: Path, query: GraphQuery) -> None:
    wanted = dict(zip(("session", "entry"), forked(db), strict=True))
    for kind in id_kinds(query):
        words = ["graph", query.value, wanted[kind][:-1], "--db", str(db)]
        told = document(*words)
        assert list(told) == ["query", "id", "rows"]
        assert (told["query"], told["id"]) == (query, wanted[kind])
        keys = ["session_id", "is_linear"] if query == "is-linear" else [*GRAPH, *MORE_OF_GRAPH.get(query, [])]
        assert told["rows"] or query in ("cycles", "ancestors", "sidechains")
        assert all(list(row) == keys for row in told["rows"])
        head, rows = rows_of(*words)
        assert (head, len(rows)) == (keys, len(told["rows"]))
        assert document(*words, "--limit", "2")["rows"] == told["rows"][:2]


def test_a_hit_has_its_promised_keys_and_more(db: Path) -> None:
    told = document("search", "the", "--limit", "30", "--db", db)
    assert list(told) == ["hits"]
    assert len(told["hits"]) == 30
    assert all(list(hit) == HIT for hit in told["hits"])
    head, rows = rows_of("search", "the", "--limit", "30", "--db", db)
    assert (head, len(rows)) == (HIT, len(told["hits"]))


def test_exported_and_restored_files_have_path_and_size(db: Path, tmp_path: Path) -> None:
    told = document("export", "--session", busiest(db), "--out", tmp_path / "pages", "--db", db)
    assert list(told) == ["files"]
    assert told["files"]
    for file in told["files"]:
        assert list(file) == ["path", "bytes"]
        assert Path(file["path"]).stat().st_size == file["bytes"]
    source = one(db, "select min(path) from v1_sources where kind = 'session'")
    told = document("restore", "--source", source, "--out", tmp_path / "back", "--db", db)
    assert list(told) == ["files"]
    assert [list(file) for file in told["files"]] == [["path", "bytes", "sha256"]]


def test_sql_gives_columns_and_rows(db: Path) -> None:
    query = "select uuid, kind, null as none from v1_entries order by uuid limit 7"
    told = document("sql", query, "--db", db)
    assert list(told) == ["columns", "rows"]
    assert told["columns"] == ["uuid", "kind", "none"]
    head, rows = rows_of("sql", query, "--db", db)
    assert (head, len(rows)) == (told["columns"], 7)
    assert [[uuid, kind, none or ""] for uuid, kind, none in told["rows"]] == rows


def test_sql_tells_views_and_examples(sample: Path) -> None:
    told = document("sql", "--schema", "--db", sample)
    assert list(told) == ["views"]
    assert all(list(view) == ["name", "sentence", "columns"] for view in told["views"])
    assert all(list(column) == ["name", "remark"] for view in told["views"] for column in view["columns"])
    told = document("sql", "--examples")
    assert list(told) == ["examples"]
    assert all(list(example) == ["name", "sentence"] for example in told["examples"])


@pytest.mark.parametrize("values", ["select 1e999", "select -1e999", "select x'00'", "select 9223372036854775807"])
def test_what_json_has_no_word_for_is_still_a_document(sample: Path, values: str) -> None:
    assert len(document("sql", values, "--db", sample)["rows"]) == 1


def test_the_doctor_gives_checks_and_advice(db: Path) -> None:
    told = document("doctor", "--db", db)
    assert list(told) == ["ok", "checks", "advice"]
    assert told["ok"] is True
    assert all(list(check) == ["name", "ok", "detail"] for check in told["checks"])
    promised = {"integrity", "accounting", "drift", "sole-copies", "ghosts", "malformed-lines"}
    assert promised <= {check["name"] for check in told["checks"]}


def test_ingest_and_house_keeping_have_their_keys(tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path / "sample")
    db = tmp_path / "x.db"
    for full in ([], ["--full"]):
        told = document("ingest", tmp_path / "sample", *full, "--db", db)
        assert list(told) == INGEST
        assert list(told["files"]) == FILES
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


def test_an_index_of_nothing_gives_documents_of_nothing(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    index(db, tmp_path)
    for command in LISTS:
        assert document(command, "--db", db) == {command: []}
        assert rows_of(command, "--db", db)[1] == []
    assert document("tree", "--db", db) == {"roots": []}
    assert document("search", "x", "--db", db) == {"hits": []}
    assert document("stats", "--db", db)["rows"] == []
    assert document("restore", "--out", tmp_path / "out", "--db", db) == {"files": []}
    assert document("export", "--all", "--out", tmp_path / "out", "--db", db) == {"files": []}
    assert document("doctor", "--db", db)["ok"] is True


def tables(db: Path) -> Iterator[list[str]]:
    """Every command that lays out for the terminal."""
    yield from ([command, "--limit", "300"] for command in LISTS)
    yield from (["stats", "--by", by] for by in BY)
    yield ["paths", "--session", busiest(db), "--agents"]
    yield ["paths", "--session", busiest(db), "--agents", "--recorded"]
    yield from (["graph", query, forked(db)[0], "--limit", "300"] for query in ("tree", "depth-first", "main-thread"))
    yield ["sql", "select uuid, project, text, source_path, cwd from v1_entries where text <> '' limit 300"]
    yield ["sql", "--example", "latest_prompts"]
    yield ["sql", "--examples"]


@pytest.mark.parametrize("width", [80, 160])
def test_no_table_is_wider_than_the_columns(db: Path, width: int) -> None:
    for words in tables(db):
        lines = printed(*words, "--db", str(db), width=width)
        assert len(lines) > 1, words
        assert [line for line in lines if cell_len(line) > width] == [], words


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
def test_no_line_of_the_tree_is_longer_than_the_columns(db: Path, width: int) -> None:
    lines = printed("tree", "--limit", "0", "--db", str(db), width=width)
    assert len(lines) == one(db, "select count(*) from v1_lines")
    assert [line for line in lines if cell_len(line) > width] == []


def test_what_is_read_has_no_control_characters(db: Path) -> None:
    for words in (["show", busiest(db), "--agents", "--all", "--full"], ["search", "the"], ["doctor", "--all"]):
        assert printed(*words, "--db", str(db), width=80)


def printed(*words: str, width: int) -> list[str]:
    """The lines of a command, which drive no terminal and are no traceback."""
    done = CliRunner().invoke(app, list(words), env={"COLUMNS": str(width), "CCINDEX_DB": None})
    assert done.exit_code == 0, words
    assert all(line.startswith("ccindex: only the ") for line in done.stderr.splitlines()), words
    assert CONTROL.search(done.stdout) is None, words
    assert "Traceback (most recent call last)" not in done.stderr
    return done.stdout.split("\n")[:-1]
