"""Index real transcripts and compare the results with independent counts. Skipped if the corpus is not available."""

import hashlib
import json
import shutil
from operator import attrgetter
from pathlib import Path

import pytest

from ccindex.maintain.restore import restore
from ccindex.store.connection import reading
from tests.making.conformance import Case, all_cases
from tests.making.indexes import ask, broken, diagnostics, everything, findings, index, one, rebuild


@pytest.fixture(scope="module")
def indexed(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("corpus") / "x.db"
    index(db, corpus)
    return db


def test_index_has_one_occurrence_per_json_object_and_one_entry_per_uuid(indexed: Path, corpus: Path) -> None:
    expected = set()
    for path in corpus.rglob("*.jsonl"):
        offset = 0
        with path.open("rb") as file:
            for number, text in enumerate(file, 1):
                value = json.loads(text)
                length = len(text.rstrip(b"\r\n"))
                expected.add((value.get("uuid"), str(path), number, offset, length, value["type"]))
                offset += len(text)
    query = "select uuid, source_path, line_no, byte_offset, byte_length, type from v1_occurrences"
    assert set(ask(indexed, query)) == expected
    assert one(indexed, "select count(*) from v1_occurrences") == len(expected)
    assert {uuid for (uuid,) in ask(indexed, "select uuid from v1_entries")} == {row[0] for row in expected} - {None}
    assert broken(indexed) == {}


def test_sources_runs_and_meta_are_filled(indexed: Path, corpus: Path) -> None:
    files = [path for path in corpus.rglob("*.json*") if path.is_file()]
    assert one(indexed, "select count(*) from v1_sources where state = 'present'") == len(files)
    assert one(indexed, "select sum(size) from v1_sources") == sum(path.stat().st_size for path in files)
    assert ask(indexed, "select status, files_read, malformed_lines from v1_ingest_runs") == [("ok", len(files), 0)]
    assert len(ask(indexed, "select key, value from v1_meta")) == 4


def test_corpus_has_no_unknown_types_or_keys(indexed: Path) -> None:
    assert ask(indexed, "select kind, name from v1_drift") == []
    assert diagnostics(indexed) == []
    kinds = {kind for kind, _ in findings(indexed)}
    assert kinds == {"clock-skew", "unlinked-agent"}


@pytest.mark.slow
def test_deleted_sources_can_be_restored_and_rebuilt(corpus: Path, tmp_path: Path) -> None:
    copy, out, db = tmp_path / "copy", tmp_path / "out", tmp_path / "x.db"
    shutil.copytree(corpus, copy)
    before = {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in copy.rglob("*.json*") if path.is_file()
    }
    index(db, copy)
    shutil.rmtree(copy)
    index(db, copy)
    assert one(db, "select count(*) from v1_sources where state = 'missing'") == len(before)
    with reading(db) as connection:
        restored, _ = restore(connection, out, requested_path=None, generation=None, force=False)
    assert {file.path: file.sha256 for file in restored} == before
    for path, digest in before.items():
        assert hashlib.sha256((out / path.lstrip("/")).read_bytes()).hexdigest() == digest
    snapshot = everything(db)
    rebuild(db)
    assert everything(db) == snapshot
    assert broken(db) == {}


@pytest.mark.parametrize("case", all_cases(), ids=attrgetter("name"))
def test_every_uuid_of_a_conformance_case_is_an_entry(case: Case, db: Path, project: Path) -> None:
    index(db, case.write(project))
    lines = case.expected["dag_lines"]
    uuids = {uuid for line in lines.values() for uuid in line} | set(case.expected["set_aside"])
    assert {uuid for (uuid,) in ask(db, "select uuid from v1_entries")} == uuids
    owners = dict(ask(db, "select uuid, session_id from v1_entries"))
    for line, members in lines.items():
        session = line.partition("#")[0].partition("@")[0]
        assert {owners[uuid] for uuid in members} == {session}, line
    assert broken(db) == {}
