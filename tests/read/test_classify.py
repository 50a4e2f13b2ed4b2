import pytest

from ccindex.model.sources import Place, Role
from ccindex.read.discovery import classify

P = "/home/you/.claude/projects/-w"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (f"{P}/s1.jsonl", Place(Role.SESSION, "-w", stem="s1")),
        (f"{P}/agent-a1.jsonl", Place(Role.AGENT, "-w", agent_id="a1", stem="agent-a1")),
        (
            f"{P}/s1/subagents/agent-a1.jsonl",
            Place(Role.AGENT, "-w", session_hint="s1", agent_id="a1", stem="agent-a1"),
        ),
        (
            f"{P}/s1/subagents/agent-a1.meta.json",
            Place(Role.SIDECAR, "-w", session_hint="s1", agent_id="a1", stem="agent-a1.meta"),
        ),
        (
            f"{P}/s1/subagents/workflows/wf1/agent-a1.jsonl",
            Place(Role.AGENT, "-w", session_hint="s1", agent_id="a1", workflow_run="wf1", stem="agent-a1"),
        ),
        (
            f"{P}/s1/subagents/workflows/wf1/journal.jsonl",
            Place(Role.JOURNAL, "-w", session_hint="s1", workflow_run="wf1", stem="journal"),
        ),
        (f"{P}/s1/workflows/wf1.json", Place(Role.RUN, "-w", session_hint="s1", workflow_run="wf1", stem="wf1")),
        (f"{P}/s1/tool-results/b7.txt", Place(Role.TOOL_RESULT, "-w", session_hint="s1", stem="b7")),
        (f"{P}/s1/tool-results/rows.jsonl", Place(Role.TOOL_RESULT, "-w", session_hint="s1", stem="rows")),
        ("/o/subagents/a/b/c/d/projects/-q/s1.jsonl", Place(Role.SESSION, "-q", stem="s1")),
        ("/o/tool-results/a/b/c/-q/s1.jsonl", Place(Role.SESSION, "-q", stem="s1")),
        (
            f"{P}/s1/subagents/workflows/wf1.json",
            Place(Role.RUN, "-w", session_hint="s1", workflow_run="wf1", stem="wf1"),
        ),
        ("/s1.jsonl", Place(Role.SESSION, "/", stem="s1")),
    ],
)
def test_a_path_tells_what_a_file_is(path: str, place: Place) -> None:
    assert classify(path) == place


@pytest.mark.parametrize(
    "path",
    [f"{P}/notes.txt", f"{P}/sessions-index.json", f"{P}/memory/MEMORY.md", f"{P}/s1.jsonl.gz", f"{P}/s1/x.meta.json"],
)
def test_anything_else_is_left_alone(path: str) -> None:
    assert classify(path) is None
