"""The cases in tests/conformance are complete, and equal to the shared cases if those are available."""

import json
from hashlib import sha256
from operator import attrgetter

import pytest

from .conformance import FOLDER, Case, all_cases, dump, parse
from .folders import SHARED

SHARED_CASES = SHARED / "conformance"
# SHA-256 of s1.jsonl and of expected.json
LARGE = {
    "deep_branches_30": (
        "a7cd78f0dde5b14daf4c9863dfc253da3bd0fdbde2c7f8b5d4dbfa4c187f8db8",
        "f2669898f83fb797e04e96ec9f144e6e3b967b21e2b0026483e79020101f9ac9",
    ),
    "long_chain_3000": (
        "a7cb6e6a25345a7147156f3e7f680ab5c39fe8c106c8dc01381427439ffd997a",
        "91832f051656194d53be8973cbbaea2b00a932ca0f28edd65e8778febe2a9696",
    ),
    "wide_300_children": (
        "ea9c33b1e6356b17ec6bd50687fc6a56b47b4557d6bcb91d650ff70e5a3534ce",
        "ddd16084732106ce7542ff7d060f859789da47c8e1d72caa1acfaf5d2b2b0ecc",
    ),
}


def folder_files(case: Case) -> dict[str, bytes]:
    """Return the transcripts and the expected graph of a case, in the format of the shared folders."""
    graph = json.dumps(case.expected, indent=1, sort_keys=True) + "\n"
    return {**case.files, "expected.json": graph.encode()}


@pytest.mark.skipif(not SHARED_CASES.is_dir(), reason="the shared conformance cases are not next to this checkout")
def test_cases_are_identical_to_shared_cases() -> None:
    shared = {
        folder.name: {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path.name != "about.txt"  # the wording of descriptions may differ
        }
        for folder in SHARED_CASES.iterdir()
        if folder.is_dir()
    }
    assert sorted(shared) == [case.name for case in all_cases()]
    for case in all_cases():
        assert folder_files(case) == shared[case.name], case.name


@pytest.mark.parametrize("case", [case for case in all_cases() if case.name in LARGE], ids=attrgetter("name"))
def test_large_case_is_generated_with_expected_bytes(case: Case) -> None:
    files = folder_files(case)
    assert tuple(sha256(files[name]).hexdigest() for name in ("s1.jsonl", "expected.json")) == LARGE[case.name]


def test_case_files_are_formatted_as_dump_writes_them() -> None:
    for path in FOLDER.glob("*.case"):
        assert dump(parse(path.stem, path.read_bytes())) == path.read_bytes(), path.name


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"torn", b"crlf\r\n", b"\r", b"nul \0\xff\xfe\n", b"a\n\n", b"\n\na", b" === x\n"]
)
def test_case_file_preserves_transcript_bytes(data: bytes) -> None:
    case = Case("x", "Shows nothing.", {"a/b.jsonl": data, "s1.jsonl": b"{}\n"}, {"roots": [], "tree": {"s": {}}})
    assert parse("x", dump(case)) == case


def test_line_that_looks_like_a_header_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"x: s1\.jsonl has a line"):
        dump(Case("x", "Shows nothing.", {"s1.jsonl": b"{}\n=== a\n"}, {}))


def test_every_case_expects_the_same_keys() -> None:
    assert {tuple(sorted(case.expected)) for case in all_cases()} == {tuple(sorted(all_cases()[0].expected))}
