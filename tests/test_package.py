"""What others get: the wheel, the sdist, and the scripts that set everything up."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.making.folders import ROOT

pytestmark = pytest.mark.slow

SAMPLE = ROOT / "scripts" / "sample"


def build(kind: str, project: Path, out: Path) -> Path:
    """Build with the backend itself, which needs no network."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", out],
        cwd=project,
        check=True,
        capture_output=True,
        timeout=120,
    )
    [built] = out.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist's content, unpacked."""
    built = build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(built) as archive:
        archive.extractall(folder, filter="data")
    [project] = folder.iterdir()
    return project


def shipped() -> set[str]:
    """What the wheel must have beside the package's own modules."""
    sql = {f"ccindex/_sql/{path.relative_to(ROOT / 'sql')}" for path in (ROOT / "sql").rglob("*.sql")}
    migrations = (path.relative_to(ROOT / "migrations") for path in (ROOT / "migrations").rglob("*.py"))
    return sql | {f"ccindex/_migrations/{path}" for path in migrations}


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_has_all_statements_and_migrations(wheel: Path) -> None:
    assert len(shipped()) > 20
    assert shipped() <= names_in(wheel)


def test_the_wheel_has_nothing_else(wheel: Path) -> None:
    tops = {name.split("/")[0].partition("-")[0] for name in names_in(wheel)}
    assert tops == {"ccindex"}
    assert [name for name in names_in(wheel) if name.endswith((".pyc", ".db", ".jsonl"))] == []


def test_the_sdist_has_all_that_the_readme_speaks_of(sdist: Path) -> None:
    for name in (
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "scripts/start",
        "scripts/test",
        "scripts/docs",
        "scripts/bench",
        "scripts/corpus",
        "tests",
    ):
        assert (sdist / name).exists(), name
    assert os.access(sdist / "scripts" / "start", os.X_OK)
    assert files_in(sdist / "scripts" / "sample") == files_in(SAMPLE)


def files_in(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def installed(wheel: Path, site: Path) -> dict[str, str]:
    """Unpack a wheel, which is what installing a pure one does; return an environment that uses it."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)  # noqa: S202 - ours
    return {name: value for name, value in os.environ.items() if name != "CCINDEX_DB"} | {"PYTHONPATH": str(site)}


def assert_works_elsewhere(environment: dict[str, str], site: Path, away: Path) -> None:
    """Run the program from another folder: index the sample, look at it, have it back."""
    away.mkdir()

    def run(*arguments: str) -> str:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=away,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
        ).stdout

    found = run("-c", "from ccindex.store.sql_files import directory; print(directory('sql'), directory('migrations'))")
    assert found.split() == [str(site / "ccindex" / "_sql"), str(site / "ccindex" / "_migrations")]
    report = json.loads(run("-m", "ccindex", "ingest", str(SAMPLE), "--db", "x.db", "--json"))
    assert report["status"] == "ok"
    assert report["entries_added"] > 50
    assert json.loads(run("-m", "ccindex", "doctor", "--db", "x.db", "--json"))["ok"]
    run("-m", "ccindex", "restore", "--db", "x.db", "--out", "back")
    files = files_in(SAMPLE)
    assert len(files) == report["files"]["seen"]
    back = away.joinpath("back", *SAMPLE.resolve().parts[1:])
    assert {path: (back / path).read_bytes() for path in files} == {
        path: (SAMPLE / path).read_bytes() for path in files
    }


def test_the_wheel_works_elsewhere(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path.resolve() / "site"
    assert_works_elsewhere(installed(wheel, site), site, tmp_path / "away")


def test_a_wheel_of_the_sdist_is_the_same_and_works(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    again = build("wheel", sdist, tmp_path / "dist")
    assert names_in(again) == names_in(wheel)
    site = tmp_path.resolve() / "site"
    assert_works_elsewhere(installed(again, site), site, tmp_path / "away")


def test_the_wheel_makes_the_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt")]
        assert "ccindex = ccindex.cli:main" in archive.read(name).decode()


@pytest.fixture
def prepared(tmp_path: Path) -> dict[str, str]:
    """An environment folder as `scripts/start` leaves it, without the network that pip needs; and an empty home."""
    folder = tmp_path / "venv"
    (folder / "bin").mkdir(parents=True)
    for name, module in (("python", ""), ("ccindex", " -m ccindex")):
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{module} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    stamp = subprocess.run(
        ["sh", "-c", ". scripts/environment && environment_stamp ."],
        cwd=ROOT,
        env=os.environ | {"root": str(ROOT)},
        check=True,
        capture_output=True,
    )
    (folder / ".ccindex").write_bytes(stamp.stdout)
    (tmp_path / "home").mkdir()
    unwanted = {"CCINDEX_DB", "CLAUDE_CONFIG_DIR", "XDG_DATA_HOME", "PYTHON"}
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return kept | {"HOME": str(tmp_path / "home"), "CCINDEX_VENV": str(folder), "PYTHONPATH": str(ROOT)}


def start(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / "start"],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )


def test_start_without_transcripts_shows_the_sample_in_a_database_of_its_own(
    prepared: dict[str, str], tmp_path: Path
) -> None:
    done = start(prepared)
    assert (done.returncode, done.stderr) == (0, "")
    assert "this is a small sample" in done.stdout
    assert "projects-recipe-box" in done.stdout
    assert f"export CCINDEX_DB={tmp_path}/venv/sample.db" in done.stdout
    assert (tmp_path / "venv" / "sample.db").is_file()
    assert list((tmp_path / "home").rglob("*.db")) == []


@pytest.mark.parametrize(
    ("place", "setting"), [(".claude", ""), (".config/claude", ""), ("elsewhere", "{home}/none, {home}/elsewhere")]
)
def test_start_indexes_the_readers_own_transcripts(
    prepared: dict[str, str], tmp_path: Path, place: str, setting: str
) -> None:
    home = tmp_path / "home"
    shutil.copytree(SAMPLE / "projects" / "-home-you-projects-bread-timer", home / place / "projects" / "-home-me-x")
    done = start(prepared | ({"CLAUDE_CONFIG_DIR": setting.format(home=home)} if setting else {}))
    assert (done.returncode, done.stderr) == (0, "")
    assert "Ring for the second rise" in done.stdout
    assert "sample" not in done.stdout
    assert not (tmp_path / "venv" / "sample.db").exists()
    assert len(list(home.rglob("ccindex.db"))) == 1


def test_start_says_it_when_python_is_too_old(prepared: dict[str, str], tmp_path: Path) -> None:
    old = tmp_path / "python3.9"
    # runs what it is given as the real thing would, had it that version
    pretend = "import sys; sys.version_info = (3, 9, 1); exec(sys.argv[1])"
    old.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{pretend}" "$2"\n', encoding="utf-8")
    old.chmod(0o755)
    done = start(prepared | {"PYTHON": str(old), "CCINDEX_VENV": str(tmp_path / "new")})
    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stderr
    assert f"{old} is Python 3.9" in done.stderr
    assert not (tmp_path / "new").exists()


def test_start_says_it_when_python_cannot_make_environments(prepared: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "ensurepip.py").write_text("raise ImportError\n", encoding="utf-8")
    done = start(
        prepared
        | {"PYTHON": sys.executable, "PYTHONPATH": str(tmp_path / "broken"), "CCINDEX_VENV": str(tmp_path / "new")}
    )
    assert done.returncode == 1
    assert "cannot make virtual environments" in done.stderr
    assert "apt install python3-venv" in done.stderr


def test_start_leaves_a_folder_alone_that_is_no_environment(prepared: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "home" / "letter.txt").write_text("Dear Aunt", encoding="utf-8")
    done = start(prepared | {"CCINDEX_VENV": str(tmp_path / "home")})
    assert done.returncode == 1
    assert "is no virtual environment" in done.stderr
    assert (tmp_path / "home" / "letter.txt").exists()
