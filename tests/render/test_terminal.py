"""Transcripts on a terminal: width, folding, and escaping of control characters."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ccindex.query.ids import Target
from ccindex.query.line_tree import TreeLine
from ccindex.query.reading_order import AgentPlacement, ReadingOrder
from ccindex.query.transcript import (
    ContentBlock,
    HiddenEntries,
    LineExit,
    LineStart,
    PairedResult,
    TranscriptEntry,
    TranscriptItem,
    load_transcript,
)
from ccindex.render.terminal import transcript_lines
from ccindex.secrets.masking import no_mask
from tests.making.example_indexes import make_example, make_hostile
from tests.making.folders import SAMPLE
from tests.making.hypothesis_settings import examples
from tests.making.indexes import ask, index

WIDTHS = [40, 80, 160, None]
ENTRY = TranscriptEntry("u1", "assistant", None, "assistant", None, 0, "s1", None, None, None, None, None, None)
LINE = TreeLine._make([None] * len(TreeLine._fields))._replace(
    number=1, line_id="s1", session_id="s1", kind="trunk", entry_count=2, is_active=1
)


def block(kind: str = "text", **keys: Any) -> ContentBlock:
    return ContentBlock._make([None] * len(ContentBlock._fields))._replace(type=kind, **keys)


def answer(text: str | None, **keys: Any) -> PairedResult:
    values: dict[str, Any] = {"uuid": "r1", "outcome": "ok", "text": text} | keys
    return PairedResult._make([None] * len(PairedResult._fields))._replace(**values)


def entry(*blocks: ContentBlock, depth: int = 0, **keys: Any) -> TranscriptEntry:
    return ENTRY._replace(blocks=blocks, depth=depth, **keys)


def call(result: PairedResult | None, **arguments: Any) -> ContentBlock:
    return block("tool_use", tool_use_id="t1", tool_name="Bash", input=json.dumps(arguments), result=result)


def lines(*items: TranscriptItem, width: int | None = None, full: bool = False) -> list[str]:
    return [
        "".join(text for _, text in line.spans)
        for line in transcript_lines(items, width=width, mask=no_mask, full=full)
    ]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("page") / "x.db"
    index(db, SAMPLE)
    return db


def pages(db: Path, width: int | None, *, full: bool) -> Iterator[list[str]]:
    """Yield the complete transcript of every session, with its agents inline."""
    with closing(sqlite3.connect(db)) as connection:
        for (session,) in ask(db, "select session_id from v1_sessions"):
            order = ReadingOrder(AgentPlacement.INSIDE)
            items = load_transcript(connection, Target("session", session), order, everything=True)
            yield [
                "".join(text for _, text in line.spans)
                for line in transcript_lines(items, width=width, mask=no_mask, full=full)
            ]


def is_heading(line: str) -> bool:
    """Return whether a line is a heading or a compaction label, which are never wrapped."""
    return re.search(r"  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  |^(│ )*──── ", line) is not None


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
def test_text_fits_the_width_of_the_terminal(sample: Path, width: int | None, *, full: bool) -> None:
    for page in pages(sample, width, full=full):
        for line in page:
            if width is not None and not is_heading(line):
                assert cell_len(line) <= width, line


def test_headings_fit_a_narrow_terminal(sample: Path) -> None:
    for page in pages(sample, 60, full=False):
        assert max(map(len, page)) <= 60


@pytest.mark.parametrize("width", WIDTHS)
def test_full_output_contains_all_text_at_any_width(sample: Path, width: int | None) -> None:
    texts = [
        text for (text,) in ask(sample, "select text from v1_blocks where type in ('text', 'thinking', 'tool_result')")
    ]
    shown = _without_spaces("".join(line for page in pages(sample, width, full=True) for line in page))
    assert len(texts) > 50
    for text in texts:
        if text and not re.search(r"</?[a-z-]+>", text):  # command tags are removed
            assert _without_spaces(text) in shown, text


def _without_spaces(text: str) -> str:
    """Remove white space, and the bars before subagent text."""
    return re.sub(r"[\s│]", "", text)


@pytest.mark.parametrize("width", [40, 80])
def test_word_longer_than_a_line_is_broken(width: int) -> None:
    word = "x" * 500
    shown = lines(entry(block(text=f"a {word} b")), width=width)
    assert max(map(len, shown[1:])) <= width
    assert "".join(shown[1:]).replace(" ", "") == f"a{word}b"


@pytest.mark.parametrize("number", range(1, 9))
def test_result_is_folded_to_four_lines_and_hidden_lines_are_counted(number: int) -> None:
    text = "\n".join(f"line {index}" for index in range(number))
    shown = lines(entry(call(answer(text))))
    result_lines = [line for line in shown if re.search(r"line \d", line)]
    assert len(result_lines) == min(number, 4)
    hidden = [line.strip() for line in shown if "more line" in line]
    plural = "" if number == 5 else "s"
    assert hidden == ([f"… {number - 4} more line{plural} (use --full)"] if number > 4 else [])
    assert [line for line in lines(entry(call(answer(text))), full=True) if "more line" in line] == []
    assert lines(entry(call(answer(text))), full=True)[-1].strip().endswith(f"line {number - 1}")


@pytest.mark.parametrize("length", [239, 240, 241, 300, 1_000_000])
def test_long_line_of_a_result_is_cut_and_hidden_characters_are_counted(length: int) -> None:
    [shown] = [line.strip() for line in lines(entry(call(answer("y" * length)))) if "⎿" in line]
    shown_chars = shown.count("y")
    assert shown_chars == min(length, 240)
    hidden = re.search(r"… \(([\d,]+) more characters, use --full\)$", shown)
    assert (int(hidden[1].replace(",", "")) if hidden else 0) == length - shown_chars
    full = lines(entry(call(answer("y" * length))), full=True)
    assert sum(line.count("y") for line in full) == length


def test_conversation_text_is_never_folded() -> None:
    text = "\n".join(map(str, range(100)))
    assert len(lines(entry(block(text=text)))) == 101


@pytest.mark.parametrize("form", ["injected", "caveat", "compact_summary", "command_output", "notification"])
def test_text_that_nobody_typed_is_folded(form: str) -> None:
    event = entry(block(text="\n".join("abcdefgh")), kind="prompt", form=form)
    assert lines(event)[-1] == "  … 4 more lines (use --full)"
    assert lines(event, full=True)[-1] == "  h"


def test_thinking_is_folded() -> None:
    event = entry(block("thinking", text="\n".join("abcdefgh")))
    assert lines(event)[1:] == ["  ✻ a", "    b", "    c", "    d", "    … 4 more lines (use --full)"]
    assert len(lines(event, full=True)) == 9


def test_tool_call_shows_its_outcome() -> None:
    def shown(result: PairedResult | None) -> str:
        return lines(entry(call(result, command="ls")))[2].strip()

    assert shown(None) == "⎿ no result"
    assert shown(answer("")) == "⎿ (no output)"
    assert shown(answer("x", outcome="error")) == "⎿ (error) x"
    assert shown(answer("x", outcome="refused")) == "⎿ (refused) x"
    assert shown(answer("x", outcome="interrupted")) == "⎿ (interrupted) x"
    assert shown(answer("x", set_aside="replay")) == "⎿ (set aside: replay) x"
    assert shown(answer("x", duration_ms=9_999)) == "⎿ x"
    assert shown(answer("x", duration_ms=10_000)) == "⎿ (10.0 s) x"
    assert shown(answer(None, media_type="image/png", byte_size=1_500)) == "⎿ [image image/png, 1.5 kB]"


def test_full_output_shows_the_whole_input_of_a_tool_call() -> None:
    shown = lines(entry(call(answer("x"), command="ls", timeout=5, more={"a": "é"})), full=True)
    assert shown[2:5] == ["      command: ls", "      timeout: 5", '      more: {"a": "é"}']


def test_recorded_colour_codes_are_removed() -> None:
    assert lines(entry(call(answer("\x1b[1;31mred\x1b[0m"))))[2] == "    ⎿ red"


def test_nested_entry_has_one_bar_per_level() -> None:
    shown = lines(entry(block(text="a"), depth=2), width=80)
    assert [line[:4] for line in shown] == ["│ │ ", "│ │ "]


@pytest.mark.parametrize("depth", [0, 5, 100])
def test_deeply_nested_text_keeps_a_minimum_width(depth: int) -> None:
    shown = lines(entry(block(text="word " * 50), depth=depth), width=80)
    assert sum(line.count("word") for line in shown) == 50
    assert max(len(line) - 2 * depth for line in shown[1:]) <= max(80 - 2 * depth, 22)


def test_heading_has_no_time_if_none_was_recorded() -> None:
    assert lines(entry(block(text="a"), timestamp_ms=0))[0] == "Claude  u1"
    assert lines(entry(block(text="a"), timestamp_ms=1_772_355_600_000))[0] == "Claude  2026-03-01 09:00:00  u1"


def test_entries_of_one_answer_have_one_heading() -> None:
    one, two = entry(block(text="a"), response="m1"), entry(block(text="b"), response="m1", uuid="u2")
    assert [line.strip() for line in lines(one, two)][1:] == ["a", "b"]
    other = entry(block(text="b"), response="m2", uuid="u2")
    assert len([line for line in lines(one, other) if line.startswith("Claude")]) == 2


def test_line_is_announced_again_when_it_continues() -> None:
    start = LineStart(LINE, "title", None, 0, is_return=False)
    again = LineStart(LINE, "title", None, 0, is_return=True)
    assert lines(start, again) == ["== Session s1 • title", "   2 entries", "", "== s1 continued"]


@pytest.mark.parametrize(
    ("count", "text"),
    [(1, "1 non-conversation entry hidden (use --all)"), (2, "2 non-conversation entries hidden (use --all)")],
)
def test_hidden_entries_are_counted_at_the_end(count: int, text: str) -> None:
    assert lines(HiddenEntries(count)) == ["", text]


def test_recorded_control_characters_never_reach_the_terminal(tmp_path: Path) -> None:
    for db in (make_hostile(tmp_path / "h"), make_example(tmp_path / "w")):
        for width in WIDTHS:
            for full in (False, True):
                for page in pages(db, width, full=full):
                    assert all(character.isprintable() for line in page for character in line)


HOSTILE = "a\x1b[31m\x00\u202e\r\nb"


def test_hostile_names_and_titles_stay_on_one_line() -> None:
    line = LINE._replace(
        line_id=HOSTILE, session_id=HOSTILE, attachment_uuid=HOSTILE, first_uuid=HOSTILE, parent_session_id=HOSTILE
    )
    start = LineStart(line._replace(relation="forks"), HOSTILE, None, 0, is_return=False)
    line_exit = LineExit(line, "fork", HOSTILE, None, 0)
    event = entry(
        block("tool_use", tool_use_id="t", tool_name=HOSTILE, input='{"x\\ny": "z"}'), uuid=HOSTILE, model=HOSTILE
    )
    boundary = ENTRY._replace(label=HOSTILE)
    for full in (False, True):
        shown = lines(start, line_exit, event, boundary, full=full)
        assert all(character.isprintable() for text in shown for character in text)


WIDE = ["中" * 100, "中文 " * 50, "a中" * 60, "e\u0301" * 200, "😀 " * 40, "word " * 20 + "中" * 40, "é" * 300]


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("text", WIDE, ids=ascii)
def test_wide_characters_count_as_the_columns_they_occupy(text: str, width: int) -> None:
    shown = lines(entry(block(text=text)), width=width)[1:]
    assert max(map(cell_len, shown)) <= width
    assert "".join("".join(shown).split()) == "".join(text.split())


@examples(60)
@given(st.text("ab 中é\u0301😀\t-", max_size=200), st.sampled_from([40, 50, 80]))
def test_wrapped_text_fits_the_width_and_is_complete(text: str, width: int) -> None:
    shown = lines(entry(block(text=f"x{text}")), width=width)[1:]
    assert max(map(cell_len, shown)) <= width
    assert "".join("".join(shown).split()) == "".join(f"x{text}".split())


@pytest.mark.parametrize("character", ["a", "é", "中"])
def test_wrapped_lines_keep_their_indent(character: str) -> None:
    shown = lines(entry(block(text=f"first\n    {(character * 4 + ' ') * 30}")), width=40)[2:]
    assert len(shown) > 1
    assert {len(text) - len(text.lstrip()) for text in shown} == {6}


def test_text_is_split_at_windows_line_endings() -> None:
    assert lines(entry(block(text="a\r\nb")))[1:] == ["  a", "  b"]
