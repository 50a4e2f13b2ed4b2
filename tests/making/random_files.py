"""Hypothesis strategies for small folders of transcripts, and for sequences of writes and runs that produce them."""

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from tests.making.files import Files
from tests.making.transcripts import Object


def _ms(*parts: int) -> int:
    return round(datetime(*parts, tzinfo=UTC).timestamp() * 1000)  # type: ignore[misc, arg-type]


# Timestamps and their values in milliseconds; None means invalid. The list is short so that many entries have equal
# timestamps.
TIMESTAMPS: dict[str, int | None] = {
    "2026-03-01T09:00:00.000Z": _ms(2026, 3, 1, 9),
    "2026-03-01T09:00:01.000Z": _ms(2026, 3, 1, 9, 0, 1),
    "2026-03-01T09:00:01Z": _ms(2026, 3, 1, 9, 0, 1),
    "2026-03-01T09:00:00.999999Z": _ms(2026, 3, 1, 9) + 999,
    "2026-03-01T11:00:00.000+02:00": _ms(2026, 3, 1, 9),
    "2026-03-01 08:30": _ms(2026, 3, 1, 8, 30),
    "2025-12-31T23:59:59-00:30": _ms(2026, 1, 1, 0, 29, 59),
    "1969-12-31T23:59:59.5Z": -500,
    "2026-02-30T09:00:00Z": None,
    "yesterday": None,
    "": None,
}
_ABSENT = object()
_UUIDS = ("u1", "u2", "u3", "u4", "u5", "6b1d\ud83d", "6b1d\ude00", "n\0l", "é@ff@")
_PARENTS = (_ABSENT, None, "", 7, "ghost-1", "ghost-2", *_UUIDS)
_SESSIONS = ("s1", "s1", "s2", "s2", "s3", "S\ud83d", "", None, 5, _ABSENT, _ABSENT)
_TYPES = (
    *("user",) * 6,
    *("assistant",) * 3,
    *("system", "progress", "attachment", "human", "tool_result", "compact_prelude", "compact_recap"),
    *("never-heard-of", "", None, 3, "bad\ud83d", _ABSENT),
)
_TEXTS = ("hello", "naïve 😀", "tab@tab@", "nul@nul@", "esc\0aped", "lone \ud83d", "bad @ff@", "{}\n", '"]')
_STARTS = (
    *("<command-name>/x", "<bash-input>ls", "<bash-stdout>x", "<bash-stderr>x", "<local-command-stdout>"),
    *("<local-command-caveat>", "Caveat: The messages below", "[Request interrupted by user]"),
    *("<task-notification>", " <command-name>", ""),
)
_FLAGS: tuple[Any, ...] = (True, False, 1, 0, "true", "false", None, [], 1.0)
_UNUSUAL_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**63, 2**64, 10**30, 0.5, math.nan, math.inf, "@e400@", "@digits@"),
    *("@deep300@", "@deepest@", [], {}, [[], {}], "x" * 600, dict.fromkeys(("lone\ud83d", "lone\udc00"), 1)),
)
_DEEP = ("@deep300@", "@deep950@", "@deep985@", "@deep1010@", "@deep2000@", "@deep2001{@")

# Placeholders for content that json.dumps cannot write: invalid UTF-8, control characters, huge numbers, deep nesting
_RAW = (
    (b"@ff@", b"\xff\xc3"),
    (b"@tab@", b"\t"),
    (b"@nul@", b"\x00"),
    (b'"@e400@"', b"-1e400"),
    (b'"@digits@"', b"9" * 5_000),
    (b'"@deepest@"', b'{"a":[' * 120 + b"1" + b"]}" * 120),
)
_DEEP_MARK = re.compile(rb'"@deep([0-9]+)(\{?)@"')


def encoded(value: Object) -> bytes:
    """Encode an object, and replace placeholders with the bytes they represent."""
    text = json.dumps({key: item for key, item in value.items() if item is not _ABSENT}).encode()
    for mark, raw in _RAW:
        text = text.replace(mark, raw)
    return _DEEP_MARK.sub(_deep, text)


def _deep(mark: re.Match[bytes]) -> bytes:
    levels = int(mark.group(1))
    if mark.group(2):
        return b'{"a":' * levels + b"0" + b"}" * levels
    return b"[" * levels + b"]" * levels


def _texts() -> st.SearchStrategy[str]:
    return st.sampled_from((*_TEXTS, *_STARTS))


def _blocks() -> st.SearchStrategy[Any]:
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}
    listed = result | {"content": [{"type": "text", "text": "agentId: a1"}, {"type": "image"}, "x"], "is_error": 1}
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO" * 200}}
    use = {"type": "tool_use", "id": "toolu_1", "name": "Task", "input": {"prompt": "go", "deep": "@deep300@"}}
    fixed = st.sampled_from((result, result, listed, image, use, {"type": "thinking", "thinking": "hm"}))
    malformed: st.SearchStrategy[Any] = st.sampled_from(
        ("bare", None, 4, [], {}, {"type": []}, {"type": "new-block", "x": "y"}, {"type": "text", "text": 5})
    )
    return st.one_of(_texts().map(lambda text: {"type": "text", "text": text}), fixed, fixed, malformed)


def _messages() -> st.SearchStrategy[Any]:
    usage = {"input_tokens": 3, "output_tokens": 10**20, "cache_creation": {"ephemeral_5m_input_tokens": 1.0}}
    common: dict[str, st.SearchStrategy[Any]] = {
        "id": st.sampled_from(("msg_1", "msg_2", None, 3)),
        "model": st.sampled_from(("claude-x", "<synthetic>")),
        "usage": st.sampled_from((usage, None, [], {"output_tokens": "5"})),
    }
    content = st.one_of(_texts(), st.lists(_blocks(), max_size=3), st.sampled_from((None, 3, {})))
    return st.one_of(
        st.fixed_dictionaries({"content": content}, optional=common),
        _texts(),
        st.sampled_from((None, [], 4, _ABSENT)),
    )


def _outcomes() -> st.SearchStrategy[Any]:
    return st.sampled_from(
        (
            {"agentId": "a1", "status": "completed", "totalDurationMs": 12, "odd": "@digits@"},
            {"stdout": "x\ud83d", "interrupted": False, "structuredPatch": [{"lines": ["+a", "-b", " c", 5]}, 3]},
            {"durationSeconds": 1.5, "exitCode": 3.0, "file": {"filePath": "/w/x", "numLines": 2**70}},
            "Error: Exit code 2",
            [],
            ["x"],
            None,
        )
    )


def objects() -> st.SearchStrategy[Object]:
    """Return a strategy for entries with missing and malformed fields, and with ids that several entries share."""
    common: dict[str, st.SearchStrategy[Any]] = {
        "type": st.sampled_from(_TYPES),
        "uuid": st.sampled_from(_UUIDS),
        "parentUuid": st.sampled_from(_PARENTS),
        "sessionId": st.sampled_from(_SESSIONS),
        "timestamp": st.sampled_from((*TIMESTAMPS, None, 5, _ABSENT, _ABSENT)),
        "message": _messages(),
    }
    return st.builds(lambda first, second: {**first, **second}, st.fixed_dictionaries(common), _rare_keys())


def _rare_keys() -> st.SearchStrategy[Object]:
    """Return a strategy for at most two additional keys."""
    pairs = [
        st.tuples(st.just(key), values)
        for key, values in {
            "isSidechain": st.sampled_from(_FLAGS),
            "isMeta": st.sampled_from(_FLAGS),
            "isCompactSummary": st.sampled_from(_FLAGS),
            "agentId": st.sampled_from(("a1", "a2", 3, "\ud83d")),
            "subtype": st.sampled_from(("compact_boundary", "local_command", "brand-new", 3)),
            "logicalParentUuid": st.sampled_from(_PARENTS),
            "forkedFrom": st.sampled_from(({"messageUuid": "u1", "sessionId": "s3"}, {"messageUuid": 3}, "u2")),
            "toolUseResult": _outcomes(),
            "version": st.sampled_from(("2.1.200", "1.0.0", 2)),
            "cwd": st.sampled_from(("/w", "/w\0", "/w@ff@", 5)),
            "content": st.sampled_from(("words", ["x"], None, {"a": "@deep300@"})),
            "data": st.sampled_from(
                (
                    {"type": "agent_progress", "agentId": "a1", "message": {"type": "assistant", "message": {}}},
                    {"type": "new_progress", "message": {"message": {"content": "wrapped"}}},
                    [],
                )
            ),
            "attachment": st.sampled_from(({"type": "hook_success", "content": "x"}, {"type": []}, 3)),
            "deep": st.sampled_from(_DEEP),
            "zeta": st.sampled_from(_UNUSUAL_VALUES),
            "eta\ud83d": st.sampled_from(_UNUSUAL_VALUES),
        }.items()
    ]
    return st.lists(st.one_of(pairs), max_size=2).map(dict)


def records() -> st.SearchStrategy[Object]:
    """Return a strategy for objects without a uuid."""
    fixed: tuple[Object, ...] = (
        {"type": "summary", "summary": "of u1", "leafUuid": "u1"},
        {"type": "summary", "summary": "lone \ud83d", "leafUuid": "6b1d\ud83d"},
        {"type": "summary", "summary": 5, "leafUuid": ["u1"]},
        {"type": "ai-title", "aiTitle": "title", "sessionId": "s2"},
        {"type": "queue-operation", "operation": "enqueue", "content": "x", "sessionId": "s3"},
        {"type": "queue-operation", "timestamp": "2025-12-31T23:59:59-00:30", "content": [{}], "uuid": ""},
        {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"trackedFileBackups": {"/x": {}}}},
        {"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": [1]}, "uuid": None},
        {"type": "permission-mode", "permissionMode": "plan", "uuid": 5},
        {"type": "pr-link", "prUrl": "data:;base64,", "prNumber": math.nan, "uuid": ["u1"]},
        {"type": "mode", "mode": "@deep2000@", "timestamp": "2026-03-01T09:00:00.000Z"},
        {"uuid": {}, "zeta": "@digits@", "nul": "\0"},
        {},
    )
    return st.sampled_from(fixed)


_GARBAGE = st.sampled_from(
    (
        *(b"garbage", b'{"uuid":"u1",', b"}", b"[1,2]", b'"text"', b"42", b"null", b"\xff\xfe\xfd", b"\0\0\0"),
        *(b'{"uuid":"u1"}}', b'{"a" 1}', b"{'a':1}", b'{"a":01}', b"," * 300, b"\xc3", b"[" * 2_000, b"{" * 2_000),
        *(b'{"a":"\\ud83d', b"\xef\xbb", b"\x0b", b"\xc2\xa0", b'{"deep":' + b"[" * 1_500 + b"]" * 1_499 + b"}"),
    )
)
_BLANK = st.sampled_from((b"", b"", b"  ", b"\t", b"\r", b"\xef\xbb\xbf", b"\xef\xbb\xbf \xef\xbb\xbf"))
_BETWEEN = st.sampled_from((b"", b"", b" ", b"\t \r", b"\xef\xbb\xbf"))


@st.composite
def _lines(draw: st.DrawFn, base: list[Object]) -> bytes:
    """Draw a line without its line ending: usually an object, often a copy of an object in `base`."""
    forms = ("copy", "copy", "changed", "changed", "new", "new", "record", "garbage", "two", "trailing garbage")
    form = draw(st.sampled_from(forms))
    if form == "garbage":
        return draw(st.one_of(_GARBAGE, _BLANK))
    first = _object(draw, base, form)
    if form == "two":
        return first + draw(_BETWEEN) + _object(draw, base, draw(st.sampled_from(("copy", "new", "record"))))
    if form == "trailing garbage":
        return first + draw(_BETWEEN) + draw(_GARBAGE)
    prefix = draw(st.sampled_from((*(b"",) * 8, b" ", b"\xef\xbb\xbf", b"\r\t")))
    return prefix + first


def _object(draw: st.DrawFn, base: list[Object], form: str) -> bytes:
    if form == "new":
        return encoded(draw(objects()))
    if form == "record":
        return encoded(draw(records()))
    value = draw(st.sampled_from(base))
    if form == "changed":
        other = draw(objects())
        keys = draw(st.sampled_from((("sessionId",), ("parentUuid",), ("timestamp",), ("message", "type"))))
        value = value | {key: other[key] for key in keys}
    return encoded(value)


@st.composite
def _transcripts(draw: st.DrawFn, base: list[Object], *, max_lines: int) -> bytes:
    endings = st.sampled_from((*(b"\n",) * 6, b"\r\n"))
    parts = [line + draw(endings) for line in draw(st.lists(_lines(base), max_size=max_lines))]
    tail = draw(st.sampled_from(("none", "none", "no newline", "torn", "torn", "blank")))
    if tail == "blank":
        parts.append(draw(_BLANK))
    elif tail != "none":
        last = draw(_lines(base))
        parts.append(last if tail == "no newline" else last[: draw(st.integers(0, len(last)))])
    return draw(st.sampled_from((b"", b"", b"", b"\xef\xbb\xbf"))) + b"".join(parts)


@st.composite
def _documents(draw: st.DrawFn) -> bytes:
    """Draw a sidecar or a workflow run file, sometimes truncated or with trailing text."""
    value = {
        "agentType": draw(st.sampled_from(("explorer", "lone \ud83d", None, 3))),
        "toolUseId": draw(st.sampled_from(("toolu_1", "\ud83d", _ABSENT))),
        "more": [1, {"a": "b"}],
    }
    text = json.dumps(
        {key: item for key, item in value.items() if item is not _ABSENT}, indent=draw(st.sampled_from((None, 2)))
    ).encode()
    suffix = draw(st.sampled_from((b"", b"", b"\n", b"\r\n", b" x", b'\n{"agentType": "second"}\n')))
    whole = draw(st.sampled_from((b"", b"", b"", b"\xef\xbb\xbf"))) + text + suffix
    return whole[: draw(st.integers(0, len(whole)))] if draw(st.booleans()) else whole


TRANSCRIPTS = (
    "-p/s1.jsonl",
    "-p/s2.jsonl",
    "-q/s1.jsonl",
    "-p/agent-a1.jsonl",
    "-p/s1/subagents/agent-a2.jsonl",
    "-p/s2/subagents/agent-a1.jsonl",
    "-p/s1/subagents/workflows/wf_1/agent-a3.jsonl",
    "-p/s1/subagents/workflows/wf_1/journal.jsonl",
)
_OTHERS = (
    "-p/s1/subagents/agent-a2.meta.json",
    "-p/agent-a1.meta.json",
    "-p/s1/workflows/wf_1.json",
    "-p/s1/tool-results/toolu_1.txt",
    "-p/s1/tool-results/toolu_2.jsonl",
)


@st.composite
def file_trees(draw: st.DrawFn, *, max_lines: int = 6) -> Files:
    """Draw file contents by path under the projects folder."""
    base = draw(st.lists(objects(), min_size=1, max_size=4))
    chosen = draw(st.lists(st.sampled_from(TRANSCRIPTS), min_size=1, max_size=4, unique=True))
    files = {name: draw(_transcripts(base, max_lines=max_lines)) for name in chosen}
    for name in draw(st.lists(st.sampled_from(_OTHERS), max_size=2, unique=True)):
        raw = st.sampled_from((b"", b"output\n", b"\0\xff", b'{"uuid":"u1"}\n'))
        files[name] = draw(raw if "tool-results" in name else _documents())
    return files


@dataclass(frozen=True, slots=True)
class Step:
    """Bytes that are appended to a file or replace its content, and the ingest run that follows."""

    name: str
    data: bytes
    run: str  # "" (no run), "root", "file", "full" or "rebuild"
    replaces: bool = False  # the bytes replace the content of the file


_RUNS = st.sampled_from(("", "", "root", "root", "file", "full", "rebuild"))


@st.composite
def histories(draw: st.DrawFn, files: Files) -> list[Step]:
    """Draw steps that write the files in random pieces and in random order."""
    queues = {name: pieces(draw, data) for name, data in files.items()}
    order = draw(st.permutations([name for name, parts in queues.items() for _ in parts]))
    return [Step(name, queues[name].pop(0), draw(_RUNS)) for name in order]


@st.composite
def rewrite_histories(draw: st.DrawFn, files: Files) -> tuple[list[Step], dict[str, list[bytes]]]:
    """Draw steps in which some files are also rewritten; return them with the generations of every file."""
    base = draw(st.lists(objects(), min_size=1, max_size=2))
    chosen = draw(st.lists(st.sampled_from(sorted(files)), min_size=1, max_size=2, unique=True))
    generations = {name: [data] for name, data in files.items()}
    queues: dict[str, list[Step]] = {name: [] for name in files}
    for name in files:
        for _ in range(draw(st.integers(1, 3)) if name in chosen else 0):
            generations[name].append(_rewritten(draw, generations[name][-1], base))
        for data in generations[name]:
            parts = [Step(name, part, draw(_RUNS)) for part in pieces(draw, data)]
            # a generation must be archived completely before the next one starts
            queues[name] += [
                Step(name, parts[0].data, parts[0].run, replaces=True),
                *parts[1:],
                Step(name, b"", draw(st.sampled_from(("root", "file", "full")))),
            ]
    order = draw(st.permutations([name for name, steps in queues.items() for _ in steps]))
    return [queues[name].pop(0) for name in order], generations


def pieces(draw: st.DrawFn, data: bytes) -> list[bytes]:
    """Cut bytes at random positions, often next to a line break, brace or byte order mark."""
    edges = {0, len(data)}
    for match in re.finditer(rb"[\r\n{}\xef]", data):
        edges |= {max(0, match.start() - 1), match.start(), match.end(), min(len(data), match.end() + 1)}
    positions = st.one_of(st.integers(0, len(data)), st.sampled_from(sorted(edges)))
    cuts = sorted(draw(st.lists(positions, max_size=4)))
    return [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


_EDGE_BYTES = 4096  # size of the head and tail that ccindex compares to detect that a file has only grown


def _rewritten(draw: st.DrawFn, data: bytes, base: list[Object]) -> bytes:
    form = draw(st.sampled_from(("cut", "changed", "reordered", "same size", "other head", "other")))
    lines = data.splitlines(keepends=True)
    new = draw(_transcripts(base, max_lines=3))
    if form == "cut":
        new = data[: draw(st.integers(0, max(0, len(data) - 1)))]
    elif form == "changed" and lines:
        number = draw(st.integers(0, len(lines) - 1))
        new = b"".join([*lines[:number], new, *lines[number + 1 :]])
    elif form == "reordered" and lines:
        new = b"".join(draw(st.permutations(lines)))
    elif form == "same size" and data:
        offset = draw(st.integers(0, len(data) - 1))
        new = data[:offset] + bytes([data[offset] ^ draw(st.sampled_from((1, 32)))]) + data[offset + 1 :]
    elif form == "other head":
        new += data + draw(_transcripts(base, max_lines=1))
    assume(not new.startswith(data))
    is_longer = len(new) > len(data)
    head, tail = slice(0, min(_EDGE_BYTES, len(data))), slice(max(0, len(data) - _EDGE_BYTES), len(data))
    assume(not is_longer or new[head] != data[head] or new[tail] != data[tail])
    return new


def final_contents(steps: Iterable[Step]) -> Files:
    """Return the contents of all files after the steps."""
    files: Files = {}
    for step in steps:
        files[step.name] = (b"" if step.replaces else files.get(step.name, b"")) + step.data
    return files
