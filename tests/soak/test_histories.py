"""A fixed sample of what scripts/soak plays, and that its worlds hold all that there is to play with."""

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
from tests.reference.dice import Dice, seeded

from . import corpus as real
from .coverage import WANTED
from .histories import play
from .plays import Differs, Piece, Play, run_root
from .worlds import world

SOAK = ROOT / "scripts" / "soak"
_WORLDS = range(1, 301)  # half of them do
# what no file says by its bytes, but its place on disk or its history
_NOT_OF_BYTES = {Code.UNREADABLE, Code.NOT_A_FILE, Code.SYMLINK_LOOP, Code.ODD_NAME}
_OF_HISTORIES = {Code.SOURCE_MISSING, Code.SOURCE_REWRITTEN, Code.REDACTED}


def test_worlds_hold_every_shape_there_is(tmp_path: Path) -> None:
    left = {query: set(values) for query, values in WANTED.items()}
    left["select kind from v1_diagnostics"] = {code.slug for code in set(Code) - _NOT_OF_BYTES - _OF_HISTORIES}
    for seed in _WORLDS:
        root, db = tmp_path / f"{seed}", tmp_path / f"{seed}.db"
        write_all(root, world(seed).files)
        index(db, root)
        with closing(sqlite3.connect(db)) as connection:
            left = {query: values - _given(connection, query) for query, values in left.items() if values}
        db.unlink()
        if not any(left.values()):
            return
    assert {query: values for query, values in left.items() if values} == {}


def _given(connection: sqlite3.Connection, query: str) -> set[object]:
    return {row[0] if len(row) == 1 else row for row in connection.execute(query)}


def test_a_seed_makes_the_same_world_always() -> None:
    assert world(7) == world(7)
    assert world(8, rewrites=True) == world(8, rewrites=True)
    assert world(7) != world(8)
    assert any(len(contents) > 1 for contents in world(8, rewrites=True).generations.values())


@pytest.mark.parametrize("seed", range(1, 13))
def test_any_history_gives_the_tables_of_one_clean_run(seed: int) -> None:
    figures: Counter[str] = Counter()
    play(seed, figures)
    assert figures["histories"] == 1
    assert figures["ingests"] >= 1


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[Play]:
    """A history with one file of one entry, indexed."""
    with closing(Play(Dice(seeded(1)), tmp_path.resolve(), Counter())) as made:
        made.arrive("-p/s1.jsonl", Piece(f"{line('u1')}\n".encode(), starts=True))
        run_root(made)
        yield made


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param("update entries set type = 'other'", id="an entry"),
        pytest.param("update entries set revision = revision + 1", id="a revision"),
        pytest.param("update meta set value = value + 1 where key = 'revision'", id="the index's revision"),
        pytest.param("update placements set position = 7", id="an invariant"),
        pytest.param("delete from extents", id="the archive"),
    ],
)
def test_a_run_that_changes_what_it_should_not_is_found_out(begun: Play, harm: str) -> None:
    with (
        pytest.raises(Differs),
        begun.checked("ingests", exactly=True),
        closing(sqlite3.connect(begun.db)) as connection,
        connection,
    ):
        connection.execute(harm)


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        ("update sources set is_missing = 1", "a further run found something to do"),
        ("update generations set malformed = 5", "a rebuild changed"),
        ("update sources set agent_id = 'other'", "a clean run tells otherwise"),
    ],
)
def test_an_index_that_a_history_harmed_is_found_out(begun: Play, harm: str, told: str) -> None:
    with (
        begun.checked("renewals", exactly=True),
        closing(sqlite3.connect(begun.db)) as connection,
        connection,
    ):
        connection.execute(harm)
    with pytest.raises(Differs, match=told):
        begun.finish()


@pytest.mark.parametrize(
    ("seen", "had", "told"),
    [
        (b"lost", b"", "was shown b'lost', which is in no generation"),
        (b"", b"never this", "never held"),
    ],
)
def test_bytes_that_the_archive_lost_or_made_up_are_found_out(begun: Play, seen: bytes, had: bytes, told: str) -> None:
    if seen:
        begun.seen["-p/s1.jsonl"].append(seen)
    if had:
        begun.had["-p/s1.jsonl"] = [had]
    with pytest.raises(Differs, match=told):
        begun.finish()


def test_an_append_taken_for_a_rewrite_is_found_out(begun: Play) -> None:
    path = begun.root / "-p/s1.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    index(begun.db, begun.root)
    path.write_bytes(whole)
    run_root(begun)
    with pytest.raises(Differs, match="2 generations, but was rewritten 0 times"):
        begun.finish()


def test_a_history_of_real_transcripts_gives_the_tables_of_one_clean_run(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert real.main(["--count", "2", "--bytes", "150000", "--corpus", str(corpus)]) == 0
    assert capsys.readouterr().out.startswith("2 histories, ")


def test_the_script_tells_the_figures_and_refuses_what_it_does_not_know() -> None:
    done = subprocess.run(
        [sys.executable, SOAK, "histories", "--count", "1", "--seed", "3"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 histories, ")
    assert ", 0 differences, in " in done.stdout
    refused = subprocess.run([sys.executable, SOAK, "nothing"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "histories" in refused.stderr
