"""`scripts/bench queries` prints one row per query."""

import re
import subprocess
import sys
from pathlib import Path

from benchmarks.view_queries import view_queries
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


def test_every_query_is_measured(tmp_path: Path) -> None:
    sample = tmp_path / "sample.db"
    index(sample, SAMPLE)
    process = bench(sample)
    assert (process.returncode, process.stderr) == (0, "")
    heading, *rows = [re.split(r" {2,}", row) for row in process.stdout.splitlines()]
    assert heading == ["query", "rows", "seconds", "ratio"]
    examples = {name: len(ask(sample, load(f"examples/{name}"))) for name in names("examples")}
    counts = {row[0]: int(row[1]) for row in rows}
    assert {name: counts[name] for name in examples} == examples
    assert counts.keys() == {*examples, *(query.name for query in view_queries())}
    seconds = [float(row[2]) for row in rows]
    assert seconds == sorted(seconds, reverse=True)


def test_missing_index_and_other_files_are_errors(tmp_path: Path) -> None:
    other = write(tmp_path / "letter.txt", "Dear Aunt, " * 100)
    for path in (tmp_path / "none.db", other):
        process = bench(path)
        assert (process.returncode, process.stdout) == (1, "")
        assert str(path) in process.stderr
        assert process.stderr.count("\n") == 1
