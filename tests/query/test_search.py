"""Full-text search: queries, filters, ranking and snippets."""

import sqlite3
from base64 import b64encode
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from ccindex.query.lists import Filters
from ccindex.query.search import Hit, HitFilters, search
from ccindex.store.connection import reading
from tests.making.files import append, write
from tests.making.indexes import ask, broken, index, rebuild
from tests.making.transcripts import (
    agent_file,
    assistant,
    at,
    line,
    progress,
    queue_operation,
    text_block,
    thinking_block,
    tool_result,
    tool_use,
    user,
)

BLOB = b64encode(b"".join(sha256(bytes([n])).digest() for n in range(120))).decode()


def hits(db: Path, query: str, **filters: Any) -> list[Hit]:
    with reading(db) as connection:
        conditions = {name: filters.pop(name) for name in ("type", "status") if name in filters}
        return search(connection, query, Filters(**{"limit": 20} | filters), HitFilters(**conditions))


def find_uuids(db: Path, query: str, **filters: Any) -> list[str]:
    return sorted(hit.uuid or "" for hit in hits(db, query, **filters))


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with a rewind, a replay, an agent and many kinds of text. Tests must not change it."""
    folder = tmp_path_factory.mktemp("search").resolve()
    project = folder / "projects" / "-home-jane-Garden"
    asked = {"command": "pytest tests/unit/test_max_retry_count.py -k kebab-case-name", "run_in_background": True}
    edit = {"file_path": "/src/ParentResolver.ts", "old_string": "app.config.loader(resolveParentUuid)"}
    inner = {"type": "assistant", "message": {"content": [text_block("wisteria grows slowly")]}}
    write(
        project / "s1.jsonl",
        user("u1", 1, "the quick brown heliotrope jumps over"),
        assistant(
            "a1", 2, text_block("a sturdy green heliotrope it is"), thinking_block("rather chrysanthemum"), parent="u1"
        ),
        assistant("a2", 3, tool_use("t1", "Bash", **asked), tool_use("t2", "Edit", **edit), parent="a1"),
        user("r1", 4, tool_result("t1", f"out of some heliotrope came\n{BLOB}\nmarigold"), parent="a2"),
        user("r2", 5, tool_result("t2", "lavender planted"), parent="r1"),
        user("de", 6, "Die Größe der Straße ist unverändert, mit Übergröße", parent="r2"),
        user("nfd", 7, normalize("NFD", "Blütenköpfe für Jürgen"), parent="de"),
        user("ja", 8, "昨日は東京タワーへ行きました", parent="nfd"),
        user("ko", 9, "한국어를 배우고 싶어요", parent="ja"),
        user("th", 10, "ฉันอยากกินข้าวผัด", parent="ko"),
        user("pic", 11, text_block("a picture"), {"type": "image", "source": {"data": BLOB}}, parent="th"),
        user("log", 12, "result: periwinkle", parent="pic"),
        user("sh", 12, "don't `make --force` in $HOME/bin, write jane@example.com on C++ #123: foo(bar)", parent="log"),
        progress("p1", 13, "g1", "t9", parent="sh", wrapped=inner),
        line("sys", parent="p1", timestamp=at(14), type="system", content="the gladiolus hook ran", message=None),
        user("old", 20, "snapdragon one way", parent="sys"),
        user("new", 21, "snapdragon another way", parent="sys"),
        assistant("c1", 22, text_block("snapdragon answered"), parent="new"),
        assistant("c2", 22, text_block("snapdragon answered again"), parent="new"),
        user("on", 23, "go on", parent="c1"),
    )
    agent_file(project, "g2", user("k1", 30, "look for foxglove", isSidechain=True))
    other = {"sessionId": "s2", "timestamp": "2026-04-01T00:00:00Z"}
    write(folder / "projects" / "-other" / "s2.jsonl", line("o1", message={"content": "heliotrope elsewhere"}, **other))
    db = folder / "ccindex.db"
    index(db, folder / "projects")
    return db


@pytest.mark.parametrize(
    ("query", "uuids"),
    [
        ("quick", ["u1"]),
        ("QUICK Brown", ["u1"]),
        ("brown quick", ["u1"]),
        ("chrysanthemum", ["a1"]),
        ("max_retry_count", ["a2"]),
        ("retry_count", ["a2"]),
        ("kebab-case-name", ["a2"]),
        ("app.config.loader", ["a2"]),
        ("resolveParentUuid", ["a2"]),
        ("resolveparentuuid", ["a2"]),
        ("resolvePar*", ["a2"]),
        ("resolvePar", []),
        ("tests/unit/test_max_retry_count.py", ["a2"]),
        ("/src/ParentResolver.ts", ["a2"]),
        ("ParentResolver.t*", ["a2"]),
        ("run_in_background", []),
        ("old_string", []),
        ("lavender", ["r2"]),
        ("gladiolus", ["sys"]),
        ("wisteria", ["p1"]),
        ("foxglove", ["k1"]),
        ("nosuchword", []),
    ],
)
def test_words_identifiers_and_paths_are_found(garden: Path, query: str, uuids: list[str]) -> None:
    assert find_uuids(garden, query) == uuids


@pytest.mark.parametrize(
    ("query", "uuids"),
    [
        ('"brown heliotrope"', ["u1"]),
        ('"heliotrope brown"', []),
        ("heliotrope", ["a1", "o1", "r1", "u1"]),
        ("helio*", ["a1", "o1", "r1", "u1"]),
        ("wisteria OR foxglove", ["k1", "p1"]),
        ("heliotrope NOT green", ["o1", "r1", "u1"]),
        ("heliotrope AND sturdy", ["a1"]),
        ("heliotrope or quick", []),
        ("app.config.loader OR wisteria", ["a2", "p1"]),
        ("kebab-case-name OR foxglove", ["a2", "k1"]),
        ('"brown heliotrope" OR tests/unit', ["a2", "u1"]),
        ("resolveParentUuid NOT app.config", []),
        ("heliotrope NOT some-where.else", ["a1", "o1", "r1", "u1"]),
    ],
)
def test_phrases_prefixes_and_operators_work(garden: Path, query: str, uuids: list[str]) -> None:
    assert find_uuids(garden, query) == uuids


@pytest.mark.parametrize(
    ("query", "uuids"),
    [
        ("Größe", ["de"]),
        ("GRÖßE", ["de"]),
        ("Straße", ["de"]),
        ("straße größe", ["de"]),
        (normalize("NFD", "übergröße"), ["de"]),
        ("unverandert", ["de"]),
        ("Blütenköpfe", ["nfd"]),
        (normalize("NFD", "Jürgen"), ["nfd"]),
        ("Jurgen", ["nfd"]),
        ("東京", ["ja"]),
        ("タワー", ["ja"]),
        ("東京タワーへ行きました", ["ja"]),
        ('"東京"', ["ja"]),
        ("東京 昨日", ["ja"]),
        ("京東", []),
        ("한국어", ["ko"]),
        (normalize("NFD", "한국어"), ["ko"]),
        ("ข้าวผัด", ["th"]),
        ("กินข้าว", ["th"]),
    ],
)
def test_words_in_other_languages_are_found(garden: Path, query: str, uuids: list[str]) -> None:
    assert find_uuids(garden, query) == uuids


@pytest.mark.parametrize(
    "query",
    [
        '"heliotrope',
        "heliotrope)",
        "(heliotrope",
        "heliotrope?",
        "heliotrope:",
        "-heliotrope",
        "heliotrope,",
        "~heliotrope",
    ],
)
def test_invalid_query_is_searched_as_plain_words(garden: Path, query: str) -> None:
    assert find_uuids(garden, query) == ["a1", "o1", "r1", "u1"]


@pytest.mark.parametrize(
    "query",
    [
        *(
            "don't",
            "--force",
            "make --force",
            "$HOME/bin",
            "jane@example.com",
            "C++",
            "#123",
            "#123:",
            "foo(bar)",
            "foo(",
        ),
        *("`make --force`", "don't make", "jane@exam*", "on C++ #123: foo(bar)"),
    ],
)
def test_text_copied_from_a_terminal_is_found(garden: Path, query: str) -> None:
    assert find_uuids(garden, query) == ["sh"]


def test_encoded_data_is_not_searchable(garden: Path) -> None:
    assert find_uuids(garden, "marigold") == ["r1"]
    for start in range(0, len(BLOB) - 60, 50):
        assert find_uuids(garden, f'"{BLOB[start : start + 50]}"') == []
    assert not [hit for hit in hits(garden, f"{BLOB[:8]}*") + hits(garden, BLOB) if hit]
    assert BLOB[:20] not in hits(garden, "marigold")[0].snippet


@pytest.mark.parametrize(
    ("filters", "uuids"),
    [
        ({"project": "Garden"}, ["a1", "r1", "u1"]),
        ({"project": "-other"}, ["o1"]),
        ({"project": "nowhere"}, []),
        ({"session_id": "s2"}, ["o1"]),
        ({"session_id": "s"}, []),
        ({"type": "user"}, ["o1", "r1", "u1"]),
        ({"type": "assistant"}, ["a1"]),
        ({"type": "prompt"}, ["o1", "u1"]),
        ({"type": "result"}, ["r1"]),
        ({"type": "typed"}, ["o1", "u1"]),
        ({"tool": "Bash"}, ["r1"]),
        ({"tool": "Edit"}, []),
        ({"since": 1_772_355_602_000}, ["a1", "o1", "r1"]),
        ({"until": 1_772_355_602_000}, ["u1"]),
        ({"since": 1_772_355_602_000, "until": 1_772_355_603_000}, ["a1"]),
        ({"project": "Garden", "type": "assistant", "until": 1}, []),
        ({"limit": 4}, ["a1", "o1", "r1", "u1"]),
    ],
)
def test_filters_restrict_the_hits(garden: Path, filters: dict[str, Any], uuids: list[str]) -> None:
    assert find_uuids(garden, "heliotrope", **filters) == uuids


def test_tool_filter_matches_calls_and_results(garden: Path) -> None:
    assert find_uuids(garden, "retry OR lavender OR heliotrope OR quick", tool="Bash") == ["a2", "r1"]
    assert find_uuids(garden, "resolve* OR lavender OR heliotrope", tool="Edit") == ["a2", "r2"]


def test_hit_has_its_line_fork_and_status(garden: Path) -> None:
    positions = {hit.uuid: (hit.status, hit.line_id, hit.fork_uuid) for hit in hits(garden, "snapdragon")}
    assert positions == {
        "old": ("abandoned", "s1@old", None),
        "new": ("active", "s1@new", None),
        "c1": ("active", "s1@new", None),
        "c2": ("set-aside", None, "new"),
    }
    for status, uuids in (("active", ["c1", "new"]), ("abandoned", ["old"]), ("set-aside", ["c2"])):
        assert find_uuids(garden, "snapdragon", status=status) == uuids
    [hit] = hits(garden, "foxglove")
    assert (hit.agent_id, hit.line_id, hit.project) == ("g2", "s1#agent-g2", "-home-jane-Garden")


def test_conversation_ranks_before_tool_results(db: Path, project: Path) -> None:
    # the best match is the oldest: if the ranks were equal, it would come last
    write(
        project / "s1.jsonl",
        user("u1", 1, "one two begonia three"),
        assistant("a1", 2, text_block("one two begonia three")),
        assistant("a2", 3, tool_use("t2", "Bash", command="one two begonia three")),
        user("r1", 4, tool_result("t1", "one two begonia three")),
        line("y1", type="system", content="one two begonia three", message=None, timestamp=at(5)),
        *(user(f"x{n}", 9, "something else here now") for n in range(9)),
    )
    index(db, project)
    ranked = hits(db, "begonia")
    assert [hit.uuid for hit in ranked][:2] == ["u1", "a1"]
    assert {hit.uuid for hit in ranked[-2:]} == {"r1", "y1"}
    assert [hit.rank for hit in ranked] == sorted(hit.rank for hit in ranked)
    assert [hit.uuid for hit in hits(db, "begonia", limit=1)] == ["u1"]


@pytest.mark.parametrize(
    ("query", "snippet"),
    [
        ("heliotrope", "the quick brown «heliotrope» jumps over"),
        ("quick heliotrope", "the «quick» brown «heliotrope» jumps over"),
        ('"quick brown"', "the «quick brown» heliotrope jumps over"),
        ("brow*", "the quick «brown» heliotrope jumps over"),
        ("größe", "Die «Größe» der Straße ist unverändert, mit Übergröße"),
        ("東京", "昨日は«東京»タワーへ行きました"),
        ("wisteria", "«wisteria» grows slowly"),
    ],
)
def test_snippet_marks_the_match(garden: Path, query: str, snippet: str) -> None:
    assert snippet in [hit.snippet for hit in hits(garden, query)]


def test_snippet_of_a_long_text_is_short(db: Path, project: Path) -> None:
    long = " ".join(["before"] * 500 + ["begonia"] + ["after"] * 500)
    write(project / "s1.jsonl", user("u1", 1, long))
    index(db, project)
    [hit] = hits(db, "begonia")
    assert "before «begonia» after" in hit.snippet
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")
    assert len(hit.snippet) < 200


def test_new_line_is_found_after_the_next_run(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", user("u1", 1, "begonia"))
    index(db, project)
    append(path, user("u2", 2, "begonia again", parent="u1") + "\n")
    assert find_uuids(db, "begonia") == ["u1"]
    index(db, project)
    assert find_uuids(db, "begonia") == ["u1", "u2"]


def test_old_text_of_a_rewritten_source_is_not_found(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", user("u1", 1, "begonia"), user("u2", 2, "stays", parent="u1"))
    index(db, project)
    write(path, user("u1", 1, "camellia"), user("u2", 2, "stays", parent="u1"))
    index(db, project)
    for _ in range(2):
        assert (find_uuids(db, "begonia"), find_uuids(db, "camellia"), find_uuids(db, "stays")) == ([], ["u1"], ["u2"])
        assert broken(db) == {}
        rebuild(db)


def test_entry_is_found_only_by_the_text_of_its_owner(db: Path, project: Path) -> None:
    write(project / "b.jsonl", user("u1", 9, "begonia", sessionId="b"))
    index(db, project)
    write(project / "a.jsonl", user("u1", 1, "camellia", sessionId="a"))
    index(db, project)
    assert (find_uuids(db, "begonia"), find_uuids(db, "camellia")) == ([], ["u1"])
    [hit] = hits(db, "camellia")
    assert (hit.session_id, hit.timestamp, hit.snippet) == ("a", at(1), "«camellia»")


def _words(start: int, end: int) -> str:
    return " ".join(f"w{number}é" for number in range(start, end))


def test_long_text_is_divided_among_several_rows(db: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 1, f"begonia {_words(0, 100)}"),
        assistant("a1", 2, text_block(_words(100, 200)), tool_use("t1", "Bash", command=_words(200, 300)), parent="u1"),
        user("u2", 3, "漢字" * 50, parent="a1"),
        queue_operation("enqueue", 4, f"begonia {_words(300, 400)}"),
        queue_operation("remove", 5, f"begonia {_words(300, 400)}"),
    )
    index(db, project)
    whole = _terms(db)
    assert max(_row_counts(db).values()) == 1
    db.unlink()
    monkeypatch.setattr("ccindex.store.create.MAX_PIECE_CHARS", 50)
    index(db, project)
    assert min(_row_counts(db).values()) > 5
    assert _terms(db) == whole  # no word was split
    assert broken(db) == {}
    assert find_uuids(db, "begonia") == ["", "u1"]
    for uuid, numbers in (("u1", range(100)), ("a1", range(100, 300)), ("", range(300, 400))):
        for number in numbers:
            [hit] = hits(db, f"w{number}é")
            assert (hit.uuid or "", f"«w{number}é»" in hit.snippet) == (uuid, True)
    [hit] = hits(db, "w99é OR w1é")
    assert hit.snippet.startswith("begonia w0é «w1é»")  # from the first piece that matches


def test_divided_text_can_be_removed(db: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ccindex.store.create.MAX_PIECE_CHARS", 50)
    long_text = f"begonia {_words(0, 100)}"
    queued = (queue_operation("enqueue", 4, long_text), queue_operation("remove", 5, long_text))
    path = write(project / "s1.jsonl", user("u1", 1, long_text), *queued)
    index(db, project)
    assert find_uuids(db, "w99é") == ["", "u1"]
    write(path, user("u1", 1, "camellia"), *queued, user("u2", 6, long_text))
    index(db, project)
    assert broken(db) == {}
    assert find_uuids(db, "w99é") == ["u2"]
    assert {count for _, count in _terms(db)} == {1}


def _row_counts(db: Path) -> dict[int, int]:
    rows = ask(db, "select id % (1 << 40), count(*) from entries_fts_docsize group by 1")
    return dict(rows)


def _terms(db: Path) -> list[tuple[str, int]]:
    """Return how often each term occurs in the full-text index."""
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("create virtual table temp.vocabulary using fts5vocab(main, entries_fts, row)")
        return connection.execute("select term, cnt from temp.vocabulary order by term").fetchall()
