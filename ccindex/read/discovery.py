"""Find the files to index, determine their roles, and read Claude Code's retention setting."""

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
    """Return the user's home folder, or None if it cannot be determined."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def default_folders(environ: Mapping[str, str], home: Path | None) -> tuple[Path, ...]:
    """Return the default `projects` folders and those in CLAUDE_CONFIG_DIR, whether or not they exist."""
    configured = [part.strip() for part in environ.get("CLAUDE_CONFIG_DIR", "").split(",")]
    roots = [
        *([home / ".claude"] if home else []),
        *(Path(os.path.expanduser(part)) for part in configured if part),
        *([home / ".config" / "claude"] if home else []),
    ]
    return tuple(dict.fromkeys(root / "projects" for root in roots))


# The number of parent folders that determine a file's role. Folders further up can have any name.
_ROLE_DEPTH = 4


def classify(path: str) -> PathInfo | None:
    """Determine a file's role and location from its path. Return None if the file is not to be indexed.

    (rule: transcript_file)
    """
    pure = PurePath(path)
    name, folders = pure.name, pure.parts[:-1]
    if "tool-results" in folders[-_ROLE_DEPTH:]:
        return _path_info(FileRole.TOOL_RESULT, folders, name, marker="tool-results")
    if name.endswith(".jsonl"):
        info = _path_info(FileRole.SESSION, folders, name)
        if name.startswith("agent-"):
            return replace(info, role=FileRole.AGENT, agent_id=info.stem.removeprefix("agent-") or None)
        return info if info.workflow_run is None else replace(info, role=FileRole.JOURNAL)
    if name.startswith("agent-") and name.endswith(".meta.json"):
        agent = name.removeprefix("agent-").removesuffix(".meta.json")
        return replace(_path_info(FileRole.SIDECAR, folders, name), agent_id=agent or None)
    if name.endswith(".json") and folders[-1:] == ("workflows",):
        marker = "subagents" if folders[-2:-1] == ("subagents",) else "workflows"
        return replace(_path_info(FileRole.RUN, folders, name, marker=marker), workflow_run=name.removesuffix(".json"))
    return None


def _path_info(role: FileRole, folders: tuple[str, ...], name: str, *, marker: str = "subagents") -> PathInfo:
    """Return facts about a path. A file under `<project>/<session>/<marker>` belongs to that project and session."""
    marker_index = len(folders) - 1 - folders[::-1].index(marker) if marker in folders[-_ROLE_DEPTH:] else 0
    is_inside = marker_index >= 2  # there are two folders above the marker
    return PathInfo(
        role=role,
        project=folders[marker_index - 2] if is_inside else folders[-1],
        session_hint=folders[marker_index - 1] if is_inside else None,
        workflow_run=folders[-1] if folders[-3:-1] == ("subagents", "workflows") else None,
        stem=name.rpartition(".")[0] or name,
    )


_MAX_INTEGER = 2**63 - 1


@dataclass(slots=True)
class Survey:
    """Diagnostics and paths that `find_files` collects while the caller iterates over the files."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)  # files and folders
    covered: list[str] = field(
        default_factory=list
    )  # the folders searched, and the folders that links in them point to
    linked: list[str] = field(default_factory=list)  # the targets of all links


def find_files(folders: Iterable[Path], survey: Survey) -> Iterator[FoundFile]:
    """Yield every file to index under `folders` once, with links resolved, sorted by name within each folder."""
    seen_folders: set[tuple[int, int]] = set()
    seen_files: set[str] = set()
    for start in folders:
        todo = _start_folder(os.path.realpath(start), seen_folders, survey)
        while todo:
            folder = todo.pop()
            for path, status in _list_folder(folder, survey):
                is_linked = os.path.dirname(path) != folder
                if stat.S_ISDIR(status.st_mode):
                    key = (status.st_dev, status.st_ino)
                    if is_linked and _is_above(path, folder):
                        survey.diagnostics.append(
                            _diagnostic(Code.SYMLINK_LOOP, folder, f"a link to {printable(path)}")
                        )
                    elif key not in seen_folders:
                        seen_folders.add(key)
                        todo.append(path)
                        survey.covered.extend([printable(path)] if is_linked else [])
                elif path not in seen_files:
                    # `_found_file` also checks the escaped path, because another file may have that path
                    yield from _found_file(path, status, survey, seen_files)


def _start_folder(real: str, seen_folders: set[tuple[int, int]], survey: Survey) -> list[str]:
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


def _list_folder(folder: str, survey: Survey) -> list[tuple[str, os.stat_result]]:
    """List a folder, or return the path itself if it is a file. Links are resolved, so that every file has one path."""
    try:
        with os.scandir(folder) as entries:
            contents = sorted(entries, key=lambda entry: entry.name)
    except NotADirectoryError:
        return [(folder, os.stat(folder))]
    except FileNotFoundError:
        return []
    except OSError as error:
        _note_unreadable(folder, error, survey)
        return []
    listed = []
    for entry in contents:
        path = entry.path
        try:
            if entry.is_symlink():
                path = os.path.realpath(path, strict=True)
                survey.linked.append(printable(path))
            listed.append((path, entry.stat()))
        except FileNotFoundError:
            # deleted since the folder was listed, or a broken link
            continue
        except OSError as error:
            _note_unreadable(path, error, survey)
        else:
            if path.endswith(".jsonl") and not stat.S_ISREG(listed[-1][1].st_mode):
                survey.diagnostics.append(_diagnostic(Code.NOT_A_FILE, path, _file_type(listed[-1][1].st_mode)))
    return listed


def _found_file(path: str, status: os.stat_result, survey: Survey, seen_files: set[str]) -> Iterator[FoundFile]:
    shown = printable(path)
    info = classify(shown)
    if info is None or not stat.S_ISREG(status.st_mode):
        return
    is_duplicate = shown in seen_files
    if shown != path:
        detail = "skipped: another file has this path" if is_duplicate else None
        survey.diagnostics.append(_diagnostic(Code.ODD_NAME, path, detail))
    seen_files.update((path, shown))
    if is_duplicate:
        return
    yield FoundFile(path=shown, real=path, info=info, state=file_state(status))


def file_state(status: os.stat_result) -> FileState:
    """Return the state of a file for later comparison, with numbers limited to the range of SQLite integers."""
    mtime_ns = max(-_MAX_INTEGER, min(_MAX_INTEGER, status.st_mtime_ns))
    return FileState(status.st_dev & _MAX_INTEGER, status.st_ino & _MAX_INTEGER, status.st_size, mtime_ns)


def printable(path: str) -> str:
    """Return the path in a form that SQLite can store. Bytes that are not valid UTF-8 are escaped."""
    if path.isascii():
        return path
    return path.encode("utf-8", "backslashreplace").decode()


def _note_unreadable(path: str, error: OSError, survey: Survey) -> None:
    if error.errno == errno.ELOOP:
        survey.diagnostics.append(_diagnostic(Code.SYMLINK_LOOP, path, None))
        return
    survey.unreadable.append(printable(path))
    survey.diagnostics.append(_diagnostic(Code.UNREADABLE, path, error.strerror or str(error)))


def _diagnostic(code: Code, path: str, detail: str | None) -> Diagnostic:
    return Diagnostic(code, detail, path=printable(path))


def _is_above(path: str, folder: str) -> bool:
    return folder == path or folder.startswith(path.rstrip(os.sep) + os.sep)


def _file_type(mode: int) -> str:
    return "a folder" if stat.S_ISDIR(mode) else "not a regular file"


DEFAULT_RETENTION_DAYS = 30


class Retention(NamedTuple):
    """How many days Claude Code keeps transcripts. `source` is the settings file, or None for the default."""

    days: int
    source: Path | None
    problem: str | None = None


def read_retention(projects: Iterable[Path]) -> Retention:
    """Return the shortest retention that applies to the given folders, from the `settings.json` next to each folder."""
    retentions = [_read_settings(folder.parent / "settings.json", is_used=folder.is_dir()) for folder in projects]
    existing = [retention for retention in retentions if retention is not None]
    return min(existing, key=lambda retention: retention.days, default=Retention(DEFAULT_RETENTION_DAYS, None))


def _read_settings(path: Path, *, is_used: bool) -> Retention | None:
    default = Retention(DEFAULT_RETENTION_DAYS, None) if is_used else None
    try:
        settings = orjson.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return default
    except OSError as error:
        return Retention(DEFAULT_RETENTION_DAYS, path, error.strerror)
    except ValueError:
        return Retention(DEFAULT_RETENTION_DAYS, path, "it is not valid JSON")
    days = settings.get("cleanupPeriodDays") if isinstance(settings, dict) else None
    if not isinstance(days, int) or isinstance(days, bool) or days < 0:
        return default
    return Retention(days, path)
