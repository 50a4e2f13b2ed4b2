"""Folders to the transcripts below them, with the role of each file and Claude Code's retention setting."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import NamedTuple

import orjson

from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.sources import FileRole, FileState, FoundFile, PathInfo


def home_folder() -> Path | None:
    """Return the user's own folder; None: HOME is not set, and the system does not know who this is."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def default_places(environ: Mapping[str, str], home: Path | None) -> tuple[Path, ...]:
    """Return the projects folders, whether they exist or not; CLAUDE_CONFIG_DIR may list several."""
    named = [part.strip() for part in environ.get("CLAUDE_CONFIG_DIR", "").split(",")]
    roots = [
        *([home / ".claude"] if home else []),
        *(Path(os.path.expanduser(part)) for part in named if part),
        *([home / ".config" / "claude"] if home else []),
    ]
    return tuple(dict.fromkeys(root / "projects" for root in roots))


# How many folders above a file may tell what it is; those further up are where the user keeps it all.
_NEAR = 4


def classify(path: str) -> PathInfo | None:
    """Return what the file is, or None for one to be left alone."""
    pure = PurePath(path)
    name, folders = pure.name, pure.parts[:-1]
    if "tool-results" in folders[-_NEAR:]:
        return _place(FileRole.TOOL_RESULT, folders, name, marker="tool-results")
    if name.endswith(".jsonl"):
        return _transcript(folders, name)
    if name.startswith("agent-") and name.endswith(".meta.json"):
        agent = name.removeprefix("agent-").removesuffix(".meta.json")
        return replace(_place(FileRole.SIDECAR, folders, name), agent_id=agent or None)
    if name.endswith(".json") and folders[-1:] == ("workflows",):
        marker = "subagents" if folders[-2:-1] == ("subagents",) else "workflows"
        return replace(_place(FileRole.RUN, folders, name, marker=marker), workflow_run=name.removesuffix(".json"))
    return None


def _transcript(folders: tuple[str, ...], name: str) -> PathInfo:
    stem = name.removesuffix(".jsonl")
    if stem.startswith("agent-"):
        return replace(_place(FileRole.AGENT, folders, name), agent_id=stem.removeprefix("agent-") or None)
    place = _place(FileRole.SESSION, folders, name)
    return place if place.workflow_run is None else replace(place, role=FileRole.JOURNAL)


def _place(role: FileRole, folders: tuple[str, ...], name: str, *, marker: str = "subagents") -> PathInfo:
    """Tell session and project by the folder `<project>/<session>/<marker>` that a file lies in, if it does."""
    at = len(folders) - 1 - folders[::-1].index(marker) if marker in folders[-_NEAR:] else 0
    is_inside = at >= 2  # not in the root
    return PathInfo(
        role=role,
        project=folders[at - 2] if is_inside else folders[-1],
        session_hint=folders[at - 1] if is_inside else None,
        workflow_run=folders[-1] if folders[-3:-1] == ("subagents", "workflows") else None,
        stem=name.rpartition(".")[0] or name,
    )


_WORD = 2**63 - 1


@dataclass(slots=True)
class Survey:
    """What discovery came upon besides the files: filled while `files` is consumed."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    covered: list[str] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)


def files(places: Iterable[Path], survey: Survey) -> Iterator[FoundFile]:
    """Give every file to index below `places`, each once, links resolved, folder by folder in order of name."""
    seen_folders: set[tuple[int, int]] = set()
    seen_files: set[str] = set()
    for place in places:
        todo = _start(os.path.realpath(place), seen_folders, survey)
        while todo:
            here = todo.pop()
            for path, status in _entries(here, survey):
                is_linked = os.path.dirname(path) != here
                if stat.S_ISDIR(status.st_mode):
                    key = (status.st_dev, status.st_ino)
                    if is_linked and _is_above(path, here):
                        survey.diagnostics.append(_told(Code.SYMLINK_LOOP, here, f"a link to {printable(path)}"))
                    elif key not in seen_folders:
                        seen_folders.add(key)
                        todo.append(path)
                        survey.covered.extend([printable(path)] if is_linked else [])
                elif path not in seen_files:
                    # by both names: one with odd bytes may look like another that has their escape
                    yield from _file(path, status, survey, seen_files)


def _start(real: str, seen_folders: set[tuple[int, int]], survey: Survey) -> list[str]:
    survey.covered.append(printable(real))
    try:
        status = os.stat(real)
    except FileNotFoundError:
        return []
    except OSError as error:
        _note_unreadable(real, error, survey)
        return []
    seen_folders.add((status.st_dev, status.st_ino))
    return [real]


def _entries(here: str, survey: Survey) -> list[tuple[str, os.stat_result]]:
    """Give what a folder holds, or the file itself; links are resolved, so one file has one path."""
    try:
        with os.scandir(here) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except NotADirectoryError:
        return [(here, os.stat(here))]
    except FileNotFoundError:
        return []
    except OSError as error:
        _note_unreadable(here, error, survey)
        return []
    listed = []
    for entry in found:
        path = entry.path
        try:
            if entry.is_symlink():
                path = os.path.realpath(path, strict=True)
                survey.linked.append(printable(path))
            listed.append((path, entry.stat()))
        except FileNotFoundError:
            # gone since the folder was listed, or a link to nowhere
            continue
        except OSError as error:
            _note_unreadable(path, error, survey)
        else:
            if path.endswith(".jsonl") and not stat.S_ISREG(listed[-1][1].st_mode):
                survey.diagnostics.append(_told(Code.NOT_A_FILE, path, _what(listed[-1][1].st_mode)))
    return listed


def _file(path: str, status: os.stat_result, survey: Survey, seen_files: set[str]) -> Iterator[FoundFile]:
    shown = printable(path)
    place = classify(shown)
    if place is None or not stat.S_ISREG(status.st_mode):
        return
    is_double = shown in seen_files
    if shown != path:
        told = "left out: another file has this name" if is_double else None
        survey.diagnostics.append(_told(Code.ODD_NAME, path, told))
    seen_files.update((path, shown))
    if is_double:
        return
    yield FoundFile(path=shown, real=path, info=place, state=state_of(status))


def state_of(status: os.stat_result) -> FileState:
    """What to compare a file's next state with; some numbers of some file systems exceed SQLite's integers."""
    mtime_ns = max(-_WORD, min(_WORD, status.st_mtime_ns))
    return FileState(status.st_dev & _WORD, status.st_ino & _WORD, status.st_size, mtime_ns)


def printable(path: str) -> str:
    """A path that SQLite can hold: bytes that are no UTF-8 stand as their escape."""
    if path.isascii():
        return path
    return path.encode("utf-8", "backslashreplace").decode()


def _note_unreadable(path: str, error: OSError, survey: Survey) -> None:
    if error.errno == errno.ELOOP:
        survey.diagnostics.append(_told(Code.SYMLINK_LOOP, path, None))
        return
    survey.unreadable.append(printable(path))
    survey.diagnostics.append(_told(Code.UNREADABLE, path, error.strerror or str(error)))


def _told(code: Code, path: str, detail: str | None) -> Diagnostic:
    return Diagnostic(code, detail, path=printable(path))


def _is_above(path: str, here: str) -> bool:
    return here == path or here.startswith(path.rstrip(os.sep) + os.sep)


def _what(mode: int) -> str:
    return "a folder" if stat.S_ISDIR(mode) else "no regular file"


DEFAULT_DAYS = 30


class Retention(NamedTuple):
    """After how many days transcripts are deleted; `source` is the file that says so, None: nobody does."""

    days: int
    source: Path | None
    problem: str | None = None


def retention_of(projects: Iterable[Path]) -> Retention:
    """Read the settings beside each projects folder; of several the one that deletes first counts."""
    found = [_said_by(folder.parent / "settings.json", is_used=folder.is_dir()) for folder in projects]
    known = [retention for retention in found if retention is not None]
    return min(known, key=lambda retention: retention.days, default=Retention(DEFAULT_DAYS, None))


def _said_by(path: Path, *, is_used: bool) -> Retention | None:
    silent = Retention(DEFAULT_DAYS, None) if is_used else None
    try:
        settings = orjson.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return silent
    except OSError as error:
        return Retention(DEFAULT_DAYS, path, error.strerror)
    except ValueError:
        return Retention(DEFAULT_DAYS, path, "it is no JSON")
    days = settings.get("cleanupPeriodDays") if isinstance(settings, dict) else None
    if not isinstance(days, int) or isinstance(days, bool) or days < 0:
        return silent
    return Retention(days, path)
