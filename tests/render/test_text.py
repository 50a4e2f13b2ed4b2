"""Values as a person reads them, at the borders between units and for whatever may be recorded."""

import re
import unicodedata
from collections.abc import Callable

import pytest

from ccindex.render.text import (
    ago,
    amount,
    count,
    dollars,
    duration,
    flat,
    minute,
    preview,
    printable,
    project_name,
    second,
    short,
    short_agent,
    short_line,
    size,
)

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
NOW = 1_772_355_600_000  # 2026-03-01 09:00
UUID = "51ea40b0-7088-4482-b231-74d06cde3e3a"


@pytest.mark.parametrize(
    ("passed", "told"),
    [
        (0, "just now"),
        (MINUTE - 1, "just now"),
        (MINUTE, "1 minute ago"),
        (2 * MINUTE - 1, "1 minute ago"),
        (2 * MINUTE, "2 minutes ago"),
        (HOUR - 1, "59 minutes ago"),
        (HOUR, "1 hour ago"),
        (2 * HOUR, "2 hours ago"),
        (DAY - 1, "23 hours ago"),
        (DAY, "1 day ago"),
        (2 * DAY - 1, "1 day ago"),
        (14 * DAY - 1, "13 days ago"),
        (14 * DAY, "2026-02-15"),
        (-1, "2026-03-01"),
        (-DAY, "2026-03-02"),
        (10_000 * DAY, "1998-10-14"),
    ],
)
def test_what_is_recent_is_told_by_how_long_ago_it_was_and_all_else_by_its_day(passed: int, told: str) -> None:
    assert ago(NOW - passed, NOW) == told


def test_no_instant_is_told_as_nothing() -> None:
    assert (ago(0, NOW), minute(0), second(0)) == ("", "", "")  # which stands for none
    assert (ago(None, NOW), minute(None), second(None), duration(None), amount(None), dollars(None)) == ("",) * 6


@pytest.mark.parametrize(
    ("at", "told"),
    [
        (NOW, "2026-03-01 09:00:00"),
        (NOW - 1, "2026-03-01 08:59:59"),
        (1, "1970-01-01 00:00:00"),
        (-1, "1969-12-31 23:59:59"),
        (253_402_300_799_000, "9999-12-31 23:59:59"),
    ],
)
def test_an_instant_is_told_in_utc(at: int, told: str) -> None:
    assert second(at) == told
    assert minute(at) == told[:-3]


@pytest.mark.parametrize("at", [253_402_300_800_000, -62_135_596_800_001, 2**63 - 1, -(2**63)])
def test_an_instant_that_no_calendar_has_is_told_as_its_number(at: int) -> None:
    assert minute(at) == second(at) == str(at)
    assert ago(at, NOW)


@pytest.mark.parametrize(
    ("ms", "told"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (0.4, "0 ms"),
        (SECOND, "1.0 s"),
        (13_349, "13.3 s"),
        (MINUTE, "1.0 min"),
        (HOUR, "1.0 h"),
        (DAY, "1.0 d"),
        (100 * DAY, "100.0 d"),
        (-5, "-5 ms"),
        (-90 * SECOND, "-1.5 min"),
    ],
)
def test_a_span_is_told_in_the_unit_that_fits(ms: float, told: str) -> None:
    assert duration(ms) == told


@pytest.mark.parametrize(
    ("ms", "told"), [(999.6, "1.0 s"), (59_999, "1.0 min"), (HOUR - 1, "1.0 h"), (DAY - 1, "1.0 d")]
)
def test_a_span_just_short_of_a_unit_is_told_in_that_unit(ms: float, told: str) -> None:
    assert duration(ms) == told


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (999_400, "999.4 kB"),
        (999_500, "1.0 MB"),
        (1_500_000, "1.5 MB"),
        (999_500_000, "1.0 GB"),
        (2 * 10**12, "2.0 TB"),
        (10**16, "10000.0 TB"),
    ],
)
def test_bytes_are_told_in_the_unit_that_fits(number: int, told: str) -> None:
    assert size(number) == told


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (0, "0"),
        (9_999, "9,999"),
        (10_000, "10.0k"),
        (99_949, "99.9k"),
        (99_950, "100k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (99_950_000, "100M"),
        (1_234_567_890, "1.2G"),
        (2 * 10**12, "2.0T"),
        (-5, "-5"),
        (-123_456, "-123k"),
    ],
)
def test_tokens_are_told_in_three_digits_or_so(number: int, told: str) -> None:
    assert amount(number) == told


@pytest.mark.parametrize(
    ("usd", "told"),
    [(0, "$0.00"), (0.1906, "$0.1906"), (0.00004, "$0.0000"), (0.9949, "$0.9949"), (1, "$1.00"), (1234.5, "$1,234.50")],
)
def test_dollars_have_more_digits_where_there_is_little(usd: float, told: str) -> None:
    assert dollars(usd) == told


@pytest.mark.parametrize(("number", "told"), [(0, "0 lines"), (1, "1 line"), (2, "2 lines"), (12_345, "12,345 lines")])
def test_a_number_has_its_noun(number: int, told: str) -> None:
    assert count(number, "line") == told


def test_a_noun_may_have_a_plural_of_its_own() -> None:
    assert (count(1, "entry", "entries"), count(0, "entry", "entries")) == ("1 entry", "0 entries")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ""),
        ("0123456789", "0123456789"),
        ("0123456789a", "012345678…"),
        ("a\n\tb  c", "a b c"),
        ("  a  ", "a"),
        ("12345678 abc", "12345678…"),  # no blank before the sign
        ("a" * 1_000_000, "aaaaaaaaa…"),
        ("a" + " " * 100, "a…"),
        ("\x1b[31m", "\\x1b[31m"),
    ],
)
def test_a_preview_is_the_beginning_on_one_line(text: str, told: str) -> None:
    assert preview(text, 10) == told
    assert len(preview(text, 10)) <= 10


def test_a_preview_of_words_behind_many_blanks_has_these_words() -> None:
    assert preview(" " * 100 + "words", 10) == "words"


def test_an_id_is_cut_to_eight_signs() -> None:
    assert (short(UUID), short("abc"), short(""), short(None)) == ("51ea40b0", "abc", "", None)


@pytest.mark.parametrize(
    ("line_id", "told"),
    [
        (UUID, "51ea40b0"),
        (f"{UUID}@2cb4e296-51c", "51ea40b0@2cb4e296"),
        (f"{UUID}#agent-a618e9fa2cd669b2e", "51ea40b0#agent-a618e9fa"),
        (f"{UUID}#agent-a618e9fa2cd669b2e@2cb4e296-51c", "51ea40b0#agent-a618e9fa@2cb4e296"),
        ("s1", "s1"),
        ("s1@a", "s1@a"),
        ("", ""),
        ("@", "@"),
        ("#agent-", "#agent-"),
        ("#agent-@", "#agent-@"),
        ("a\nb", "a\nb"),
        ("#agent", "#agent"),
    ],
)
def test_each_part_of_a_lines_id_is_cut(line_id: str, told: str) -> None:
    assert short_line(line_id) == told


@pytest.mark.parametrize(
    ("line_id", "told"),
    [
        (f"{UUID}@2cb4e296-51c@b4224606-8cb", "51ea40b0@2cb4e296@b4224606"),
        (f"{UUID}@2cb4e296-51c@b4224606-8cb@dd376be2-000", "51ea40b0@2cb4e296@b4224606@dd376be2"),
        (f"{UUID}#agent-a618e9fa2@2cb4e296-51c@b4224606-8cb", "51ea40b0#agent-a618e9fa@2cb4e296@b4224606"),
    ],
)
def test_a_branch_of_a_branch_keeps_all_its_parts(line_id: str, told: str) -> None:
    assert short_line(line_id) == told


@pytest.mark.parametrize(
    ("agent_id", "told"),
    [
        ("a618e9fa2cd669b2e", "a618e9fa"),
        ("aside_question-a618e9fa2cd669b2e", "aside_question-a618e9fa2"),
        ("g1", "g1"),
        ("", ""),
        (None, None),
    ],
)
def test_an_agents_id_with_words_in_it_is_cut_later(agent_id: str | None, told: str | None) -> None:
    assert short_agent(agent_id) == told
    if agent_id:
        assert short_line(f"{UUID}#agent-{agent_id}") == f"51ea40b0#agent-{told}"


@pytest.mark.parametrize("line_id", ["@" * 50, "#agent-" * 50, "a@#agent-@b" * 20, "\0@\x1b", "x" * 100_000 + "@"])
def test_of_hostile_line_ids_each_part_is_cut_too(line_id: str) -> None:
    parts, cut = (re.split("#agent-|@", each) for each in (line_id, short_line(line_id)))
    assert len(parts) == len(cut)
    assert all(part.startswith(kept) and len(kept) <= 24 for part, kept in zip(parts, cut, strict=True))


@pytest.mark.parametrize(
    ("project", "told"),
    [
        ("-home-you-projects-recipe-box", "projects-recipe-box"),
        ("-Users-you-x", "x"),
        ("-root-x", "x"),
        ("-home-you", "-home-you"),
        ("-w", "-w"),
        ("", ""),
        (None, ""),
    ],
)
def test_a_project_is_known_by_the_end_of_its_name(project: str | None, told: str) -> None:
    assert project_name(project) == told


# what a terminal acts on: controls, separators of lines, and signs that turn the order of others round
_ACTING = [
    chr(code)
    for code in range(0x110000)
    if unicodedata.category(chr(code)) in ("Cc", "Zl", "Zp")
    or unicodedata.bidirectional(chr(code)) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
]


@pytest.mark.parametrize(("safe", "kept"), [(printable, "\t\n"), (flat, "")])
def test_nothing_that_drives_a_terminal_gets_through(safe: Callable[[str], str], kept: str) -> None:
    assert {"\x00", "\x1b", "\x9b", "\r", "\n", "\u202e", "\u2066", "\u2028"} <= set(_ACTING)
    for sign in _ACTING:
        told = safe(f"a{sign}b")
        assert (sign in told) == (sign in kept), ascii(sign)
        assert told.replace("\n", "").replace("\t", "").isprintable()
    assert safe("".join(_ACTING)).isprintable() == (not kept)


def test_a_control_sign_is_shown_as_its_escape() -> None:
    assert printable("\x1b[31m\x00\x9b\u202e") == "\\x1b[31m\\x00\\x9b\\u202e"
    assert flat("a\nb\tc") == "a⏎b c"
    assert printable("é 😀 中 \u200d") == "é 😀 中 \u200d"
