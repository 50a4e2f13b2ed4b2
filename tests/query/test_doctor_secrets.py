"""`doctor --secrets` searches every archived byte, and reports the location of a secret but never the secret."""

import json
from dataclasses import astuple
from pathlib import Path

import pytest

from ccindex.query import doctor as module
from ccindex.query.doctor import scan_archive, split_lines
from ccindex.store.connection import reading
from tests.making.commands import ccindex, run_json
from tests.making.files import append, write
from tests.making.indexes import index
from tests.making.transcripts import agent_file, line, record, user

RANDOM = "a1B2c3D4e5F6g7H8j9K0" * 3
TOKEN = "ghp_" + RANDOM[:36]
KEY = "sk-ant-" + RANDOM


def find_all(db: Path) -> list[tuple[object, ...]]:
    """Return kind, count, session, uuid, file name and line number of every finding."""
    with reading(db) as connection:
        rows = [astuple(leak) for leak in scan_archive(connection)]
    return [(*row[:4], Path(row[4]).name, row[5]) for row in rows]


def test_every_kind_of_file_and_line_is_searched(db: Path, project: Path) -> None:
    lines = [user("u1", 1, "nothing"), user("u2", 2, f"{TOKEN} and {KEY} and {TOKEN}"), f"broken {TOKEN}"]
    path = write(project / "s1.jsonl", *lines, record(type="custom-title", customTitle=KEY))
    append(path, line("u3", gitBranch=TOKEN))
    agent_file(project, "k", user("g1", 3, KEY, isSidechain=True, agentId="k"), sidecar={"description": TOKEN})
    write(project / "s1" / "tool-results" / "big.txt", "one", f"two {KEY}")
    index(db, project)
    assert find_all(db) == [
        ("anthropic-key", 1, "s1", "u2", "s1.jsonl", 2),
        ("github-token", 2, "s1", "u2", "s1.jsonl", 2),
        ("github-token", 1, "s1", None, "s1.jsonl", 3),
        ("anthropic-key", 1, "s1", None, "s1.jsonl", 4),
        ("github-token", 1, "s1", "u3", "s1.jsonl", 5),
        ("anthropic-key", 1, "s1", "g1", "agent-k.jsonl", 1),
        ("github-token", 1, "s1", None, "agent-k.meta.json", 1),
        ("anthropic-key", 1, "s1", None, "big.txt", 2),
    ]


def test_earlier_generations_are_searched_and_unchanged_lines_are_reported_once(db: Path, project: Path) -> None:
    path = write(project / "s1.jsonl", user("u1", 1, KEY), user("u2", 2, TOKEN))
    index(db, project)
    write(path, user("u1", 1, KEY), user("u4", 2, "nothing at all"))
    index(db, project)
    assert find_all(db) == [
        ("anthropic-key", 1, "s1", "u1", "s1.jsonl", 1),
        ("github-token", 1, "s1", "u2", "s1.jsonl", 2),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"line\n{TOKEN}", "github-token"),
        (f'export KEY="{TOKEN}"', "github-token"),
        (json.dumps({"env": f"a\n{TOKEN}"}), "github-token"),
        (f'password = "{RANDOM[:12]}"', "assigned"),
        (json.dumps({"password": RANDOM[:12]}), "assigned"),
        (f"-----BEGIN RSA PRIVATE KEY-----\n{RANDOM}\n{RANDOM}\n-----END RSA PRIVATE KEY-----", "private-key"),
        (json.dumps(f"-----BEGIN PRIVATE KEY-----\n{RANDOM}\n-----END PRIVATE KEY-----\n"), "private-key"),
        (f"https://bob:{RANDOM[:12]}@host/x", "url-password"),
    ],
)
def test_json_escapes_do_not_hide_secrets(db: Path, project: Path, text: str, kind: str) -> None:
    plain = user("u1", 1, text)
    slashed = user("u2", 2, text).replace("/", "\\/").replace("-", "\\u002d").replace("=", "\\u003D")
    write(project / "s1.jsonl", plain, slashed.replace("2026\\u002d03\\u002d01", "2026-03-01"))
    index(db, project)
    assert [row[:4] for row in find_all(db)] == [(kind, 1, "s1", "u1"), (kind, 1, "s1", "u2")]


@pytest.mark.parametrize("size", [1, 2, 7, 40, 1000])
def test_splitting_into_lines_does_not_depend_on_block_boundaries(size: int) -> None:
    data = f"one\n\n{TOKEN} {KEY}\nlast".encode()
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    assert list(split_lines(blocks)) == list(split_lines([data]))
    assert [(part.number, part.offset) for part in split_lines([data])] == [
        (1, 0),
        (2, 4),
        (3, 5),
        (4, data.index(b"last")),
    ]


def test_very_long_line_is_split_between_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_LINE_BYTES", 200)
    data = (" ".join([KEY] * 50) + f"\n{TOKEN}").encode()
    parts = list(split_lines([data[at : at + 64] for at in range(0, len(data), 64)]))
    assert max(len(part.data) for part in parts) <= 200 + 64
    assert b"".join(part.data for part in parts if part.number == 1) == data.partition(b"\n")[0]
    assert sum(part.data.count(KEY.encode()) for part in parts) == 50
    assert parts[-1] == (2, data.index(b"\n") + 1, TOKEN.encode())


def test_doctor_reports_kinds_and_locations_but_never_the_secret(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 1, KEY), user("u2", 2, TOKEN))
    write(project / "s2.jsonl", user("u3", 3, TOKEN, sessionId="s2"))
    index(db, project)
    process = ccindex("doctor", "--secrets", "--db", db)
    assert process.returncode == 0
    assert RANDOM[:8] not in process.stdout
    output = process.stdout.splitlines()
    assert "ok   secrets          3 secrets of 2 kinds in 2 sessions" in output
    start = output.index("session s1: 2 secrets")
    assert output[start:] == [
        "session s1: 2 secrets",
        f"     1 anthropic-key       {project}/s1.jsonl:1  entry u1",
        f"     1 github-token        {project}/s1.jsonl:2  entry u2",
        "→ to remove this session: ccindex forget --session s1",
        "",
        "session s2: 1 secret",
        f"     1 github-token        {project}/s2.jsonl:1  entry u3",
        "→ to remove this session: ccindex forget --session s2",
    ]
    document = run_json("doctor", "--secrets", "--db", db)
    assert document["ok"] is True
    assert RANDOM[:8] not in json.dumps(document)
    assert document["secrets"][0] == {
        "kind": "anthropic-key",
        "count": 1,
        "session_id": "s1",
        "uuid": "u1",
        "source_path": f"{project}/s1.jsonl",
        "line_no": 1,
    }


def test_doctor_searches_for_secrets_only_on_request(db: Path, project: Path) -> None:
    write(project / "s1.jsonl", user("u1", 1, KEY))
    index(db, project)
    document = run_json("doctor", "--db", db)
    assert "secrets" not in document
    assert "secrets" not in [check["name"] for check in document["checks"]]
