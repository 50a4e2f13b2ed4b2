"""`ccindex search` in real processes: JSON, options, text output and errors."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.making.commands import ccindex, failure, run_json
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import assistant, at, text_block, user


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("searched").resolve()
    now = datetime.now(UTC).isoformat()
    write(
        folder / "-w" / "session-one.jsonl",
        user("entry-one", 1, "where is the begonia?", sessionId="session-one"),
        assistant("entry-two", 2, text_block("The begonia\nis here."), parent="entry-one", sessionId="session-one"),
    )
    write(
        folder / "-v" / "session-two.jsonl", user("entry-three", 1, "begonia", sessionId="session-two", timestamp=now)
    )
    index(folder / "ccindex.db", folder)
    return folder / "ccindex.db"


def search(indexed: Path, *arguments: str) -> list[str]:
    return sorted(hit["uuid"] for hit in run_json("search", *arguments, "--db", indexed)["hits"])


def test_json_has_the_documented_keys(indexed: Path) -> None:
    document = run_json("search", "where", "begonia", "--db", indexed)
    assert list(document) == ["hits"]
    [hit] = document["hits"]
    assert {"uuid", "session_id", "line_id", "timestamp", "type", "snippet", "rank"} <= set(hit)
    assert isinstance(hit.pop("rank"), float)
    assert (
        hit.items()
        >= {
            "uuid": "entry-one",
            "session_id": "session-one",
            "line_id": "session-one",
            "timestamp": at(1),
            "type": "user",
            "snippet": "«where» is the «begonia»?",
        }.items()
    )


def test_options_filter_the_hits(indexed: Path) -> None:
    assert search(indexed, "begonia", "--session", "session-o", "--type", "assistant") == ["entry-two"]
    assert search(indexed, "begonia", "--project", "-v", "--since", "yesterday", "--status", "active") == [
        "entry-three"
    ]
    assert search(indexed, "begonia", "--until", "2026-03-02", "--since", "2026-03-01T09:00:02") == ["entry-two"]
    assert search(indexed, "begonia", "--limit", "1", "--since", "1h") == ["entry-three"]
    assert search(indexed, "begonia", "--tool", "Bash") == []


def test_text_output_has_two_lines_per_hit(indexed: Path) -> None:
    result = ccindex("search", "begonia", "--session", "session-one", "--db", indexed)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) == 4
    assert {text.strip() for text in lines[1::2]} == {"where is the «begonia»?", "The «begonia» is here."}
    assert all(at(second)[:16].replace("T", " ") in result.stdout for second in (1, 2))


def test_no_hits_is_not_an_error(indexed: Path) -> None:
    for query in ("nosuchword", "(("):
        result = ccindex("search", "--db", indexed, "--", query)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", ""), query
    assert run_json("search", "nosuchword", "--db", indexed) == {"hits": []}


def test_invalid_option_values_are_usage_errors(indexed: Path) -> None:
    code, stderr = failure("search", "begonia", "--since", "soon", "--db", indexed)
    assert code == 2
    assert "'soon' is not a date" in stderr
    assert failure("search", "begonia", "--status", "lost", "--db", indexed)[0] == 2
    assert failure("search", "--db", indexed)[0] == 2


def test_missing_index_and_unknown_session_give_one_message(indexed: Path, tmp_path: Path) -> None:
    code, stderr = failure("search", "begonia", "--db", tmp_path / "none.db")
    assert code == 1
    assert len(stderr.splitlines()) <= 2
    assert not (tmp_path / "none.db").exists()
    assert failure("search", "begonia", "--session", "no-such", "--db", indexed)[0] == 1
    code, stderr = failure("search", "begonia", "--session", "session-", "--db", indexed)
    assert code == 1
    assert "session-one" in stderr
