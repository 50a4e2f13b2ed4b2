"""Formatting of values for people, including the boundaries between units and hostile input."""

import re
import unicodedata
from collections.abc import Callable

import pytest

from ccindex.render.text import (
    escape_controls,
    format_age,
    format_count,
    format_dollars,
    format_duration,
    format_minute,
    format_second,
    format_size,
    format_tokens,
    one_line,
    preview,
    project_name,
    short_agent,
    short_id,
    short_line,
)

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
NOW = 1_772_355_600_000  # 2026-03-01 09:00
UUID = "51ea40b0-7088-4482-b231-74d06cde3e3a"


@pytest.mark.parametrize(
    ("age_ms", "expected"),
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
def test_recent_time_is_shown_as_age_and_other_times_as_date(age_ms: int, expected: str) -> None:
    assert format_age(NOW - age_ms, NOW) == expected


def test_missing_values_are_empty() -> None:
    assert (format_age(0, NOW), format_minute(0), format_second(0)) == ("", "", "")  # 0 means not recorded
    assert (
        format_age(None, NOW),
        format_minute(None),
        format_second(None),
        format_duration(None),
        format_tokens(None),
        format_dollars(None),
    ) == ("",) * 6


@pytest.mark.parametrize(
    ("timestamp_ms", "expected"),
    [
        (NOW, "2026-03-01 09:00:00"),
        (NOW - 1, "2026-03-01 08:59:59"),
        (1, "1970-01-01 00:00:00"),
        (-1, "1969-12-31 23:59:59"),
        (253_402_300_799_000, "9999-12-31 23:59:59"),
    ],
)
def test_times_are_in_utc(timestamp_ms: int, expected: str) -> None:
    assert format_second(timestamp_ms) == expected
    assert format_minute(timestamp_ms) == expected[:-3]


@pytest.mark.parametrize("timestamp_ms", [253_402_300_800_000, -62_135_596_800_001, 2**63 - 1, -(2**63)])
def test_time_outside_the_supported_range_is_shown_as_a_number(timestamp_ms: int) -> None:
    assert format_minute(timestamp_ms) == format_second(timestamp_ms) == str(timestamp_ms)
    assert format_age(timestamp_ms, NOW)


@pytest.mark.parametrize(
    ("ms", "expected"),
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
def test_duration_is_shown_in_a_suitable_unit(ms: float, expected: str) -> None:
    assert format_duration(ms) == expected


@pytest.mark.parametrize(
    ("ms", "expected"), [(999.6, "1.0 s"), (59_999, "1.0 min"), (HOUR - 1, "1.0 h"), (DAY - 1, "1.0 d")]
)
def test_duration_that_rounds_to_one_unit_is_shown_in_that_unit(ms: float, expected: str) -> None:
    assert format_duration(ms) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
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
def test_size_is_shown_in_a_suitable_unit(number: int, expected: str) -> None:
    assert format_size(number) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
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
def test_tokens_are_rounded_to_about_three_digits(number: int, expected: str) -> None:
    assert format_tokens(number) == expected


@pytest.mark.parametrize(
    ("usd", "expected"),
    [(0, "$0.00"), (0.1906, "$0.1906"), (0.00004, "$0.0000"), (0.9949, "$0.9949"), (1, "$1.00"), (1234.5, "$1,234.50")],
)
def test_small_dollar_amounts_have_more_digits(usd: float, expected: str) -> None:
    assert format_dollars(usd) == expected


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 lines"), (1, "1 line"), (2, "2 lines"), (12_345, "12,345 lines")]
)
def test_noun_after_a_number_is_singular_or_plural(number: int, expected: str) -> None:
    assert format_count(number, "line") == expected


def test_noun_can_have_an_irregular_plural() -> None:
    assert (format_count(1, "entry", "entries"), format_count(0, "entry", "entries")) == ("1 entry", "0 entries")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("0123456789", "0123456789"),
        ("0123456789a", "012345678…"),
        ("a\n\tb  c", "a b c"),
        ("  a  ", "a"),
        ("12345678 abc", "12345678…"),  # no space before the ellipsis
        ("a" * 1_000_000, "aaaaaaaaa…"),
        ("a" + " " * 100, "a…"),
        ("\x1b[31m", "\\x1b[31m"),
    ],
)
def test_preview_is_the_start_of_the_text_on_one_line(text: str, expected: str) -> None:
    assert preview(text, 10) == expected
    assert len(preview(text, 10)) <= 10


def test_preview_skips_leading_white_space() -> None:
    assert preview(" " * 100 + "words", 10) == "words"


def test_short_id_has_eight_characters() -> None:
    assert (short_id(UUID), short_id("abc"), short_id(""), short_id(None)) == ("51ea40b0", "abc", "", None)


@pytest.mark.parametrize(
    ("line_id", "expected"),
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
def test_every_part_of_a_line_id_is_shortened(line_id: str, expected: str) -> None:
    assert short_line(line_id) == expected


@pytest.mark.parametrize(
    ("line_id", "expected"),
    [
        (f"{UUID}@2cb4e296-51c@b4224606-8cb", "51ea40b0@2cb4e296@b4224606"),
        (f"{UUID}@2cb4e296-51c@b4224606-8cb@dd376be2-000", "51ea40b0@2cb4e296@b4224606@dd376be2"),
        (f"{UUID}#agent-a618e9fa2@2cb4e296-51c@b4224606-8cb", "51ea40b0#agent-a618e9fa@2cb4e296@b4224606"),
    ],
)
def test_short_id_of_a_nested_branch_keeps_all_parts(line_id: str, expected: str) -> None:
    assert short_line(line_id) == expected


@pytest.mark.parametrize(
    ("agent_id", "expected"),
    [
        ("a618e9fa2cd669b2e", "a618e9fa"),
        ("aside_question-a618e9fa2cd669b2e", "aside_question-a618e9fa2"),
        ("g1", "g1"),
        ("", ""),
        (None, None),
    ],
)
def test_short_agent_id_with_a_name_is_longer(agent_id: str | None, expected: str | None) -> None:
    assert short_agent(agent_id) == expected
    if agent_id:
        assert short_line(f"{UUID}#agent-{agent_id}") == f"51ea40b0#agent-{expected}"


@pytest.mark.parametrize("line_id", ["@" * 50, "#agent-" * 50, "a@#agent-@b" * 20, "\0@\x1b", "x" * 100_000 + "@"])
def test_every_part_of_a_hostile_line_id_is_shortened(line_id: str) -> None:
    parts, short_parts = (re.split("#agent-|@", text) for text in (line_id, short_line(line_id)))
    assert len(parts) == len(short_parts)
    assert all(part.startswith(prefix) and len(prefix) <= 24 for part, prefix in zip(parts, short_parts, strict=True))


@pytest.mark.parametrize(
    ("project", "expected"),
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
def test_project_name_omits_the_home_folder(project: str | None, expected: str) -> None:
    assert project_name(project) == expected


# characters that a terminal interprets: controls, line separators and bidirectional formatting
_CONTROLS = [
    chr(code)
    for code in range(0x110000)
    if unicodedata.category(chr(code)) in ("Cc", "Zl", "Zp")
    or unicodedata.bidirectional(chr(code)) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
]


@pytest.mark.parametrize(("escape", "allowed"), [(escape_controls, "\t\n"), (one_line, "")])
def test_terminal_control_characters_are_escaped(escape: Callable[[str], str], allowed: str) -> None:
    assert {"\x00", "\x1b", "\x9b", "\r", "\n", "\u202e", "\u2066", "\u2028"} <= set(_CONTROLS)
    for character in _CONTROLS:
        escaped = escape(f"a{character}b")
        assert (character in escaped) == (character in allowed), ascii(character)
        assert escaped.replace("\n", "").replace("\t", "").isprintable()
    assert escape("".join(_CONTROLS)).isprintable() == (not allowed)


def test_control_characters_are_shown_as_escapes() -> None:
    assert escape_controls("\x1b[31m\x00\x9b\u202e") == "\\x1b[31m\\x00\\x9b\\u202e"
    assert one_line("a\nb\tc") == "a⏎b c"
    assert escape_controls("é 😀 中 \u200d") == "é 😀 中 \u200d"
