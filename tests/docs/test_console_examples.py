"""Tests that console examples show what the program prints, and that scripts/docs --console can refresh them."""

from pathlib import Path

import pytest

from documentation.console import ConsoleSession, find_steps, is_shown, refresh_output, refresh_text
from tests.docs.pages import PAGES, page_name, read
from tests.making.folders import ROOT

CONSOLE_PAGES = [page_name(path) for path in PAGES if find_steps(read(path))]


@pytest.mark.parametrize("page", CONSOLE_PAGES)
def test_console_examples_show_what_the_program_prints(page: str, tmp_path: Path) -> None:
    session = ConsoleSession(ROOT, tmp_path)
    for command, shown in find_steps(read(page)):
        printed = session.run(command)
        assert is_shown(shown, printed), "\n".join([page, f"$ {command}", *printed])


def test_tour_has_enough_examples() -> None:
    assert len(find_steps(read("docs/tour.md"))) >= 20


def test_page_output_is_compared_without_blank_and_omitted_lines() -> None:
    printed = ["a", "", "b", "c"]
    assert is_shown(["a", "b", "c"], printed)
    assert is_shown(["a", "…", "c"], printed)
    assert is_shown(["…"], printed)
    assert not is_shown(["a", "c"], printed)
    assert not is_shown(["a", "b"], printed)
    assert not is_shown(["a", "x", "…"], printed)


@pytest.mark.parametrize(
    ("shown", "refreshed"),
    [
        ([], ["head 2", "", "x 2", "y", "z 2", "", "tail 2"]),
        (["old"], ["head 2", "", "x 2", "y", "z 2", "", "tail 2"]),
        (["head 1", "…"], ["head 2", "…"]),
        (["…", "tail 1"], ["…", "", "tail 2"]),
        (["…", "x 1", "y", "…"], ["…", "", "x 2", "y", "…", ""]),
        (["head 1", "…", "z 1", "…"], ["head 2", "…", "z 2", "…"]),
    ],
)
def test_refreshed_output_keeps_the_excerpts_on_the_page(shown: list[str], refreshed: list[str]) -> None:
    printed = ["head 2", "", "x 2", "y", "z 2", "", "tail 2"]
    result = refresh_output(shown, printed)
    assert [line for line in result if line] == [line for line in refreshed if line]
    assert is_shown(result, printed)


def test_refreshed_page_shows_what_the_program_prints(tmp_path: Path) -> None:
    page = "Text.\n\n```console\n$ echo one\nold\n\n$ printf 'a\\nb\\nc\\n'\n…\nc\n```\n\nMore text.\n"
    expected = page.replace("old", "one")
    assert refresh_text(page, ConsoleSession(ROOT, tmp_path)) == expected


def test_failing_console_example_is_an_error(tmp_path: Path) -> None:
    session = ConsoleSession(ROOT, tmp_path)
    with pytest.raises(RuntimeError, match="exits with 1"):
        session.run("ccindex sessions --session 0000")
