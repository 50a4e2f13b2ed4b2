"""ccindex and the reference implementation agree on values and paths that no generated transcript contains."""

from pathlib import Path
from typing import Any

import pytest

from tests.making.files import write
from tests.making.graph_outcome import details, outcome, plain
from tests.making.indexes import ask, index
from tests.making.transcripts import assistant, line, text_block, user
from tests.reference.expected_graph import expected

SUMMARY = {"isCompactSummary": True}
FILES: dict[str, dict[str, list[str]]] = {
    "folders further up can have any name": {
        "tool-results/a/b/c/d/s1.jsonl": [user("u1", 0, "go")],
        "s9/subagents/a/b/c/d/agent-k.jsonl": [line("u2", second=1, sessionId=None, agentId="k", isSidechain=True)],
    },
    "text that is not an object ends the line": {
        "s1.jsonl": [user("u1", 0, "go"), "[1] " + user("u2", 1, "lost", parentUuid="u1")],
    },
    "the number 1 sets a flag": {
        "s1.jsonl": [user("u1", 0, "go"), line("u2", parent="u1", second=1, isMeta=1.0)],
    },
    "tags of an editor have no attributes": {
        "s1.jsonl": [
            user("u1", 0, "<ide_selection>a</ide_selection>"),
            user("u2", 1, '<ide_selection name="a">a</ide_selection>', parentUuid="u1"),
        ],
    },
    "content outside the message": {
        "s1.jsonl": [
            line("u1", message=None, content="<command-name>/clear</command-name>"),
            line("u2", parent="u1", second=1, message=None, content="<system-reminder>later</system-reminder>"),
            line("u3", parent="u2", second=2, message=None, content="go"),
            line("u4", parent="u3", second=3, message=None, content=[text_block("<system-reminder>later")]),
            line("u5", parent="u4", second=4, message={"content": ["x"]}, content="<system-reminder>later"),
        ],
    },
    "forkedFrom without a session or without an entry": {
        "s1.jsonl": [user("u1", 0, "go"), assistant("u2", 1, text_block("yes"), parent="u1")],
        "s2.jsonl": [user("u3", 2, "on", sessionId="s2", forkedFrom={"messageUuid": "u1"})],
        "s3.jsonl": [user("u4", 3, "on", sessionId="s3", forkedFrom={"sessionId": "s1"})],
        "s4.jsonl": [user("u5", 4, "on", sessionId="s4", forkedFrom={"sessionId": "s1", "messageUuid": "lost"})],
    },
    "summaries that are not prompts": {
        "s1.jsonl": [
            line("u1", type="system", message=None, **SUMMARY),
            assistant("u2", 1, text_block("yes"), **SUMMARY),
            line("u3", second=2, **SUMMARY),
        ],
    },
}


@pytest.mark.parametrize("files", FILES.values(), ids=FILES)
def test_index_and_reference_agree(files: dict[str, list[str]], project: Path, db: Path) -> None:
    for name, lines in files.items():
        write(project / name, *lines)
    index(db, project)
    found: dict[str, Any] = {**outcome(db), **details(db)}
    reference = expected(project)
    assert {key: plain(value) for key, value in found.items()} == {key: plain(reference[key]) for key in found}
    assert ask(db, "select count(*) from v1_entries") == [(len(found["kinds"]),)]
