"""`ccindex search` as a user runs it: JSON, options, hits on a terminal, and errors."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.making.commands import answer, ccindex, failure
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import assistant, at, text_block, user


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


def found(made: Path, *words: str) -> list[str]:
    return sorted(hit["uuid"] for hit in answer("search", *words, "--db", made)["hits"])


def test_json_has_the_shape_of_the_contract(made: Path) -> None:
    said = answer("search", "where", "begonia", "--db", made)
    assert list(said) == ["hits"]
    [hit] = said["hits"]
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


def test_options_narrow_what_is_found(made: Path) -> None:
    assert found(made, "begonia", "--session", "session-o", "--type", "assistant") == ["entry-two"]
    assert found(made, "begonia", "--project", "-v", "--since", "yesterday", "--status", "active") == ["entry-three"]
    assert found(made, "begonia", "--until", "2026-03-02", "--since", "2026-03-01T09:00:02") == ["entry-two"]
    assert found(made, "begonia", "--limit", "1", "--since", "1h") == ["entry-three"]
    assert found(made, "begonia", "--tool", "Bash") == []


def test_people_see_two_lines_a_hit(made: Path) -> None:
    done = ccindex("search", "begonia", "--session", "session-one", "--db", made)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 4
    assert {text.strip() for text in lines[1::2]} == {"where is the «begonia»?", "The «begonia» is here."}
    assert all(at(second)[:16].replace("T", " ") in done.stdout for second in (1, 2))


def test_finding_nothing_is_no_failure(made: Path) -> None:
    for query in ("nosuchword", "(("):
        done = ccindex("search", "--db", made, "--", query)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), query
    assert answer("search", "nosuchword", "--db", made) == {"hits": []}


def test_a_date_that_is_none_is_wrong_usage(made: Path) -> None:
    code, said = failure("search", "begonia", "--since", "soon", "--db", made)
    assert code == 2
    assert "'soon' is no date" in said
    assert failure("search", "begonia", "--status", "lost", "--db", made)[0] == 2
    assert failure("search", "--db", made)[0] == 2


def test_without_an_index_or_such_a_session_one_line_says_what_to_do(made: Path, tmp_path: Path) -> None:
    code, said = failure("search", "begonia", "--db", tmp_path / "none.db")
    assert code == 1
    assert len(said.splitlines()) <= 2
    assert not (tmp_path / "none.db").exists()
    assert failure("search", "begonia", "--session", "no-such", "--db", made)[0] == 1
    code, said = failure("search", "begonia", "--session", "session-", "--db", made)
    assert code == 1
    assert "session-one" in said
