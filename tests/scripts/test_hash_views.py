"""`scripts/hash_views` finds the differences between the views of two versions of the package."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VIEWS = (
    "create view v1_words as select 1 as number, 'a' as word, 7 as revision union all select 2, null, 8",
    "create view v1_meta as select random() as value",
)
# A package that ignores the transcripts and creates an index with the given views.
PACKAGE = """
import sqlite3
import sys

def main():
    assert sys.argv[:3] == ["ccindex", "ingest", "--db"]
    connection = sqlite3.connect(sys.argv[3])
    for view in {views!r}:
        connection.execute(view)
    connection.close()
"""


def hash_views(work: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    options = ["--skip-corpus", "--skip-cases", "--random", "2", "--work", work, *arguments]
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "hash_views", *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def package(folder: Path, *views: str) -> Path:
    cli = folder / "ccindex" / "cli"
    cli.mkdir(parents=True)
    (cli.parent / "__init__.py").touch()
    (cli / "__init__.py").write_text(PACKAGE.format(views=views), encoding="utf-8")
    return folder


def compare(folder: Path, *views: str) -> tuple[int, list[str]]:
    """Compare a package that has the given views with one that has VIEWS. Return the exit status and output lines."""
    before, after = package(folder / "before", *VIEWS), package(folder / "after", *views)
    recorded = folder / "recorded.json"
    process = hash_views(folder / "work", "--package", before, "--out", recorded)
    assert (process.returncode, process.stderr) == (0, "")
    process = hash_views(folder / "work", "--package", after, "--against", recorded)
    assert process.stderr == ""
    return process.returncode, process.stdout.splitlines()[:-1]


def test_same_code_gives_same_views(tmp_path: Path) -> None:
    recorded, work = tmp_path / "recorded.json", tmp_path / "work"
    process = hash_views(work, "--out", recorded)
    assert (process.returncode, process.stderr) == (0, "")
    process = hash_views(work, "--against", recorded)
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.startswith("2 indexes, ")
    assert ", 0 differences, " in process.stdout
    assert [path.name for path in work.iterdir()] == ["hash_views.lock"]


@pytest.mark.parametrize(
    ("view", "difference"),
    [
        ("select 1 as number, 'b' as word union all select 2, null", "v1_words differs"),
        ("select 1 as number, 'a' as word", "v1_words differs"),
        ("select '1' as number, 'a' as word union all select 2, null", "v1_words differs"),
        ("select 1 as number union all select 2", "v1_words lacks word"),
    ],
    ids=["value", "row", "type", "column"],
)
def test_difference_between_views_is_reported(tmp_path: Path, view: str, difference: str) -> None:
    assert compare(tmp_path, f"create view v1_words as {view}") == (
        1,
        [f"random-1: {difference}", f"random-2: {difference}"],
    )


def test_missing_view_is_a_difference(tmp_path: Path) -> None:
    status, lines = compare(tmp_path, "create view v1_others as select 1 as number")
    assert (status, lines) == (1, ["random-1: v1_words is missing", "random-2: v1_words is missing"])


def test_row_order_revisions_and_added_columns_and_views_are_not_differences(tmp_path: Path) -> None:
    words = "create view v1_words as select 'new' as x, 9 as revision, null as word, 2 as number"
    same = (f"{words} union all select 'new', 9, 'a', 1", "create view v1_more as select 1 as number")
    assert compare(tmp_path, *same) == (0, [])


def test_failed_ingest_is_a_difference(tmp_path: Path) -> None:
    status, lines = compare(tmp_path, "not SQL")
    assert status == 1
    assert [line for line in lines if "syntax error" in line]
