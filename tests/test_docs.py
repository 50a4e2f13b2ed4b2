"""README.md against the program: what it lists is all there is, what it shows is what one gets."""

import json
import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ccindex.cli.app import app
from ccindex.model.diagnostics import Code
from ccindex.model.recorded import Words
from ccindex.store.sql_files import load, names
from tests.making.command_tree import COMMANDS
from tests.making.files import write
from tests.making.folders import ROOT, SAMPLE
from tests.making.indexes import ask, broken, diagnostics, findings, index, one
from tests.making.transcripts import line

README = (ROOT / "README.md").read_text(encoding="utf-8")
BREAD = "-home-you-projects-bread-timer"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def section(heading: str) -> str:
    """What stands between a heading and the next one of its rank."""
    return README.split(f"\n## {heading}\n")[1].split("\n## ")[0]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the sample, of which one project was deleted afterwards."""
    folder = tmp_path_factory.mktemp("sample")
    place = Path(shutil.copytree(SAMPLE, folder / "sample"))
    report = index(folder / "sample.db", place)
    assert report.malformed_lines == 0
    shutil.rmtree(place / "projects" / BREAD)
    index(folder / "sample.db", place)
    return folder / "sample.db"


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of what the sample does not show: a replay, a subagent of unknown origin, a model without a price."""
    folder = tmp_path_factory.mktemp("odd")
    twice = {"timestamp": "2026-03-01T09:00:01.000Z", "message": {"role": "user", "content": "again"}}
    write(
        folder / "p" / "s1.jsonl",
        line("u1"),
        line("u2", parent="u1", **twice),
        line("u3", parent="u1", **twice),
        line("u4", isSidechain=True, agentId="a1"),
        line("u5", parent="u3", type="assistant", message={"role": "assistant", "id": "m1", "model": "homemade-1"}),
    )
    index(folder / "odd.db", folder / "p")
    return folder / "odd.db"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment whose `ccindex` is the one under test."""
    program = tmp_path / "bin" / "ccindex"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ccindex "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


def run_script(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, script, *arguments], capture_output=True, text=True, check=False, timeout=120
    )


def test_the_generated_parts_are_current() -> None:
    done = run_script(ROOT / "scripts" / "docs", "--check")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_stale_part_is_told_and_made_anew(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    script = Path(shutil.copy(ROOT / "scripts" / "docs", tmp_path / "scripts" / "docs"))
    (tmp_path / "sql").mkdir()
    schema = Path(shutil.copy(ROOT / "sql" / "schema.sql", tmp_path / "sql" / "schema.sql"))
    readme = tmp_path / "README.md"
    readme.write_text(README.replace("| `torn-tail` |", "| `torn-tale` |"), encoding="utf-8")
    done = run_script(script, "--check")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    schema.write_text("-- nothing\n", encoding="utf-8")
    assert run_script(script, "--check").stderr.count("\n") == 2
    assert run_script(script).returncode == 0
    assert readme.read_text(encoding="utf-8") == README
    assert schema.read_bytes() == (ROOT / "sql" / "schema.sql").read_bytes()


def test_every_command_and_option_is_documented() -> None:
    problems = {" ".join(words): undocumented(words) for words in COMMANDS}
    assert {name: options for name, options in problems.items() if options} == {}


def undocumented(words: tuple[str, ...]) -> set[str]:
    """Options of a command that the reference, or for completion the README, does not have."""
    told = section("Commands").split(f"\nccindex {' '.join([*words, '[OPTIONS]'])}")[1].split("\nccindex ")[0]
    told += section("Commands").split("Every command takes these:")[1]
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "300", "TERMINAL_WIDTH": "300"}).output
    options = set(re.findall(r"(?<!\S)--[a-z][a-z-]+", shown))
    assert "--help" in options
    options.remove("--help")
    # typer words these two itself, so the reference leaves them to the section before
    completion = {"--install-completion", "--show-completion"}
    return {option for option in options if option not in (README if option in completion else told)}


def test_every_diagnostic_has_its_row() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (\w+) \| (.+) \|$", section("Diagnostics"), re.MULTILINE)
    assert sorted(rows) == sorted((code.slug, code.severity, code.sentence) for code in Code)


def test_every_view_is_documented_with_all_its_columns(sample: Path) -> None:
    told = {
        name: [line.split()[0] for line in columns.splitlines() if not line.startswith(" ")]
        for name, columns in re.findall(
            r"^#### `(\w+)`\n.*?```text\n(.*?)```", section("Views"), re.DOTALL | re.MULTILINE
        )
    }
    assert told == {name: [row[1] for row in ask(sample, f"pragma table_info({name})")] for name in names("views")}


def test_every_query_of_the_readme_finds_something(sample: Path, odd: Path) -> None:
    assert [query for query in blocks("sql") if not ask(sample, query) and not ask(odd, query)] == []


def test_the_readme_has_every_example() -> None:
    statements = {re.sub(r"^--.*\n", "", load(f"examples/{name}"), flags=re.MULTILINE) for name in names("examples")}
    assert statements <= set(blocks("sql"))


@pytest.mark.parametrize("command", re.findall(r"^ccindex search .+$", "".join(blocks("sh")), re.MULTILINE))
def test_every_search_of_the_readme_finds_something(sample: Path, environment: dict[str, str], command: str) -> None:
    done = subprocess.run(
        ["sh", "-c", command],
        env=environment | {"CCINDEX_DB": str(sample)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "«" in done.stdout


def test_the_columns_of_search_have_the_weights_that_the_readme_tells() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", section("Search"), re.MULTILINE)
    [weights] = re.findall(r"bm25\(entries_fts, (.+?)\)", load("query/search"))
    assert [name for name, _ in rows] == list(Words._fields)
    assert [float(weight) for _, weight in rows] == [float(weight) for weight in weights.split(", ")]
    assert f"bm25(entries_fts, {', '.join(weight for _, weight in rows)})" in section("Search")


def test_the_readme_tells_every_form_that_the_sample_has(sample: Path) -> None:
    part = section("What entries mean").split("### Forms")[1].split("###")[0]
    rows = re.findall(r"^\| (`.+`) \|", part, re.MULTILINE)
    told = {form for row in rows for form in re.findall(r"`(\w+)`", row)}
    found = {form for (form,) in ask(sample, "select form from v1_entries where form is not null")}
    assert {"typed", "rejection", "hook"} <= found <= told


def tour() -> Iterator[tuple[str, list[str]]]:
    """Give each command of the tour with the output that the README shows."""
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            # a command goes on while a quote is open
            end = next(n for n in range(1, len(lines) + 1) if "\n".join(lines[:n]).count('"') % 2 == 0)
            yield "\n".join(lines[:end]), [line.rstrip() for line in lines[end:] if line.strip()]


def test_the_tour_shows_what_the_program_prints(tmp_path: Path, environment: dict[str, str]) -> None:
    here = str(tmp_path.resolve())
    steps = 0
    for command, shown in tour():
        local = command.replace("/tmp/", f"{here}/")  # noqa: S108 - the reader's /tmp, not ours
        if local.startswith("export "):
            name, _, value = local.removeprefix("export ").partition("=")
            environment[name] = value
            continue
        # what ingest shows on a terminal only, the JSON says too
        is_ingest = local.startswith("ccindex ingest")
        printed = subprocess.run(
            ["sh", "-c", local + (" --json" if is_ingest else "")],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout.replace(f"{here}/", "/tmp/")  # noqa: S108
        actual = [summary(json.loads(printed))] if is_ingest else printed.splitlines()
        assert re.fullmatch(pattern(shown), "".join(f"{line.rstrip()}\n" for line in actual if line.strip())), command
        steps += 1
    assert steps >= 20


def summary(document: dict[str, Any]) -> str:
    files = document["files"]
    changed = ", ".join(f"{files[name]} {name}" for name in ("new", "missing") if files[name])
    return (
        f"{files['seen']} files ({changed}): read {document['lines_read']} lines, "
        f"{document['entries_added']} new entries in 0.0 s"
    )


def pattern(shown: list[str]) -> str:
    """The lines shown, where `…` stands for any number of lines, and at the end of one for the rest of it."""
    return "".join("(?:.*\n)*" if text == "…" else _cut(text) + "\n" for text in shown)


def _cut(text: str) -> str:
    return re.escape(text.removesuffix("…").rstrip()) + (".*" if text.endswith("…") else "")


def test_the_documents_have_the_keys_that_the_readme_lists(tmp_path: Path, environment: dict[str, str]) -> None:
    listed = dict(re.findall(r"^\| `([a-z ]+)` \| `(\{.+\})` \|$", section("Commands"), re.MULTILINE))
    place = shutil.copytree(SAMPLE, tmp_path / "sample")
    arguments = {
        "ingest": [str(place)],
        "paths": ["--session", "51ea"],
        "show": ["0c46"],
        "explain": ["2cb4"],
        "graph": ["tree", "51ea"],
        "search": ["quince"],
        "export": ["--session", "51ea", "--out", str(tmp_path / "pages")],
        "restore": ["--out", str(tmp_path / "out")],
        "sql": ["select 1"],
        "forget": ["--session", "51ea", "--dry-run"],
    }
    words = {words for words in COMMANDS if words not in {(), ("db",)}}
    assert listed.keys() == {" ".join(command) for command in words}
    for command, keys in listed.items():
        done = subprocess.run(
            ["ccindex", *command.split(), *arguments.get(command, []), "--json", "--db", str(tmp_path / "x.db")],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        without_remarks = re.sub(r"\([^)]*\)", "", keys)
        for view in re.findall(r"columns of (\w+)", without_remarks):
            columns = ask(tmp_path / "x.db", f"pragma table_info({view})")
            without_remarks += "".join(f'"{column[1]}"' for column in columns)
        assert keys_of(json.loads(done.stdout)) == set(re.findall(r'"(\w+)"', without_remarks)), command


def keys_of(document: dict[str, Any]) -> set[str]:
    inner = [item for value in document.values() for item in (value if isinstance(value, list) else [value])]
    return set(document).union(*(item for item in inner if isinstance(item, dict)))


def test_the_hooks_have_the_form_that_claude_code_reads() -> None:
    [settings] = map(json.loads, blocks("json"))
    assert settings["hooks"].keys() == {"SessionEnd", "PreCompact"}
    for matchers in settings["hooks"].values():
        [hook] = [hook for matcher in matchers for hook in matcher["hooks"]]
        assert hook["type"] == "command"
        assert "ccindex ingest" in hook["command"]


def test_the_launchd_recipe_is_a_property_list() -> None:
    [recipe] = [plistlib.loads(block.encode()) for block in blocks("xml")]
    assert recipe["ProgramArguments"][1:] == ["ingest"]


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {re.split(r"[<>=~!]", requirement)[0] for requirement in project["dependencies"]}
    assert set(re.findall(r"^\| \[([a-z-]+)\]\(", section("Requirements"), re.MULTILINE)) == wanted


def test_the_sample_is_sound_and_has_nothing_odd(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    report = index(db, SAMPLE)
    assert report.malformed_lines == 0
    assert broken(db) == {}
    assert ask(db, "select * from v1_drift") == []
    assert diagnostics(db) == []
    assert {kind for kind, _ in findings(db)} == {"orphan-parent", "unexpected-root"}  # the ghost that it shows


SHOWN = [
    ("a rewind", "select 1 from v1_entries where is_typed = 1 group by parent_uuid having count(*) > 1"),
    ("a copy", "select 1 from v1_occurrences where uuid is not null and is_owner = 0"),
    ("a ghost", "select 1 from v1_edges where state = 'ghost'"),
    ("a compaction", "select 1 from v1_system_events where compact_pre_tokens > 0"),
    ("a compact summary", "select 1 from v1_entries where is_compact_summary = 1"),
    ("a subagent", "select 1 from v1_sidecars a join v1_entries e on e.agent_id = a.agent_id"),
    ("a patch", "select 1 from v1_tool_outcomes where lines_added > 0 and lines_removed > 0"),
    ("a failure", "select 1 from v1_tool_outcomes where exit_code = 1"),
    ("a large output", "select 1 from v1_sources s join v1_tool_outcomes o on s.size = o.persisted_size"),
    ("a summary", "select 1 from v1_summaries where kind = 'summary' and session_id is not null"),
    ("a queued prompt", "select 1 from v1_queue_operations where operation = 'enqueue'"),
    ("a snapshot", "select 1 from v1_file_snapshots"),
    ("a new attachment", "select 1 from v1_attachments join v1_entries using (uuid) where version like '2.1.1__'"),
    ("usage", "select 1 from v1_messages where output_tokens > 0 and cache_creation_1h_tokens > 0"),
    ("a response in several entries", "select 1 from v1_responses where entry_count > 1 and usage_final = 1"),
    (
        "three models with prices",
        "select 1 where (select count(distinct model) from v1_usage where est_cost_usd > 0) = 3",
    ),
    ("a named subagent", "select 1 from v1_agents where name = 'general-purpose' and status = 'completed'"),
    ("a pending call", "select 1 from v1_tool_pairs where status = 'pending' and command is not null"),
    ("a batch of calls", "select 1 from v1_tool_pairs where batch_size > 1"),
    ("a failed call of an MCP server", "select 1 from v1_tool_pairs where mcp_server = 'units' and is_error = 1"),
    ("a slash command with output", "select 1 from v1_commands where name = '/model' and output is not null"),
    ("a rejected plan and a better one", "select 1 where (select count(distinct status) from v1_plans) = 2"),
    ("todos done and open", "select 1 where (select count(distinct status) from v1_todos) = 2"),
    ("a file written in vain", "select 1 from v1_file_touches where operation = 'write' and on_active_path = 0"),
]


def test_the_sample_shows_something_of_everything(sample: Path) -> None:
    assert [what for what, query in SHOWN if not ask(sample, query)] == []


def test_the_sample_is_small() -> None:
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < 100_000


def test_a_deleted_project_of_the_sample_stays(sample: Path) -> None:
    assert one(sample, "select count(*) from v1_entries where project = ?", BREAD) == 7
