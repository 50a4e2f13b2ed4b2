"""A sample of each long run, small enough for every day; `scripts/soak` has the rest."""

import subprocess
from pathlib import Path

import pytest

from tests.making.commands import CCINDEX
from tests.making.hostile_texts import unsafe

from . import arguments, damage, lines


@pytest.mark.parametrize("seed", [1, 16])
def test_hostile_lines_are_accounted_for_and_every_command_reads_what_came_out(tmp_path: Path, seed: int) -> None:
    read, _, wrong = lines.check_batch(tmp_path.resolve(), seed, lines=120)
    assert read > 60
    assert wrong == []


def test_a_lost_line_would_be_noticed(tmp_path: Path) -> None:
    damage.make(tmp_path.resolve())
    path = tmp_path.resolve() / "projects" / "-w" / "s1.jsonl"
    made = {str(path).encode(): path.read_bytes() + b"never indexed\n"}
    [told] = lines.unaccounted(tmp_path / "sound.db", made)
    assert "lines lost [46]" in told


def test_flipped_bytes_end_in_an_answer_or_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    sound = damage.make(folder)
    told = [wrong for seed in range(8) for wrong in damage.check(folder, sound, seed, commands=5)]
    assert told == []


def test_odd_words_end_in_an_answer_a_sentence_or_how_it_is_used(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    damage.make(folder)
    assert [told for seed in range(60) if (told := arguments.check(folder, seed)) is not None] == []


def test_what_drives_a_terminal_is_told_from_our_own_colours() -> None:
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
def test_bytes_that_are_no_text_are_taken_by_a_real_process(tmp_path: Path, words: list[bytes]) -> None:
    damage.make(tmp_path.resolve())
    done = subprocess.run(
        [*CCINDEX, *words, b"--db", bytes(tmp_path / "sound.db")], capture_output=True, check=False, cwd=tmp_path
    )
    assert done.returncode in (0, 1)
    assert done.stderr.count(b"\n") == done.returncode
    assert unsafe(done.stdout.decode() + done.stderr.decode()) == []
    assert b"Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
