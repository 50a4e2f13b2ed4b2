"""Splitting bytes into JSON objects: lines, torn tails, lenient parsing, and input that arrives in pieces."""

import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccindex.read.json_lines import JsonLineReader, Piece, objects_in
from ccindex.read.lenient_json import object_at


def read(data: bytes) -> tuple[list[Piece], JsonLineReader]:
    reader = JsonLineReader()
    return [*reader.feed(data), *reader.finish()], reader


def read_in_runs(parts: list[bytes]) -> tuple[list[Piece], JsonLineReader]:
    """Read in several runs, each starting at the offset where the previous run stopped."""
    pieces: list[Piece] = []
    data = b""
    reader = JsonLineReader()
    for part in parts:
        data += part
        reader = JsonLineReader(reader.offset, reader.line_no, reader.line_objects)
        pieces += [*reader.feed(data[reader.offset :]), *reader.finish()]
    return pieces, reader


def test_object_has_its_line_number_offset_and_bytes() -> None:
    pieces, reader = read(b'{"a":1}\n\n  {"b":2} \r\n')
    assert pieces == [Piece(1, 0, b'{"a":1}', {"a": 1}), Piece(3, 11, b'{"b":2}', {"b": 2})]
    assert (reader.offset, reader.line_no, reader.crlf_line, reader.is_torn) == (21, 4, 3, False)


def test_all_objects_on_a_line_are_returned() -> None:
    pieces, _ = read(b'{"a":1}{"b":"\xc3\xa4"} {"c":3}\n')
    assert [(p.line_no, p.offset, p.raw, p.ordinal) for p in pieces] == [
        (1, 0, b'{"a":1}', 1),
        (1, 7, b'{"b":"\xc3\xa4"}', 2),
        (1, 18, b'{"c":3}', 3),
    ]


def test_text_after_a_valid_object_is_malformed() -> None:
    pieces, _ = read(b'{"a":1} and {"b":2}\n')
    assert pieces == [Piece(1, 0, b'{"a":1}', {"a": 1}), Piece(1, 8, b'and {"b":2}', None)]


@pytest.mark.parametrize(
    "text", [b"not json", b"[1,2]", b"null", b"17", b'{"a":1', b'{"a" 1}', b"\0\0\0", b'"{}"', b"}"]
)
def test_text_that_is_not_an_object_is_malformed_once_its_line_is_complete(text: bytes) -> None:
    assert read(text + b"\n")[0] == [Piece(1, 0, text, None)]
    pieces, reader = read(text)
    assert pieces == []
    assert reader.is_torn


def test_complete_object_is_returned_before_its_newline() -> None:
    pieces, reader = read(b'{"a":1}')
    assert [piece.raw for piece in pieces] == [b'{"a":1}']
    assert (reader.offset, reader.line_no, reader.line_objects, reader.is_torn) == (7, 1, 1, False)


def test_torn_tail_is_returned_once_complete() -> None:
    pieces, reader = read_in_runs([b'{"a":1}\n{"b"', b":2", b"}\n"])
    assert [(p.line_no, p.offset, p.value) for p in pieces] == [(1, 0, {"a": 1}), (2, 8, {"b": 2})]
    assert reader.offset == 16


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}, "a byte order mark"),
        (b'{"a":NaN,"b":Infinity}', None, "not strict JSON"),
        (b'{"a":"\\ud83d","uuid":"\\ud83d"}', {"a": "\ufffd", "uuid": "\\ud83d"}, "a lone surrogate"),
        (b'{"a":"\xff","uuid":"\xff"}', {"a": "\ufffd", "uuid": "\\udcff"}, "not UTF-8"),
        (b'{"a":"x\0y"}', {"a": "x\0y"}, "not strict JSON"),
        (b'{"a":"x\ty"}', {"a": "x\ty"}, "not strict JSON"),
    ],
)
def test_objects_that_a_strict_parser_rejects_are_parsed_leniently(text: bytes, value: object, reason: str) -> None:
    [piece] = read(text + b"\n")[0]
    assert piece.reason == reason
    assert piece.raw == text.removeprefix(b"\xef\xbb\xbf")
    if value is not None:
        assert piece.value == value


@pytest.mark.parametrize("depth", [900, 1500, 50_000])
@pytest.mark.parametrize(("opens", "closes"), [(b'{"a":', b"}"), (b"[", b"]")])
def test_objects_of_any_nesting_depth_are_parsed(depth: int, opens: bytes, closes: bytes) -> None:
    text = b'{"uuid":"u","x":' + opens * depth + b"1" + closes * depth + b',"y":[{},[]]}'
    [piece] = read(text + b"\n")[0]
    assert piece.raw == text
    assert piece.value is not None
    assert piece.value["uuid"] == "u"
    assert piece.value["y"] == [{}, []]


@pytest.mark.parametrize("broken", [b"]", b",", b":", b"1", b"[}", b'"a":1', b"{,}", b"[1 2]", b"tru"])
def test_deeply_nested_invalid_json_is_malformed(broken: bytes) -> None:
    text = b'{"x":' + b"[" * 5000 + b"]" * 5000 + broken + b"}"
    assert read(text + b"\n")[0] == [Piece(1, 0, text, None)]


def test_integer_with_more_digits_than_python_accepts_is_parsed() -> None:
    [piece] = read(b'{"a":' + b"9" * 5000 + b"}{}\n")[0][:1]
    assert piece.value == {"a": float("inf")}


def test_many_objects_on_one_line_are_parsed_in_linear_time() -> None:
    count = 20_000
    text = b'{"a":"' + b"x" * 40 + b'"}'
    pieces, _ = read(text * count + b"\n")
    assert len(pieces) == count
    assert pieces[-1].offset == len(text) * (count - 1)


def test_objects_in_reads_a_multi_line_document() -> None:
    assert objects_in(b'{\n  "a": 1\n}\n{"b": 2}\n{"c"') == [{"a": 1}, {"b": 2}]


LINES = st.sampled_from(
    [
        b'{"a":1}',
        b'{"a":1}{"b":2}',
        b'{"a":"\xc3\xa4\xe2\x82\xac"}',
        b'{"a":1} rest',
        b"garbage",
        b"",
        b"  ",
        b'\xef\xbb\xbf{"b":1}',
        b'{"a":"\\ud800"}',
        b'{"a":"\xff"}',
        b'{"a":NaN}',
        b'{"a":"\0"}',
        b"[1]",
        b'{"a":{"b":[1,{"c":"}{"}]}}',
        b"\0",
        b'{"a":1}\xef\xbb\xbf{"b":2}',
    ]
)


@st.composite
def split_transcripts(draw: st.DrawFn) -> list[bytes]:
    ends = draw(st.lists(st.sampled_from([b"\n", b"\r\n"]), min_size=0, max_size=8))
    data = b"".join(draw(LINES) + end for end in ends) + draw(LINES | st.just(b'{"torn":'))
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=12)))
    return [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


def cut_everywhere(data: bytes) -> Iterator[list[bytes]]:
    yield [data[i : i + 1] for i in range(len(data))]


@given(split_transcripts())
def test_any_split_into_runs_gives_the_same_pieces(parts: list[bytes]) -> None:
    whole, clean = read(b"".join(parts))
    for runs in (parts, *cut_everywhere(b"".join(parts))):
        pieces, reader = read_in_runs(runs)
        assert repr(pieces) == repr(whole)  # compared as repr, because NaN is not equal to itself
        assert (reader.offset, reader.line_no, reader.line_objects) == (clean.offset, clean.line_no, clean.line_objects)
        assert reader.is_torn == clean.is_torn


@given(split_transcripts())
def test_any_split_into_blocks_gives_the_same_pieces(parts: list[bytes]) -> None:
    whole, _ = read(b"".join(parts))
    reader = JsonLineReader()
    pieces = [piece for part in parts for piece in reader.feed(part)] + list(reader.finish())
    assert repr(pieces) == repr(whole)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_needs_little_memory(opening: str, closing: str) -> None:
    depth = 50_000
    text = f'{{"a":{opening * depth}1{closing * depth}}}'
    tracemalloc.start()
    try:
        found = object_at(text, 0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found is not None
    assert peak < 2 * len(text) + 100_000  # an object per level would need 60 bytes or more
