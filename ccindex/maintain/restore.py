"""Restore recorded files from the archive. Each file is written completely or not at all."""

import hashlib
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from ccindex.errors import (
    ArchiveDamaged,
    CannotWrite,
    CcindexError,
    NoSuchGeneration,
    NoSuchSource,
    OutsideFolder,
    WouldOverwrite,
)
from ccindex.files import make_private_folder, temporary_file
from ccindex.store.archive import Archive


@dataclass(frozen=True, slots=True)
class RestoredFile:
    """A restored file: the path of its source, its size and its hash."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class _Source:
    id: int
    path: str
    raw_path: bytes | None
    generation: int
    mtime_ns: int


def restore(
    connection: sqlite3.Connection, out: Path, *, requested_path: str | None, generation: int | None, force: bool
) -> tuple[list[RestoredFile], list[CcindexError]]:
    """Write the requested sources under `out`: the given generation, or the latest one.

    Return the restored files and the errors for files that are damaged or would be written outside `out`.
    """
    archive = Archive(connection)
    sources = _select_sources(connection, requested_path)
    if generation is not None:
        last = max((source.generation for source in sources), default=0)
        if generation > last:
            raise NoSuchGeneration(requested_path, generation, last)
        sources = [source for source in sources if source.generation >= generation]
    restored: list[RestoredFile] = []
    errors: list[CcindexError] = []
    for source in sources:
        try:
            target = _target(out, source)
        except OutsideFolder as error:
            errors.append(error)
            continue
        try:
            restored.append(_write(archive, source, generation or source.generation, target, force=force))
        except ArchiveDamaged as error:
            errors.append(error)
        except OSError as error:
            raise CannotWrite(target, error.strerror or error) from error
    return restored, errors


def _select_sources(connection: sqlite3.Connection, requested_path: str | None) -> list[_Source]:
    """Return the source at the requested path, or the sources under it; without a path, all sources."""
    rows = connection.execute(
        "select s.id, s.path, s.raw_path, s.generation, g.mtime_ns from sources s "
        "join generations g on g.source = s.id and g.number = s.generation order by s.path"
    )
    sources = [_Source(*row) for row in rows]
    if requested_path is None:
        return sources
    absolute = os.path.abspath(requested_path)
    paths = {absolute, os.path.realpath(absolute), requested_path}
    folders = tuple(path.rstrip("/") + "/" for path in paths)
    matches = [source for source in sources if source.path in paths or source.path.startswith(folders)]
    if not matches:
        raise NoSuchSource(requested_path)
    return matches


def _target(out: Path, source: _Source) -> Path:
    """Return the path under `out` to which a source is restored: the source's path without its root."""
    path = Path(source.path if source.raw_path is None else os.fsdecode(source.raw_path))
    parts = path.parts[1:] if path.anchor else path.parts
    # ccindex records resolved paths only, but the index may come from somebody else
    if not parts or ".." in parts or "\0" in str(path):
        raise OutsideFolder(source.path, out)
    target = out.joinpath(*parts)
    # a link under `out` may lead to a folder outside it, and files there must not be replaced
    if not Path(os.path.realpath(target.parent)).is_relative_to(os.path.realpath(out)):
        raise OutsideFolder(source.path, out)
    return target


def _write(archive: Archive, source: _Source, number: int, target: Path, *, force: bool) -> RestoredFile:
    make_private_folder(target.parent)
    digest, size = hashlib.sha256(), 0
    with temporary_file(target) as file:
        for block in archive.blocks(source.id, number):
            digest.update(block)
            size += len(block)
            file.write(block)
        file.flush()
        restored = RestoredFile(source.path, size, digest.hexdigest())
        if _has_digest(target, digest.digest()):
            return restored  # not replaced, because a program may be appending to it
        if os.path.lexists(target) and not force:
            raise WouldOverwrite(target)
        if source.mtime_ns and number == source.generation:
            os.utime(file.name, ns=(source.mtime_ns, source.mtime_ns))
        os.replace(file.name, target)
    return restored


def _has_digest(target: Path, digest: bytes) -> bool:
    """Return whether the target is a regular file whose content has this SHA-256 digest."""
    if target.is_symlink() or not target.is_file():
        return False
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest() == digest
