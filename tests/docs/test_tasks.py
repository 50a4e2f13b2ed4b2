"""Tests of docs/tasks.md: recipes for schedulers and hooks, and the weights of search columns."""

import json
import plistlib
import re
from configparser import ConfigParser

from ccindex.model.recorded import SearchText
from ccindex.store.sql_files import load
from tests.docs.pages import code_blocks, read, section

TASKS = read("docs/tasks.md")


def test_crontab_line_runs_ingest() -> None:
    [line] = code_blocks(TASKS, "crontab")
    schedule, command = line.split()[:5], line.split()[5:]
    assert all(re.fullmatch(r"\*(/\d+)?|\d+", field) for field in schedule)
    assert command == ["~/.local/bin/ccindex", "ingest"]


def test_systemd_units_run_ingest() -> None:
    service, timer = map(parse_unit, code_blocks(TASKS, "ini"))
    assert service["Service"]["ExecStart"] == "%h/.local/bin/ccindex ingest"
    assert service["Service"]["Type"] == "oneshot"
    assert timer["Timer"]["OnCalendar"] == "*:0/10"
    assert timer["Install"]["WantedBy"] == "timers.target"
    assert "enable --now ccindex.timer" in TASKS


def parse_unit(text: str) -> ConfigParser:
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(text)
    return unit


def test_launchd_recipe_is_a_property_list_that_runs_ingest() -> None:
    [recipe] = [plistlib.loads(block.encode()) for block in code_blocks(TASKS, "xml")]
    program, *arguments = recipe["ProgramArguments"]
    assert program.startswith("/")
    assert arguments == ["ingest"]


def test_hooks_have_the_format_that_claude_code_reads() -> None:
    [settings] = map(json.loads, code_blocks(TASKS, "json"))
    assert settings["hooks"].keys() == {"SessionEnd", "PreCompact"}
    for matchers in settings["hooks"].values():
        [hook] = [hook for matcher in matchers for hook in matcher["hooks"]]
        assert hook["type"] == "command"
        assert "ccindex ingest" in hook["command"]


def test_search_columns_have_the_documented_weights() -> None:
    search = section(TASKS, "## Search")
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", search, re.MULTILINE)
    [weights] = re.findall(r"bm25\(entries_fts, (.+?)\)", load("query/search"))
    assert [name for name, _ in rows] == list(SearchText._fields)
    assert [float(weight) for _, weight in rows] == [float(weight) for weight in weights.split(", ")]
    assert f"bm25(entries_fts, {', '.join(weight for _, weight in rows)})" in search
