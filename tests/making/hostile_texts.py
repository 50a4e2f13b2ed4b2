"""Hostile strings for transcripts, names and arguments, and a check for characters that must not reach a terminal."""

import re

# strings with terminal control sequences or invisible characters
ESCAPES = (
    "\x1b[31mred\x1b[0m",
    "\x1b[2J\x1b[H",
    "\x1b]0;title\x07",
    "\x1b]8;;http://x.invalid/\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1bP+q544e\x1b\\",
    "\x1b_apc\x1b\\",
    "\x9b31mred",
    "\x9d0;title\x9c",
    "\x90dcs\x9c",
    "a\rb",
    "a\bb",
    "a\x7fb",
    "a\x00b",
    "\x07bell\x0b\x0c\x0e",
    "\u202eevil\u202c",
    "\u2066a\u2069",
    "\u2028line\u2029end",
    "zero\u200b\u200d\ufeffwidth",
)
# strings that look like a path, a pattern, a query, an option or an id
IDS = (
    *("../../x", "/etc/passwd", "C:\\x", "..", ".", "", " ", "~", "~root", "-", "--", "--help", "-rf"),
    *("CON", "nul.txt", "aux", "a:b", "x.", "x ", "x" * 300, "é" * 200, "A" * 20_000),
    *("'", '"', "';--", "'; drop table entries; --", "%", "_", "%s%n", "{0}", "{x}", "$(id)", "`id`", "*", "?", "[a"),
    *("a\nb", "a\tb", "a\r\nb", "#agent-", "s1#agent-a1", "s1@u1", "@", "#", "a@b@c", "😀", "👨\u200d👩", "\u0301"),
    *("null", "true", "0", "1e400", "NaN", "s1", "u1", "a1", "msg_1", "toolu_1", "<script>", "</details>", "```", "|"),
)
TEXTS = ESCAPES + IDS

_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def unsafe(output: str, *, on_terminal: bool = False) -> list[str]:
    """Return the forbidden control characters in an output, with context; on a terminal, colours are allowed."""
    text = _COLOURS.sub("", output.replace("\r\n", "\n")) if on_terminal else output
    return [repr(text[max(match.start() - 30, 0) : match.end() + 30]) for match in _FORBIDDEN.finditer(text)]
