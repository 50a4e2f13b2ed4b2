"""`toolUseResult`, of whatever shape, to the facts people ask for: exit status, durations, patch sizes."""

import re
from typing import Any

from ccindex.model.facts import Outcome

from .jsontext import dumps, trimmed
from .values import flag_or_none, integer, mapping, size, string

_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (-?[0-9]{1,9})\b")
_LONGEST = 500
# Texts that the result block or the file itself holds too, and lists that can be as long as a tree of files.
_BULKY = frozenset(
    "stdout stderr content file originalFile originalFileContents oldString newString structuredPatch edits "
    "filenames results prompt result output".split()
)
# Keys with a column of their own.
_COLUMNS = frozenset(
    "status interrupted agentId agent_id runId filePath numFiles numLines totalTokens totalToolUseCount isAsync "
    "backgroundTaskId persistedOutputPath persistedOutputSize usage".split()
)


def outcome_of(result: Any, failed: str | None) -> Outcome | None:
    """Read a dict in full; of a string, which is an error's text, only the exit code, as of what a call failed with."""
    if result is None:
        code = _EXIT_CODE.match(failed or "")
        return Outcome(exit_code=_code(code)) if code else None
    if isinstance(result, str):
        code = _EXIT_CODE.match(result)
        return Outcome(status="error" if result.startswith("Error") else None, exit_code=_code(code))
    if not isinstance(result, dict):
        return Outcome()
    added, removed = _patch(result.get("structuredPatch"))
    file = mapping(result.get("file"))
    facts = {key: value for key, value in result.items() if key not in _BULKY and key not in _COLUMNS}
    return Outcome(
        status=string(result.get("status")),
        exit_code=_first_integer(result.get("exitCode"), mapping(result.get("task")).get("exitCode")),
        is_interrupted=flag_or_none(result.get("interrupted")),
        duration_ms=_duration(result),
        agent_id=string(result.get("agentId")) or string(result.get("agent_id")),
        workflow_run=string(result.get("runId")),
        file_path=string(result.get("filePath")) or string(file.get("filePath")),
        lines_added=added,
        lines_removed=removed,
        num_files=integer(result.get("numFiles")),
        num_lines=_first_integer(result.get("numLines"), file.get("numLines")),
        stdout_bytes=_bytes(result.get("stdout")),
        stderr_bytes=_bytes(result.get("stderr")),
        total_tokens=integer(result.get("totalTokens")),
        total_tool_uses=integer(result.get("totalToolUseCount")),
        is_async=flag_or_none(result.get("isAsync")),
        background_task_id=string(result.get("backgroundTaskId")),
        persisted_path=string(result.get("persistedOutputPath")),
        persisted_size=integer(result.get("persistedOutputSize")),
        facts=dumps(trimmed(facts, longest=_LONGEST)) if facts else None,
    )


def _code(found: re.Match[str] | None) -> int | None:
    return int(found.group(1)) if found else None


def _first_integer(*values: Any) -> int | None:
    return next((number for number in map(integer, values) if number is not None), None)


def _bytes(text: Any) -> int | None:
    return size(text) if isinstance(text, str) else None


def _duration(result: dict[str, Any]) -> int | None:
    """Milliseconds, which searches and agents record as such and web searches in seconds."""
    seconds = result.get("durationSeconds")
    in_ms = int(seconds * 1000) if isinstance(seconds, float | int) and abs(seconds) < 1e12 else None
    return _first_integer(result.get("totalDurationMs"), result.get("durationMs"), in_ms)


def _patch(hunks: Any) -> tuple[int | None, int | None]:
    """Lines added and removed by a structured patch."""
    if not isinstance(hunks, list):
        return None, None
    lines = [
        line
        for hunk in hunks
        if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list)
        for line in hunk["lines"]
        if isinstance(line, str)
    ]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)
