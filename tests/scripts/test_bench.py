"""`scripts/bench` reports all of its measurements. The tests do not check how long anything takes."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.process import Cost, best, run
from benchmarks.results import Peer, Results, from_json
from benchmarks.run import update_page
from benchmarks.targets import check_targets
from tests.making.folders import ROOT

SAMPLE = ROOT / "scripts" / "sample"
COST = {"seconds", "cpu", "memory"}


def bench(*arguments: str | Path, path: str = os.defpath) -> subprocess.CompletedProcess[str]:
    """Run the script. It finds only the programs on `path`."""
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "bench", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | {"PATH": path},
    )


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The output and the JSON file of one small run. Two other programs are installed, and one of them fails."""
    folder = tmp_path_factory.mktemp("bench")
    for name, text in (("ccusage", "ls $CLAUDE_CONFIG_DIR/projects/*/*.jsonl && echo 1.2.3"), ("agentsview", "exit 3")):
        (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    saved = folder / "saved.json"
    options = ["--repeat", "1", "--times", "2", "--growth", "1,2", "--word", "quince", "--work", str(folder)]
    process = bench(SAMPLE, *options, "--json", saved, path=f"{folder}:{os.defpath}")
    assert (process.returncode, process.stderr) == (0, "")
    assert {path.name for path in folder.iterdir()} == {"ccusage", "agentsview", "saved.json"}  # no temporary files
    return process.stdout, saved


@pytest.fixture
def results(measured: tuple[str, Path]) -> Results:
    return from_json(measured[1].read_text(encoding="utf-8"))


def test_json_has_all_keys(measured: tuple[str, Path]) -> None:
    document: dict[str, Any] = json.loads(measured[1].read_text(encoding="utf-8"))
    assert list(document) == ["machine", "repeat", "corpus", "floor", "ingests", "commands", "index", "growth", "peers"]
    assert document["floor"].keys() == COST
    assert list(document["ingests"]) == ["cold", "unchanged", "appended", "new session"]
    for ingest in document["ingests"].values():
        assert ingest.keys() == {"cost", "bytes_read", "has_written", "phases"}
        assert ingest["cost"].keys() == COST
    assert list(document["commands"]) == ["sessions", "stats", "stats --by day", "paths", "search", "show", "tree"]
    for command in document["commands"].values():
        assert command["cold"].keys() == command["warm"].keys() == COST
    assert [step["times"] for step in document["growth"]] == [1, 2]
    assert [peer["name"] for peer in document["peers"]] == ["agentsview", "ccusage", "claude-code-log", "duckdb"]


def test_results_match_the_corpus(results: Results) -> None:
    files = [path for path in SAMPLE.rglob("*") if path.is_file()]
    size = results.corpus.bytes
    assert results.corpus.files == 2 * len(files)
    # project names are longer in the second copy
    assert 0 <= size - 2 * sum(path.stat().st_size for path in files) < 100
    assert [step.corpus.entries for step in results.growth] == [results.corpus.entries // 2, results.corpus.entries]
    runs = results.ingests
    assert (runs["cold"].bytes_read, runs["cold"].has_written) == (size, True)
    assert (runs["unchanged"].bytes_read, runs["unchanged"].has_written) == (0, False)
    assert 0 < runs["appended"].bytes_read < size
    assert 1 << 20 <= runs["new session"].bytes_read < 4 << 20
    assert 0 < results.index.archived <= size  # the archive stores identical chunks once
    if results.index.tables:
        assert sum(results.index.tables.values()) <= results.index.bytes
        assert not [name for name in results.index.tables if name.startswith("entries_fts_")]


def test_peers_are_measured_or_reported_as_missing(results: Results) -> None:
    agentsview, ccusage, log, _ = results.peers
    assert (ccusage.version, ccusage.command, ccusage.problem) == ("1.2.3", "ccusage daily --offline", "")
    assert ccusage.first is not None
    assert ccusage.again is not None
    assert (agentsview.first, agentsview.problem) == (None, "failed")
    assert (log.first, log.problem) == (None, "not installed")


def test_saved_results_print_the_same_tables(measured: tuple[str, Path]) -> None:
    printed, saved = measured
    process = bench(saved)
    assert (process.returncode, process.stderr, process.stdout) == (0, "", printed)
    titles = [line for line in printed.splitlines()[1:] if line and not line.startswith(" ")]
    assert titles == [
        "Targets",
        "Indexing",
        *(["Phases of indexing all files, summed over all processes"] if "phase " in printed else []),
        "Commands",
        "Index size",
        "Growth",
        "Other programs on the same files",
    ]


def test_targets_are_reported_as_met_or_missed(results: Results) -> None:
    cost = results.ingests["cold"].cost
    assert len(check_targets(results)) == 7
    is_met = {}
    for ratio in (0.6, 0.7):
        peer = Peer("agentsview", "1.0", "agentsview sync", replace(cost, seconds=cost.seconds / ratio), cost, "")
        is_met[ratio] = check_targets(replace(results, peers=[peer]))[0].is_met
    assert is_met == {0.6: True, 0.7: False}
    assert check_targets(replace(results, peers=[]))[0].is_met is None
    assert [target.is_met for target in check_targets(replace(results, growth=results.growth[:1]))][-1] is None
    single, double = (replace(step, cost=replace(step.cost, seconds=step.times * 1.0)) for step in results.growth)
    assert check_targets(replace(results, growth=[single, double]))[-1].is_met is True
    slow = replace(double, cost=replace(double.cost, seconds=2.5))
    assert check_targets(replace(results, growth=[single, slow]))[-1].is_met is False
    wrote = replace(results.ingests["unchanged"], has_written=True)
    assert check_targets(replace(results, ingests=results.ingests | {"unchanged": wrote}))[1].is_met is False


def test_recorded_phases_are_shown(results: Results, tmp_path: Path) -> None:
    cold = replace(results.ingests["cold"], phases={"read": 1.0, "decode": 3.0})
    saved = tmp_path / "saved.json"
    saved.write_text(replace(results, ingests=results.ingests | {"cold": cold}).as_json(), encoding="utf-8")
    assert [line.split() for line in bench(saved).stdout.splitlines() if "decode  " in line] == [
        ["decode", "3.00", "75%"]
    ]


def test_only_the_marked_section_of_the_page_is_replaced(results: Results) -> None:
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert page.count("<!-- measured: costs -->") == 1
    new = update_page(page, results)
    before, _, after_marker = new.partition("<!-- measured: costs -->")
    section, _, after = after_marker.partition("<!-- end -->")
    assert page.startswith(before)
    assert page.endswith(after)
    assert f"{results.corpus.entries:,} entries" in section
    assert update_page(new, results) == new


def test_best_has_minimum_times_and_maximum_memory() -> None:
    assert best([Cost(2.0, 1.0, 10), Cost(1.0, 1.5, 30)]) == Cost(1.0, 1.0, 30)


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs /proc/PID/smaps_rollup")
def test_memory_of_child_processes_is_counted(tmp_path: Path) -> None:
    # every child waits for input until all of them have allocated their memory
    child = "data = b'x' * 40_000_000; print(flush=True); input()"
    script = (
        "import sys, time; from subprocess import PIPE, Popen\n"
        f"children = [Popen([sys.executable, '-c', {child!r}], stdin=PIPE, stdout=PIPE) for _ in 'abc']\n"
        "for child in children: child.stdout.readline()\n"
        "time.sleep(1)\n"
        "for child in children: child.communicate(b'\\n')\n"
    )
    process = run([sys.executable, "-c", script], folder=tmp_path, environment=os.environ)
    assert process.status == 0
    assert process.cost.memory > 120_000_000


def test_shapes_prints_one_row_per_size() -> None:
    process = bench("shapes", "--quick", "rewinds")
    assert (process.returncode, process.stderr) == (0, "")
    assert [row.split()[:2] for row in process.stdout.splitlines()[1:]] == [["shape", "units"], ["rewinds", "302"]]
    assert bench("shapes", "nonsense").returncode == 2


def test_shapes_can_measure_commands() -> None:
    process = bench("shapes", "--quick", "--commands", "rewinds")
    assert (process.returncode, process.stderr) == (0, "")
    heading, row = (line.split() for line in process.stdout.splitlines())
    assert heading == ["shape", "units", "paths", "tree", "show", "explain", "doctor", "recorded"]
    assert row[:2] == ["rewinds", "302"]
    assert all(float(seconds) > 0 for seconds in row[2:])


def test_missing_input_is_an_error(tmp_path: Path) -> None:
    for arguments in ([tmp_path], [tmp_path / "nothing"], ["queries", tmp_path / "no.db"]):
        process = bench(*arguments)
        assert (process.returncode, process.stdout, process.stderr.count("\n")) == (1, "", 1)
