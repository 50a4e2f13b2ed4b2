"""A fixed sample of `scripts/soak histories`, and the coverage of its generated projects."""

import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ccindex.model.diagnostics import Code
from tests.making.files import write_all
from tests.making.folders import ROOT
from tests.making.indexes import index
from tests.making.transcripts import line
from tests.reference.random_choices import RandomChoices, numbers_from_seed

from . import corpus as corpus_soak
from .coverage import REQUIRED_VALUES
from .histories import check_history
from .history import History, IndexMismatch, Piece, run_root
from .random_projects import random_projects

SOAK = ROOT / "scripts" / "soak"
_SEEDS = range(1, 301)  # about twice as many as needed
# diagnostics that depend on the file system or the history, not on file contents
_FILE_SYSTEM_CODES = {Code.UNREADABLE, Code.NOT_A_FILE, Code.SYMLINK_LOOP, Code.ODD_NAME}
_HISTORY_CODES = {Code.SOURCE_MISSING, Code.SOURCE_REWRITTEN, Code.REDACTED}


def test_generated_projects_cover_all_required_values(tmp_path: Path) -> None:
    missing = {query: set(values) for query, values in REQUIRED_VALUES.items()}
    missing["select kind from v1_diagnostics"] = {code.slug for code in set(Code) - _FILE_SYSTEM_CODES - _HISTORY_CODES}
    for seed in _SEEDS:
        root, db = tmp_path / f"{seed}", tmp_path / f"{seed}.db"
        write_all(root, random_projects(seed).files)
        index(db, root)
        with closing(sqlite3.connect(db)) as connection:
            missing = {query: values - _values(connection, query) for query, values in missing.items() if values}
        db.unlink()
        if not any(missing.values()):
            return
    assert {query: values for query, values in missing.items() if values} == {}


def _values(connection: sqlite3.Connection, query: str) -> set[object]:
    return {row[0] if len(row) == 1 else row for row in connection.execute(query)}


def test_seed_determines_the_projects() -> None:
    assert random_projects(7) == random_projects(7)
    assert random_projects(8, rewrites=True) == random_projects(8, rewrites=True)
    assert random_projects(7) != random_projects(8)
    assert any(len(contents) > 1 for contents in random_projects(8, rewrites=True).generations.values())


@pytest.mark.parametrize("seed", range(1, 13))
def test_random_history_gives_the_same_index_as_one_clean_run(seed: int) -> None:
    figures: Counter[str] = Counter()
    check_history(seed, figures)
    assert figures["histories"] == 1
    assert figures["ingests"] >= 1


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    """A history with one indexed file that contains one entry."""
    with closing(History(RandomChoices(numbers_from_seed(1)), tmp_path.resolve(), Counter())) as history:
        history.add_piece("-p/s1.jsonl", Piece(f"{line('u1')}\n".encode(), replaces=True))
        run_root(history)
        yield history


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("update entries set agent_id = 'other'", id="entry"),
        pytest.param("update entries set revision = revision + 1", id="entry revision"),
        pytest.param("update meta set value = value + 1 where key = 'revision'", id="index revision"),
        pytest.param("update placements set position = 7", id="invariant"),
        pytest.param("delete from extents", id="archive"),
    ],
)
def test_unexpected_change_by_a_run_is_detected(history: History, statement: str) -> None:
    with (
        pytest.raises(IndexMismatch),
        history.checked("ingests", exactly=True),
        closing(sqlite3.connect(history.db)) as connection,
        connection,
    ):
        connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("update sources set is_missing = 1", "another run found changes"),
        ("update generations set malformed_lines = 5", "a rebuild changed"),
        ("update sources set agent_id = 'other'", "a clean run differs"),
    ],
)
def test_damaged_index_is_detected_at_the_end_of_a_history(history: History, statement: str, message: str) -> None:
    with (
        history.checked("upgrades", exactly=True),
        closing(sqlite3.connect(history.db)) as connection,
        connection,
    ):
        connection.execute(statement)
    with pytest.raises(IndexMismatch, match=message):
        history.finish()


@pytest.mark.parametrize(
    ("read", "written", "message"),
    [
        (b"lost", b"", "a run read b'lost' from .*, but no generation contains it"),
        (b"", b"never this", "never contained"),
    ],
)
def test_missing_or_extra_bytes_in_the_archive_are_detected(
    history: History, read: bytes, written: bytes, message: str
) -> None:
    if read:
        history.read_contents["-p/s1.jsonl"].append(read)
    if written:
        history.all_contents["-p/s1.jsonl"] = [written]
    with pytest.raises(IndexMismatch, match=message):
        history.finish()


def test_append_wrongly_indexed_as_a_rewrite_is_detected(history: History) -> None:
    path = history.root / "-p/s1.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    index(history.db, history.root)
    path.write_bytes(whole)
    run_root(history)
    with pytest.raises(IndexMismatch, match="2 generations, but was rewritten 0 times"):
        history.finish()


def test_history_of_real_transcripts_gives_the_same_index_as_one_clean_run(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert corpus_soak.main(["--count", "2", "--bytes", "150000", "--corpus", str(corpus)]) == 0
    assert capsys.readouterr().out.startswith("2 histories, ")


def test_script_prints_the_figures_and_rejects_an_unknown_kind() -> None:
    result = subprocess.run(
        [sys.executable, SOAK, "histories", "--count", "1", "--seed", "3"], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("1 histories, ")
    assert ", 0 differences, in " in result.stdout
    rejected = subprocess.run([sys.executable, SOAK, "nothing"], capture_output=True, text=True, check=False)
    assert (rejected.returncode, rejected.stdout) == (2, "")
    assert "histories" in rejected.stderr
