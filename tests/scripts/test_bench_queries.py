"""`scripts/bench queries` prints one row per example query."""

import subprocess
import sys
from pathlib import Path

from ccindex.store.sql_files import load, names
from tests.making.files import write
from tests.making.folders import ROOT, SAMPLE
from tests.making.indexes import ask, index


def bench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "bench", "queries", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_every_example_query_is_measured(tmp_path: Path) -> None:
    sample = tmp_path / "sample.db"
    index(sample, SAMPLE)
    process = bench(sample)
    assert (process.returncode, process.stderr) == (0, "")
    heading, *rows = [row.split() for row in process.stdout.splitlines()]
    assert heading == ["query", "rows", "seconds", "ratio"]
    assert {row[0]: int(row[1]) for row in rows} == {
        name: len(ask(sample, load(f"examples/{name}"))) for name in names("examples")
    }
    seconds = [float(row[2]) for row in rows]
    assert seconds == sorted(seconds, reverse=True)


def test_missing_index_and_other_files_are_errors(tmp_path: Path) -> None:
    other = write(tmp_path / "letter.txt", "Dear Aunt, " * 100)
    for path in (tmp_path / "none.db", other):
        process = bench(path)
        assert (process.returncode, process.stdout) == (1, "")
        assert str(path) in process.stderr
        assert process.stderr.count("\n") == 1
