"""A path alone to the role of the file there: what ccindex indexes, and as what."""

from pathlib import PurePath

from ccindex.model.sources import Place, Role


def classify(path: str) -> Place | None:
    """Return what the file is, or None for one to be left alone."""
    pure = PurePath(path)
    name, folders = pure.name, pure.parts[:-1]
    if "tool-results" in folders:
        return _inside(folders, "tool-results", Role.TOOL_RESULT, name)
    if name.endswith(".jsonl"):
        return _transcript(folders, name)
    if name.startswith("agent-") and name.endswith(".meta.json"):
        agent = name.removeprefix("agent-").removesuffix(".meta.json")
        return _agent(folders, name, Role.SIDECAR, agent)
    if name.endswith(".json") and folders[-1:] == ("workflows",):
        return _inside(folders, "workflows", Role.RUN, name, workflow_run=name.removesuffix(".json"))
    return None


def _transcript(folders: tuple[str, ...], name: str) -> Place:
    stem = name.removesuffix(".jsonl")
    if stem.startswith("agent-"):
        return _agent(folders, name, Role.AGENT, stem.removeprefix("agent-"))
    run = _workflow_run(folders)
    if run is not None:
        return _inside(folders, "subagents", Role.JOURNAL, name, workflow_run=run)
    return _inside(folders, "subagents", Role.SESSION, name)


def _agent(folders: tuple[str, ...], name: str, role: Role, agent: str) -> Place:
    run = _workflow_run(folders)
    return _inside(folders, "subagents", role, name, agent_id=agent or None, workflow_run=run)


def _workflow_run(folders: tuple[str, ...]) -> str | None:
    """Return the run of …/subagents/workflows/<runId>/ that a file lies in."""
    return folders[-1] if folders[-3:-1] == ("subagents", "workflows") else None


def _inside(
    folders: tuple[str, ...],
    marker: str,
    role: Role,
    name: str,
    *,
    agent_id: str | None = None,
    workflow_run: str | None = None,
) -> Place:
    """Tell the session and project of a file by the folder `<project>/<session>/<marker>` it lies in."""
    at = len(folders) - 1 - folders[::-1].index(marker) if marker in folders else 0
    session = folders[at - 1] if at >= 2 else None
    project = folders[at - 2] if at >= 3 else folders[-1] if at < 2 and folders else ""
    return Place(
        role=role,
        project=project,
        session_hint=session,
        agent_id=agent_id,
        workflow_run=workflow_run,
        stem=name.rpartition(".")[0] or name,
    )
