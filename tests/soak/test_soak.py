"""A small sample of each kind of soak test; `scripts/soak` runs any number of cases."""

import subprocess
from pathlib import Path

import pytest

from tests.making.commands import CCINDEX
from tests.making.hostile_texts import unsafe

from . import arguments, damage, lines


@pytest.mark.parametrize("seed", [1, 16])
def test_hostile_lines_are_accounted_for_and_commands_read_the_index(tmp_path: Path, seed: int) -> None:
    count, _, problems = lines.check_batch(tmp_path.resolve(), seed, lines=120)
    assert count > 60
    assert problems == []


def test_lost_line_is_detected(tmp_path: Path) -> None:
    damage.make_index(tmp_path.resolve())
    path = tmp_path.resolve() / "projects" / "-w" / "s1.jsonl"
    files = {str(path).encode(): path.read_bytes() + b"never indexed\n"}
    [problem] = lines.unaccounted(tmp_path / "sound.db", files)
    assert "lines lost [46]" in problem


def test_commands_handle_flipped_bytes(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    sound = damage.make_index(folder)
    problems = [problem for seed in range(8) for problem in damage.check(folder, sound, seed, commands=5)]
    assert problems == []


def test_commands_handle_random_arguments(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    damage.make_index(folder)
    assert [problem for seed in range(60) if (problem := arguments.check(folder, seed)) is not None] == []


def test_unsafe_finds_control_characters_but_not_colours() -> None:
    assert unsafe("plain\n\ttext é 😀") == []
    assert unsafe("\x1b[31mred\x1b[0m\r\n", on_terminal=True) == []
    assert unsafe("\x1b[31mred\x1b[0m") != []
    for text in ("\x1b]0;x\x07", "\x9b31m", "a\rb", "\u202e", "\u2066", "\x7f"):
        assert unsafe(text, on_terminal=True) != []


@pytest.mark.parametrize(
    "words",
    [
        [b"sessions", b"--project", b"caf\xe9\xff"],
        [b"search", b"--type", b"\x9b\xff", b"--", b"-\xc2\x9b"],
        [b"sql", b"select '\xff'"],
        [b"show", b"\x1b[2J\xe2\x80\xae" * 1_000],
        [b"restore", b"--out", b"out\xff", b"--source", b"\xfe"],
        [b"forget", b"--session", b"\xff\xfe"],
        [b"forget", b"--project", b"\xff/\xfe"],
    ],
    ids=ascii,
)
def test_arguments_that_are_not_utf8_are_accepted(tmp_path: Path, words: list[bytes]) -> None:
    damage.make_index(tmp_path.resolve())
    result = subprocess.run(
        [*CCINDEX, *words, b"--db", bytes(tmp_path / "sound.db")], capture_output=True, check=False, cwd=tmp_path
    )
    assert result.returncode in (0, 1)
    assert result.stderr.count(b"\n") == result.returncode
    assert unsafe(result.stdout.decode() + result.stderr.decode()) == []
    assert b"Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()
