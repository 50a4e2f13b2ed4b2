import pytest

from ccindex.model.sources import FileRole, PathInfo
from ccindex.read.discovery import classify

P = "/home/you/.claude/projects/-w"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (f"{P}/s1.jsonl", PathInfo(FileRole.SESSION, "-w", stem="s1")),
        (f"{P}/agent-a1.jsonl", PathInfo(FileRole.AGENT, "-w", agent_id="a1", stem="agent-a1")),
        (
            f"{P}/s1/subagents/agent-a1.jsonl",
            PathInfo(FileRole.AGENT, "-w", session_hint="s1", agent_id="a1", stem="agent-a1"),
        ),
        (
            f"{P}/s1/subagents/agent-a1.meta.json",
            PathInfo(FileRole.SIDECAR, "-w", session_hint="s1", agent_id="a1", stem="agent-a1.meta"),
        ),
        (
            f"{P}/s1/subagents/workflows/wf1/agent-a1.jsonl",
            PathInfo(FileRole.AGENT, "-w", session_hint="s1", agent_id="a1", workflow_run="wf1", stem="agent-a1"),
        ),
        (
            f"{P}/s1/subagents/workflows/wf1/journal.jsonl",
            PathInfo(FileRole.JOURNAL, "-w", session_hint="s1", workflow_run="wf1", stem="journal"),
        ),
        (f"{P}/s1/workflows/wf1.json", PathInfo(FileRole.RUN, "-w", session_hint="s1", workflow_run="wf1", stem="wf1")),
        (f"{P}/s1/tool-results/b7.txt", PathInfo(FileRole.TOOL_RESULT, "-w", session_hint="s1", stem="b7")),
        (f"{P}/s1/tool-results/rows.jsonl", PathInfo(FileRole.TOOL_RESULT, "-w", session_hint="s1", stem="rows")),
        ("/o/subagents/a/b/c/d/projects/-q/s1.jsonl", PathInfo(FileRole.SESSION, "-q", stem="s1")),
        ("/o/tool-results/a/b/c/-q/s1.jsonl", PathInfo(FileRole.SESSION, "-q", stem="s1")),
        (
            f"{P}/s1/subagents/workflows/wf1.json",
            PathInfo(FileRole.RUN, "-w", session_hint="s1", workflow_run="wf1", stem="wf1"),
        ),
        ("/s1.jsonl", PathInfo(FileRole.SESSION, "/", stem="s1")),
    ],
)
def test_a_path_tells_what_a_file_is(path: str, place: PathInfo) -> None:
    assert classify(path) == place


@pytest.mark.parametrize(
    "path",
    [f"{P}/notes.txt", f"{P}/sessions-index.json", f"{P}/memory/MEMORY.md", f"{P}/s1.jsonl.gz", f"{P}/s1/x.meta.json"],
)
def test_anything_else_is_left_alone(path: str) -> None:
    assert classify(path) is None
