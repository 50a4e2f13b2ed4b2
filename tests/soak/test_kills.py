"""A fixed sample of kills; `scripts/soak kills` runs any number of them."""

import shutil
from pathlib import Path

import pytest

from ccindex.maintain.forget import forget, plan_forget
from ccindex.maintain.update import open_to_write
from ccindex.model.sources import Tombstone, TombstoneKind
from ccindex.store.connection import changing
from tests.making.files import append, write
from tests.making.indexes import everything, index
from tests.making.old_indexes import DUMPS
from tests.making.transcripts import line

from .kill_points import KillPoint
from .kills import Scenario, kill_and_recover, old_index, restored_files, uuids_in


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `projects`, an index of some of its lines (`partial.db`), and an index of all (`complete.db`)."""
    folder = tmp_path_factory.mktemp("kills").resolve()
    for name in ("a", "b"):
        lines = [line(f"{name}{n}", parent=f"{name}{n - n % 3 - 1}", sessionId=name) for n in range(60)]
        write(folder / "projects" / "-w" / f"{name}.jsonl", *lines)
    index(folder / "partial.db", folder / "projects")
    append(folder / "projects" / "-w" / "a.jsonl", "".join(f"{line(f'c{n}', sessionId='a')}\n" for n in range(60)))
    write(folder / "projects" / "-w" / "d.jsonl", *(line(f"d{n}", sessionId="b") for n in range(60)))
    shutil.copy(folder / "partial.db", folder / "complete.db")
    index(folder / "complete.db", folder / "projects")
    return folder


def scenario(words: str, folder: Path, before: str | None, after: str) -> Scenario:
    """Return a scenario: a command, the index before it and the expected index after it."""
    content = None if before is None else (folder / before).read_bytes()
    arguments = tuple(word.format(projects=folder / "projects") for word in words.split())
    expected = folder / after
    return Scenario(words, arguments, content, everything(expected), restored_files(expected), uuids_in(expected), {})


@pytest.mark.parametrize(
    ("words", "before", "point"),
    [
        ("ingest {projects}", None, KillPoint("statement", 60)),
        ("ingest {projects}", "partial.db", KillPoint("statement", 300)),
        ("ingest {projects} --jobs 2", None, KillPoint("statement", 250)),
        ("ingest {projects} --jobs 2", None, KillPoint("child", 0.0)),
        ("ingest {projects} --full", "partial.db", KillPoint("bytes", 100_000)),
        ("db rebuild", "complete.db", KillPoint("step", 100)),
        ("db reprice", "complete.db", KillPoint("statement", 22)),
        ("db vacuum", "complete.db", KillPoint("bytes", 500_001)),
    ],
    ids=str,
)
def test_killed_command_loses_nothing_and_the_next_run_completes_it(
    folder: Path, tmp_path: Path, words: str, before: str | None, point: KillPoint
) -> None:
    killed, problems = kill_and_recover(scenario(words, folder, before, "complete.db"), [point], tmp_path / "trial")
    assert problems == []
    # a run still succeeds if a worker is killed before it starts to work
    assert killed == [True] or point.kind == "child"


@pytest.mark.parametrize("point", [KillPoint("statement", 400), KillPoint("bytes", 300_000)], ids=str)
def test_killed_forget_removes_everything_or_nothing(folder: Path, tmp_path: Path, point: KillPoint) -> None:
    tombstone = Tombstone(TombstoneKind.SESSION, "b")  # another transcript also contains lines of this session
    shutil.copy(folder / "complete.db", tmp_path / "before.db")
    shutil.copy(folder / "complete.db", tmp_path / "after.db")
    with changing(tmp_path / "after.db", create=False) as connection:
        forget(connection, plan_forget(connection, [tombstone]))
    forget_scenario = scenario(f"forget --session {tombstone.name}", tmp_path, "before.db", "after.db")
    assert kill_and_recover(forget_scenario, [point], tmp_path / "trial") == ([True], [])


def test_killed_upgrade_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "before.db").write_bytes(old_index(DUMPS[0], tmp_path))
    shutil.copy(tmp_path / "before.db", tmp_path / "after.db")
    with open_to_write(tmp_path / "after.db", create=False):
        pass
    points = [KillPoint("statement", 100), KillPoint("statement", 280)]
    result = kill_and_recover(scenario("db upgrade", tmp_path, "before.db", "after.db"), points, tmp_path / "trial")
    assert result == ([True, True], [])
