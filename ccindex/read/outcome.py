"""`toolUseResult`, of whatever shape, to the facts people ask for: exit status, durations, patch sizes."""

import re
from typing import Any

from ccindex.model.facts import Outcome

from .jsontext import clipped
from .values import flag_or_none, integer, mapping, size, string

_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (-?[0-9]{1,9})\b")
_LONGEST = 500
# Texts that the result block or the file itself holds too, and lists that can be as long as a tree of files.
_BULKY = frozenset(
    "stdout stderr content file originalFile originalFileContents oldString newString structuredPatch edits "
    "filenames results prompt result output".split()
)
# These, and keys with a column of their own.
_PLACED = _BULKY | frozenset(
    "status interrupted agentId agent_id runId filePath numFiles numLines totalTokens totalToolUseCount isAsync "
    "backgroundTaskId persistedOutputPath persistedOutputSize usage".split()
)


def outcome_of(result: Any, failed: str | None, denial_kind: str | None = None) -> Outcome | None:
    """Read a dict in full; of a string, which is an error's text, only the exit code, as of what a call failed with.

    `denial_kind`: why the call was not allowed (`toolDenialKind` of the entry).
    """
    found = _recorded(result, failed)
    return found if denial_kind is None else (found or Outcome())._replace(denial_kind=denial_kind)


def _recorded(result: Any, failed: str | None) -> Outcome | None:
    if result is None:
        code = _EXIT_CODE.match(failed) if failed else None
        return Outcome(exit_code=_code(code)) if code else None
    if isinstance(result, str):
        code = _EXIT_CODE.match(result)
        return Outcome(status="error" if result.startswith("Error") else None, exit_code=_code(code))
    return _outcome(result) if isinstance(result, dict) else Outcome()


def _outcome(result: dict[str, Any]) -> Outcome:
    get = result.get
    file, task = mapping(get("file")), mapping(get("task"))
    added, removed = _patch(get("structuredPatch"))
    facts = {key: value for key, value in result.items() if key not in _PLACED}
    return Outcome(
        string(get("status")),
        _first_integer(get("exitCode"), task.get("exitCode")),
        flag_or_none(get("interrupted")),
        _duration(result),
        string(get("agentId")) or string(get("agent_id")),
        string(get("runId")),
        string(get("filePath")) or string(file.get("filePath")),
        added,
        removed,
        integer(get("numFiles")),
        _first_integer(get("numLines"), file.get("numLines")),
        _bytes(get("stdout")),
        _bytes(get("stderr")),
        integer(get("totalTokens")),
        integer(get("totalToolUseCount")),
        flag_or_none(get("isAsync")),
        string(get("backgroundTaskId")),
        string(get("persistedOutputPath")),
        integer(get("persistedOutputSize")),
        clipped(facts, longest=_LONGEST) if facts else None,
    )


def _code(found: re.Match[str] | None) -> int | None:
    return int(found.group(1)) if found else None


def _first_integer(first: Any, second: Any) -> int | None:
    number = integer(first)
    return integer(second) if number is None else number


def _bytes(text: Any) -> int | None:
    return size(text) if isinstance(text, str) else None


def _duration(result: dict[str, Any]) -> int | None:
    """Milliseconds, which searches and agents record as such and web searches in seconds."""
    in_ms = _first_integer(result.get("totalDurationMs"), result.get("durationMs"))
    if in_ms is not None:
        return in_ms
    seconds = result.get("durationSeconds")
    return int(seconds * 1000) if isinstance(seconds, float | int) and abs(seconds) < 1e12 else None


def _patch(hunks: Any) -> tuple[int | None, int | None]:
    """Lines added and removed by a structured patch."""
    if not isinstance(hunks, list):
        return None, None
    marks = [
        line[:1]
        for hunk in hunks
        if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list)
        for line in hunk["lines"]
        if isinstance(line, str)
    ]
    return marks.count("+"), marks.count("-")
