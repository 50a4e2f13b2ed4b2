"""`scripts/bench`: that it measures all it speaks of; how much that is, no test says."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bars import bars
from benchmarks.process import Cost, best, run
from benchmarks.results import Results, from_json
from benchmarks.run import published
from tests.making.folders import ROOT

SAMPLE = ROOT / "scripts" / "sample"
COST = {"seconds", "cpu", "memory"}


def bench(*arguments: str | Path, path: str = os.defpath) -> subprocess.CompletedProcess[str]:
    """Run the script; no other program is installed but those on `path`."""
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
    """What one small run printed, and the figures that it kept; two peers are there, one of which is broken."""
    folder = tmp_path_factory.mktemp("bench")
    for name, text in (("ccusage", "ls $CLAUDE_CONFIG_DIR/projects/*/*.jsonl && echo 1.2.3"), ("agentsview", "exit 3")):
        (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    kept = folder / "kept.json"
    options = ["--repeat", "1", "--times", "2", "--growth", "1,2", "--word", "quince", "--work", str(folder)]
    done = bench(SAMPLE, *options, "--json", kept, path=f"{folder}:{os.defpath}")
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in folder.iterdir()} == {"ccusage", "agentsview", "kept.json"}  # it cleans up
    return done.stdout, kept


@pytest.fixture
def results(measured: tuple[str, Path]) -> Results:
    return from_json(measured[1].read_text(encoding="utf-8"))


def test_the_figures_have_this_form(measured: tuple[str, Path]) -> None:
    kept: dict[str, Any] = json.loads(measured[1].read_text(encoding="utf-8"))
    assert list(kept) == ["machine", "repeat", "corpus", "floor", "ingests", "commands", "index", "growth", "peers"]
    assert kept["floor"].keys() == COST
    assert list(kept["ingests"]) == ["cold", "unchanged", "appended", "new session"]
    for run_of in kept["ingests"].values():
        assert run_of.keys() == {"cost", "bytes_read", "has_written", "phases"}
        assert run_of["cost"].keys() == COST
    assert list(kept["commands"]) == ["sessions", "stats", "stats --by day", "paths", "search", "show", "tree"]
    for command in kept["commands"].values():
        assert command["cold"].keys() == command["warm"].keys() == COST
    assert [step["times"] for step in kept["growth"]] == [1, 2]
    assert [peer["name"] for peer in kept["peers"]] == ["agentsview", "ccusage", "claude-code-log", "duckdb"]


def test_the_figures_are_of_what_was_done(results: Results) -> None:
    files = [path for path in SAMPLE.rglob("*") if path.is_file()]
    size = results.corpus.bytes
    assert results.corpus.files == 2 * len(files)
    # in the second copy the names of projects are longer
    assert 0 <= size - 2 * sum(path.stat().st_size for path in files) < 100
    assert [step.corpus.entries for step in results.growth] == [results.corpus.entries // 2, results.corpus.entries]
    runs = results.ingests
    assert (runs["cold"].bytes_read, runs["cold"].has_written) == (size, True)
    assert (runs["unchanged"].bytes_read, runs["unchanged"].has_written) == (0, False)
    assert 0 < runs["appended"].bytes_read < size
    assert 1 << 20 <= runs["new session"].bytes_read < 4 << 20
    assert 0 < results.index.archived <= size  # what is the same in both copies is kept once
    if results.index.tables:
        assert sum(results.index.tables.values()) <= results.index.bytes
        assert not [name for name in results.index.tables if name.startswith("entries_fts_")]


def test_peers_are_run_on_the_same_files_or_said_to_be_missing(results: Results) -> None:
    agentsview, ccusage, log, _ = results.peers
    assert (ccusage.version, ccusage.words, ccusage.problem) == ("1.2.3", "ccusage daily --offline", "")
    assert ccusage.first is not None
    assert ccusage.again is not None
    assert (agentsview.first, agentsview.problem) == (None, "failed")
    assert (log.first, log.problem) == (None, "not installed")


def test_what_was_kept_prints_the_same(measured: tuple[str, Path]) -> None:
    printed, kept = measured
    done = bench(kept)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", printed)
    titles = [line for line in printed.splitlines()[1:] if line and not line.startswith(" ")]
    assert titles == [
        "What is promised",
        "Indexing",
        *(["Phases of indexing everything, all processes together"] if "phase " in printed else []),
        "Asking",
        "The index on disk",
        "Growth",
        "Others on the same files",
    ]


def test_a_bar_is_met_or_not(results: Results) -> None:
    cost = results.ingests["cold"].cost
    assert len(bars(results)) == 7
    is_met = {}
    for ratio in (1.9, 2.1):
        floor = replace(results.floor, seconds=cost.seconds / ratio)
        is_met[ratio] = bars(replace(results, floor=floor))[0].is_met
    assert is_met == {1.9: True, 2.1: False}
    assert [bar.is_met for bar in bars(replace(results, growth=results.growth[:1]))][-1] is None
    one, two = (replace(step, cost=replace(step.cost, seconds=step.times * 1.0)) for step in results.growth)
    assert bars(replace(results, growth=[one, two]))[-1].is_met is True
    dear = replace(two, cost=replace(two.cost, seconds=2.5))
    assert bars(replace(results, growth=[one, dear]))[-1].is_met is False
    wrote = replace(results.ingests["unchanged"], has_written=True)
    assert bars(replace(results, ingests=results.ingests | {"unchanged": wrote}))[1].is_met is False


def test_phases_are_shown_if_there_are_any(results: Results, tmp_path: Path) -> None:
    cold = replace(results.ingests["cold"], phases={"read": 1.0, "decode": 3.0})
    kept = tmp_path / "kept.json"
    kept.write_text(replace(results, ingests=results.ingests | {"cold": cold}).as_json(), encoding="utf-8")
    assert [line.split() for line in bench(kept).stdout.splitlines() if "decode  " in line] == [
        ["decode", "3.00", "75%"]
    ]


def test_the_readme_takes_the_tables_in_its_marked_place_only(results: Results) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.count("<!-- measured: costs -->") == 1
    new = published(readme, results)
    before, _, rest = new.partition("<!-- measured: costs -->")
    told, _, after = rest.partition("<!-- end -->")
    assert readme.startswith(before)
    assert readme.endswith(after)
    assert f"{results.corpus.entries:,} entries" in told
    assert published(new, results) == new


def test_the_best_is_the_least_time_and_the_most_memory() -> None:
    assert best([Cost(2.0, 1.0, 10), Cost(1.0, 1.5, 30)]) == Cost(1.0, 1.0, 30)


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="the system does not tell")
def test_memory_of_children_counts(tmp_path: Path) -> None:
    # all hold it before any may go, however slowly they start
    hold = "held = b'x' * 40_000_000; print(flush=True); input()"
    script = (
        "import sys, time; from subprocess import PIPE, Popen\n"
        f"all = [Popen([sys.executable, '-c', {hold!r}], stdin=PIPE, stdout=PIPE) for _ in 'abc']\n"
        "for one in all: one.stdout.readline()\n"
        "time.sleep(1)\n"
        "for one in all: one.communicate(b'\\n')\n"
    )
    done = run([sys.executable, "-c", script], folder=tmp_path, environment=os.environ)
    assert done.status == 0
    assert done.cost.memory > 120_000_000


def test_the_shapes_have_a_table() -> None:
    done = bench("shapes", "--quick", "rewinds")
    assert (done.returncode, done.stderr) == (0, "")
    assert [row.split()[:2] for row in done.stdout.splitlines()[1:]] == [["shape", "entries"], ["rewinds", "302"]]
    assert bench("shapes", "nonsense").returncode == 2


def test_nothing_to_measure_is_told(tmp_path: Path) -> None:
    for words in ([tmp_path], [tmp_path / "nothing"], ["queries", tmp_path / "no.db"]):
        done = bench(*words)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
