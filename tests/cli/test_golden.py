"""Pages of commands with all that they print: what a user sees, in lines that a reviewer can check by eye.

A page holds `$ command`, then its output (`! ` before what stderr had), then `exit N`. It is run from the top, in a
folder that has a copy of the sample and an index of it, in 80 columns where the command does not say otherwise.
`python -m tests.cli.test_golden --record` writes all pages anew from the commands that they hold; look at the diff.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.making.commands import CCINDEX
from tests.making.folders import GOLDEN, ROOT, SAMPLE
from tests.making.indexes import index

PAGES = sorted(path.stem for path in GOLDEN.glob("*.txt"))

# what is of the clock, of the disk or in typer's own words, each with what stands for it on a page
MASKS = (
    (r'"seconds":[0-9.e-]+', '"seconds":…'),
    (r'"phases":\{[^}]*\}', '"phases":…'),
    (r'"bytes_(before|after)":\d+', r'"bytes_\1":…'),
    (r"(last-run +)[0-9: -]+ UTC, [a-z0-9 ]+; last new: [0-9: -]+,", r"\1…; last new: …,"),
    # typer's words, and those of the settings of whoever runs the tests
    (r"(retention +).+", r"\1…"),
    (r"(disk +).+", r"\1…"),
    (r'("forgotten_at":")[^"]+|(session +51ea\S+ +)\d\d\d\d-\S+', r"\1\2…"),
    (r"! Usage: .+\n! Try .+\n! \n", "! Usage: …\n"),
)


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_what_a_user_sees(tmp_path: Path, name: str) -> None:
    page = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert played(page, tmp_path.resolve()) == page


def test_every_command_has_its_page() -> None:
    words = (
        "sessions tree paths show explain graph search stats tools agents files export restore sql doctor forget db "
        "ingest errors"
    )
    assert sorted(words.split()) == PAGES


def played(page: str, folder: Path) -> str:
    """Run the commands of a page, and write it as they make it."""
    shutil.copytree(SAMPLE, folder / "sample")
    index(folder / "tour.db", folder / "sample")
    (folder / "tour.db.ran").touch()  # as a run from the command line leaves it
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": f"{folder}/home"}
    environment |= {"CCINDEX_DB": f"{folder}/tour.db", "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    commands = [line.removeprefix("$ ") for line in page.splitlines() if line.startswith("$ ")]
    assert commands
    return "\n".join(f"$ {command}\n{run(command, folder, environment)}" for command in commands)


def run(command: str, folder: Path, environment: dict[str, str]) -> str:
    """What a command prints, on a page."""
    settings, words = {}, shlex.split(command)
    while "=" in words[0]:
        name, _, settings[name] = words.pop(0).partition("=")
    program = CCINDEX if words[0] == "ccindex" else words[:1]
    done = subprocess.run(
        [*program, *words[1:]],
        cwd=folder,
        env=environment | settings,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    said = done.stdout + "".join(f"! {line}\n" for line in done.stderr.splitlines())
    said = said.replace(str(folder), "/tmp")  # noqa: S108 - how a page names its folder
    for pattern, shown in MASKS:
        said = re.sub(pattern, shown, said)
    return f"{said}exit {done.returncode}\n"


def record() -> None:
    """Write every page anew from its commands."""
    for name in PAGES:
        page = GOLDEN / f"{name}.txt"
        with TemporaryDirectory() as folder:
            page.write_text(played(page.read_text(encoding="utf-8"), Path(folder).resolve()), encoding="utf-8")


if __name__ == "__main__" and sys.argv[1:] == ["--record"]:
    record()
