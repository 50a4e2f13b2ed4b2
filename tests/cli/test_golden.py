"""Golden pages: commands with their complete output, short enough to be reviewed by eye.

A page has `$ command`, its output (with `! ` before lines from stderr) and `exit N` for every command. The commands run
in order, in a folder with a copy of the sample and an index of it, with 80 columns unless the command sets COLUMNS.
`python -m tests.cli.test_golden --record` regenerates all pages from their commands. Review the diff afterwards.
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

from ccindex.cli.app import COMMANDS
from tests.making.commands import CCINDEX
from tests.making.folders import GOLDEN, ROOT, SAMPLE
from tests.making.indexes import index

PAGES = sorted(path.stem for path in GOLDEN.glob("*.txt"))

# patterns for output that depends on time, disk, settings, the schema or typer's version, and their replacements
MASKS = (
    (r'"seconds":[0-9.e-]+', '"seconds":…'),
    (r'"phases":\{[^}]*\}', '"phases":…'),
    (r'"bytes_(before|after)":\d+', r'"bytes_\1":…'),
    (r"\d{4} \(current; this version of ccindex uses \d{4}\)", "… (current; this version of ccindex uses …)"),
    (r'"(from|to)":"\d{4}"', r'"\1":"…"'),
    (r"(last-run +)[0-9: -]+ UTC, [a-z0-9 ]+; last change: [0-9: -]+,", r"\1…; last change: …,"),
    (r"(retention +).+", r"\1…"),
    (r"(disk  +).+", r"\1…"),
    (r'("forgotten_at":")[^"]+|(session +51ea\S+ +)\d\d\d\d-\S+', r"\1\2…"),
    (r"! Usage: .+\n! Try .+\n! \n", "! Usage: …\n"),
)


@pytest.mark.parametrize("name", PAGES)
def test_output_matches_the_golden_page(tmp_path: Path, name: str) -> None:
    page = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert replay(page, tmp_path.resolve()) == page


def test_every_command_has_a_golden_page() -> None:
    assert sorted([*COMMANDS, "errors"]) == PAGES


def replay(page: str, folder: Path) -> str:
    """Run the commands of a page and return the page with their current output."""
    shutil.copytree(SAMPLE, folder / "sample")
    index(folder / "tour.db", folder / "sample")
    (folder / "tour.db.ran").touch()  # only a run from the command line writes this file
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": f"{folder}/home"}
    environment |= {"CCINDEX_DB": f"{folder}/tour.db", "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    commands = [line.removeprefix("$ ") for line in page.splitlines() if line.startswith("$ ")]
    assert commands
    return "\n".join(f"$ {command}\n{run(command, folder, environment)}" for command in commands)


def run(command: str, folder: Path, environment: dict[str, str]) -> str:
    """Run a command and return its output in the format used on golden pages."""
    settings, words = {}, shlex.split(command)
    while "=" in words[0]:
        name, _, settings[name] = words.pop(0).partition("=")
    program = CCINDEX if words[0] == "ccindex" else words[:1]
    process = subprocess.run(
        [*program, *words[1:]],
        cwd=folder,
        env=environment | settings,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    output = process.stdout + "".join(f"! {line}\n" for line in process.stderr.splitlines())
    output = output.replace(str(folder), "/tmp")  # noqa: S108 - golden pages show the folder as /tmp
    for pattern, replacement in MASKS:
        output = re.sub(pattern, replacement, output)
    return f"{output}exit {process.returncode}\n"


def record() -> None:
    """Regenerate every page from its commands."""
    for name in PAGES:
        page = GOLDEN / f"{name}.txt"
        with TemporaryDirectory() as folder:
            page.write_text(replay(page.read_text(encoding="utf-8"), Path(folder).resolve()), encoding="utf-8")


if __name__ == "__main__" and sys.argv[1:] == ["--record"]:
    record()
