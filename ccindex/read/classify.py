"""A path alone to the role of the file there: what ccindex indexes, and as what."""

from dataclasses import replace
from pathlib import PurePath

from ccindex.model.sources import Place, Role

# How many folders above a file may tell what it is; those further up are where the user keeps it all.
_NEAR = 4


def classify(path: str) -> Place | None:
    """Return what the file is, or None for one to be left alone."""
    pure = PurePath(path)
    name, folders = pure.name, pure.parts[:-1]
    if "tool-results" in folders[-_NEAR:]:
        return _place(Role.TOOL_RESULT, folders, name, marker="tool-results")
    if name.endswith(".jsonl"):
        return _transcript(folders, name)
    if name.startswith("agent-") and name.endswith(".meta.json"):
        agent = name.removeprefix("agent-").removesuffix(".meta.json")
        return replace(_place(Role.SIDECAR, folders, name), agent_id=agent or None)
    if name.endswith(".json") and folders[-1:] == ("workflows",):
        marker = "subagents" if folders[-2:-1] == ("subagents",) else "workflows"
        return replace(_place(Role.RUN, folders, name, marker=marker), workflow_run=name.removesuffix(".json"))
    return None


def _transcript(folders: tuple[str, ...], name: str) -> Place:
    stem = name.removesuffix(".jsonl")
    if stem.startswith("agent-"):
        return replace(_place(Role.AGENT, folders, name), agent_id=stem.removeprefix("agent-") or None)
    place = _place(Role.SESSION, folders, name)
    return place if place.workflow_run is None else replace(place, role=Role.JOURNAL)


def _place(role: Role, folders: tuple[str, ...], name: str, *, marker: str = "subagents") -> Place:
    """Tell session and project by the folder `<project>/<session>/<marker>` that a file lies in, if it does."""
    at = len(folders) - 1 - folders[::-1].index(marker) if marker in folders[-_NEAR:] else 0
    is_inside = at >= 2  # not in the root
    return Place(
        role=role,
        project=folders[at - 2] if is_inside else folders[-1],
        session_hint=folders[at - 1] if is_inside else None,
        workflow_run=folders[-1] if folders[-3:-1] == ("subagents", "workflows") else None,
        stem=name.rpartition(".")[0] or name,
    )
