"""Places on disk to the files below them that are to be indexed; odd things found on the way are told."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ccindex.model.diagnostics import Code, Diagnostic
from ccindex.model.sources import FileState, Found

from .classify import classify

_WORD = 2**63 - 1


@dataclass(slots=True)
class Survey:
    """What discovery came upon besides the files: filled while `files` is consumed."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    covered: list[str] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)


def files(places: Iterable[Path], survey: Survey) -> Iterator[Found]:
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


def _file(path: str, status: os.stat_result, survey: Survey, seen_files: set[str]) -> Iterator[Found]:
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
    yield Found(path=shown, real=path, place=place, state=state_of(status))


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
