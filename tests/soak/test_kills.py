"""A fixed sample of kills, each command once; `scripts/soak kills` has as many as one likes."""

import shutil
from pathlib import Path

import pytest

from ccindex.maintain.forget import forget, plan_forget
from ccindex.maintain.update import open_to_write
from ccindex.model.sources import Forgets, Tombstone
from ccindex.store.connection import changing
from tests.making.files import append, write
from tests.making.indexes import everything, index
from tests.making.old_indexes import DUMPS
from tests.making.transcripts import line

from .blows import Blow
from .kills import Scene, old_index, recorded_by, suffer, uuids_in


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Transcripts in `projects`, of which `young.db` has seen a part and `old.db` all."""
    folder = tmp_path_factory.mktemp("kills").resolve()
    for name in ("a", "b"):
        told = [line(f"{name}{n}", parent=f"{name}{n - n % 3 - 1}", sessionId=name) for n in range(60)]
        write(folder / "projects" / "-w" / f"{name}.jsonl", *told)
    index(folder / "young.db", folder / "projects")
    append(folder / "projects" / "-w" / "a.jsonl", "".join(f"{line(f'c{n}', sessionId='a')}\n" for n in range(60)))
    write(folder / "projects" / "-w" / "d.jsonl", *(line(f"d{n}", sessionId="b") for n in range(60)))
    shutil.copy(folder / "young.db", folder / "old.db")
    index(folder / "old.db", folder / "projects")
    return folder


def scene(words: str, place: Path, before: str | None, after: str) -> Scene:
    """A command and the two states between which it is killed."""
    content = None if before is None else (place / before).read_bytes()
    given = tuple(word.format(projects=place / "projects") for word in words.split())
    made = place / after
    return Scene(words, given, content, everything(made), recorded_by(made), uuids_in(made), {})


@pytest.mark.parametrize(
    ("words", "before", "blow"),
    [
        ("ingest {projects}", None, Blow("statement", 60)),
        ("ingest {projects}", "young.db", Blow("statement", 300)),
        ("ingest {projects} --jobs 2", None, Blow("statement", 250)),
        ("ingest {projects} --jobs 2", None, Blow("child", 0.0)),
        ("ingest {projects} --full", "young.db", Blow("bytes", 100_000)),
        ("db rebuild", "old.db", Blow("step", 100)),
        ("db reprice", "old.db", Blow("statement", 22)),
        ("db vacuum", "old.db", Blow("bytes", 500_001)),
    ],
    ids=str,
)
def test_a_kill_in_the_middle_loses_nothing_and_the_next_run_makes_up_for_it(
    place: Path, tmp_path: Path, words: str, before: str | None, blow: Blow
) -> None:
    was_early, wrong = suffer(scene(words, place, before, "old.db"), [blow], tmp_path / "trial")
    assert wrong == []
    # a run does by itself what a process that it could not even speak to was to do
    assert was_early == [True] or blow.kind == "child"


@pytest.mark.parametrize("blow", [Blow("statement", 400), Blow("bytes", 300_000)], ids=str)
def test_a_kill_in_the_middle_of_forgetting_forgets_all_or_nothing(place: Path, tmp_path: Path, blow: Blow) -> None:
    wanted = Tombstone(Forgets.SESSION, "b")  # whose lines stand in another transcript too
    shutil.copy(place / "old.db", tmp_path / "before.db")
    shutil.copy(place / "old.db", tmp_path / "after.db")
    with changing(tmp_path / "after.db", create=False) as connection:
        forget(connection, plan_forget(connection, [wanted]))
    made = scene(f"forget --session {wanted.name}", tmp_path, "before.db", "after.db")
    assert suffer(made, [blow], tmp_path / "trial") == ([True], [])


def test_a_kill_in_the_middle_of_an_upgrade_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "before.db").write_bytes(old_index(DUMPS[0], tmp_path))
    shutil.copy(tmp_path / "before.db", tmp_path / "after.db")
    with open_to_write(tmp_path / "after.db", create=False):
        pass
    blows = [Blow("statement", 100), Blow("statement", 280)]
    found = suffer(scene("db upgrade", tmp_path, "before.db", "after.db"), blows, tmp_path / "trial")
    assert found == ([True, True], [])
