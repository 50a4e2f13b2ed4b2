"""A sample of each long run, small enough for every day; `scripts/soak` has the rest."""

from pathlib import Path

import pytest

from . import arguments, damage, lines
from .texts import unsafe


@pytest.mark.parametrize("seed", [1, 16])
def test_hostile_lines_are_accounted_for_and_every_command_reads_what_came_out(tmp_path: Path, seed: int) -> None:
    read, _, wrong = lines.check_batch(tmp_path.resolve(), seed, lines=200)
    assert read > 100
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
    told = [wrong for seed in range(12) for wrong in damage.check(folder, sound, seed, commands=5)]
    assert told == []


def test_odd_words_end_in_an_answer_a_sentence_or_how_it_is_used(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    damage.make(folder)
    assert [told for seed in range(80) if (told := arguments.check(folder, seed)) is not None] == []


def test_what_drives_a_terminal_is_told_from_our_own_colours() -> None:
    assert unsafe("plain\n\ttext é 😀") == []
    assert unsafe("\x1b[31mred\x1b[0m\r\n", on_terminal=True) == []
    assert unsafe("\x1b[31mred\x1b[0m") != []
    for text in ("\x1b]0;x\x07", "\x9b31m", "a\rb", "\u202e", "\u2066", "\x7f"):
        assert unsafe(text, on_terminal=True) != []
