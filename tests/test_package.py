"""The wheel, the sdist, and `scripts/start`, which sets everything up for a new user."""

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
    """Build a wheel or sdist by calling the build backend directly, which does not need the network."""
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
    """The unpacked sdist."""
    built = build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(built) as archive:
        archive.extractall(folder, filter="data")
    [project] = folder.iterdir()
    return project


def required_files() -> set[str]:
    """Return the files that the wheel must contain in addition to the package's modules."""
    sql = {f"ccindex/_sql/{path.relative_to(ROOT / 'sql')}" for path in (ROOT / "sql").rglob("*.sql")}
    migrations = (path.relative_to(ROOT / "migrations") for path in (ROOT / "migrations").rglob("*.py"))
    return sql | {f"ccindex/_migrations/{path}" for path in migrations}


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_contains_all_sql_files_and_migrations(wheel: Path) -> None:
    assert len(required_files()) > 20
    assert required_files() <= names_in(wheel)


def test_wheel_contains_no_other_files(wheel: Path) -> None:
    tops = {name.split("/")[0].partition("-")[0] for name in names_in(wheel)}
    assert tops == {"ccindex"}
    assert [name for name in names_in(wheel) if name.endswith((".pyc", ".db", ".jsonl"))] == []


def test_sdist_contains_documentation_scripts_and_tests(sdist: Path) -> None:
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


def unpack_wheel(wheel: Path, site: Path) -> dict[str, str]:
    """Unpack a wheel as an installer does with pure Python wheels; return environment variables for running it."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)  # noqa: S202 - built by this test
    return {name: value for name, value in os.environ.items() if name != "CCINDEX_DB"} | {"PYTHONPATH": str(site)}


def assert_works_outside_the_checkout(environment: dict[str, str], site: Path, work_folder: Path) -> None:
    """Run ccindex in another folder: index the sample, check the index and restore the files."""
    work_folder.mkdir()

    def run(*arguments: str) -> str:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=work_folder,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
        ).stdout

    folders = run(
        "-c", "from ccindex.store.sql_files import directory; print(directory('sql'), directory('migrations'))"
    )
    assert folders.split() == [str(site / "ccindex" / "_sql"), str(site / "ccindex" / "_migrations")]
    report = json.loads(run("-m", "ccindex", "ingest", str(SAMPLE), "--db", "x.db", "--json"))
    assert report["status"] == "ok"
    assert report["entries_added"] > 50
    assert json.loads(run("-m", "ccindex", "doctor", "--db", "x.db", "--json"))["ok"]
    run("-m", "ccindex", "restore", "--db", "x.db", "--out", "back")
    files = files_in(SAMPLE)
    assert len(files) == report["files"]["seen"]
    restored = work_folder.joinpath("back", *SAMPLE.resolve().parts[1:])
    assert {path: (restored / path).read_bytes() for path in files} == {
        path: (SAMPLE / path).read_bytes() for path in files
    }


def test_wheel_works_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path.resolve() / "site"
    assert_works_outside_the_checkout(unpack_wheel(wheel, site), site, tmp_path / "away")


def test_wheel_built_from_the_sdist_is_the_same_and_works(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    rebuilt = build("wheel", sdist, tmp_path / "dist")
    assert names_in(rebuilt) == names_in(wheel)
    site = tmp_path.resolve() / "site"
    assert_works_outside_the_checkout(unpack_wheel(rebuilt, site), site, tmp_path / "away")


def test_wheel_defines_the_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt")]
        assert "ccindex = ccindex.cli:main" in archive.read(name).decode()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Environment variables for `scripts/start`: a prepared virtual environment without pip, and an empty home."""
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
    removed = {"CCINDEX_DB", "CLAUDE_CONFIG_DIR", "XDG_DATA_HOME", "PYTHON"}
    inherited = {name: value for name, value in os.environ.items() if name not in removed}
    return inherited | {"HOME": str(tmp_path / "home"), "CCINDEX_VENV": str(folder), "PYTHONPATH": str(ROOT)}


def run_start(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / "start"],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )


def test_start_without_transcripts_indexes_the_sample_into_a_separate_database(
    environment: dict[str, str], tmp_path: Path
) -> None:
    process = run_start(environment)
    assert (process.returncode, process.stderr) == (0, "")
    assert "a small sample was indexed" in process.stdout
    assert "projects-recipe-box" in process.stdout
    assert f"export CCINDEX_DB={tmp_path}/venv/sample.db" in process.stdout
    assert (tmp_path / "venv" / "sample.db").is_file()
    assert list((tmp_path / "home").rglob("*.db")) == []


@pytest.mark.parametrize(
    ("config_folder", "setting"),
    [(".claude", ""), (".config/claude", ""), ("elsewhere", "{home}/none, {home}/elsewhere")],
)
def test_start_indexes_the_users_transcripts(
    environment: dict[str, str], tmp_path: Path, config_folder: str, setting: str
) -> None:
    home = tmp_path / "home"
    shutil.copytree(
        SAMPLE / "projects" / "-home-you-projects-bread-timer", home / config_folder / "projects" / "-home-me-x"
    )
    process = run_start(environment | ({"CLAUDE_CONFIG_DIR": setting.format(home=home)} if setting else {}))
    assert (process.returncode, process.stderr) == (0, "")
    assert "Ring for the second rise" in process.stdout
    assert "sample" not in process.stdout
    assert not (tmp_path / "venv" / "sample.db").exists()
    assert len(list(home.rglob("ccindex.db"))) == 1


def test_start_reports_a_python_that_is_too_old(environment: dict[str, str], tmp_path: Path) -> None:
    old_python = tmp_path / "python3.9"
    # runs the given code with the sys.version_info of an older Python version
    pretend = "import sys; sys.version_info = (3, 9, 1); exec(sys.argv[1])"
    old_python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{pretend}" "$2"\n', encoding="utf-8")
    old_python.chmod(0o755)
    process = run_start(environment | {"PYTHON": str(old_python), "CCINDEX_VENV": str(tmp_path / "new")})
    assert process.returncode == 1
    assert "needs Python 3.11 or newer" in process.stderr
    assert f"{old_python} is Python 3.9" in process.stderr
    assert not (tmp_path / "new").exists()


def test_start_reports_a_python_without_venv(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "ensurepip.py").write_text("raise ImportError\n", encoding="utf-8")
    process = run_start(
        environment
        | {"PYTHON": sys.executable, "PYTHONPATH": str(tmp_path / "broken"), "CCINDEX_VENV": str(tmp_path / "new")}
    )
    assert process.returncode == 1
    assert "cannot create virtual environments" in process.stderr
    assert "apt install python3-venv" in process.stderr


def test_start_does_not_change_a_folder_that_is_not_an_environment(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "home" / "letter.txt").write_text("Dear Aunt", encoding="utf-8")
    process = run_start(environment | {"CCINDEX_VENV": str(tmp_path / "home")})
    assert process.returncode == 1
    assert "is not a virtual environment" in process.stderr
    assert (tmp_path / "home" / "letter.txt").exists()
