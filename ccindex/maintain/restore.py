"""Writes recorded files back from the archive, each completely or not at all."""

import hashlib
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from ccindex.errors import (
    ArchiveDamaged,
    CannotWrite,
    CcindexError,
    LeadsOutside,
    NoSuchGeneration,
    NoSuchSource,
    WouldOverwrite,
)
from ccindex.files import beside, make_private
from ccindex.store.archive import Archive


@dataclass(frozen=True, slots=True)
class Restored:
    """A file that was written: its path is the source's."""

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
    connection: sqlite3.Connection, out: Path, *, wanted: str | None, generation: int | None, force: bool
) -> tuple[list[Restored], list[CcindexError]]:
    """Write the wanted sources below `out`, the latest generation or the one asked for.

    What is damaged, or would be written elsewhere, keeps no other file from coming back.
    """
    archive = Archive(connection)
    sources = _sources(connection, wanted)
    if generation is not None:
        last = max((source.generation for source in sources), default=0)
        if generation > last:
            raise NoSuchGeneration(wanted, generation, last)
        sources = [source for source in sources if source.generation >= generation]
    restored: list[Restored] = []
    kept_back: list[CcindexError] = []
    for source in sources:
        try:
            target = _target(out, source)
        except LeadsOutside as error:
            kept_back.append(error)
            continue
        try:
            restored.append(_write(archive, source, generation or source.generation, target, force=force))
        except ArchiveDamaged as error:
            kept_back.append(error)
        except OSError as error:
            raise CannotWrite(target, error.strerror or error) from error
    return restored, kept_back


def _sources(connection: sqlite3.Connection, wanted: str | None) -> list[_Source]:
    rows = connection.execute(
        "select s.id, s.path, s.raw_path, s.generation, g.mtime_ns from sources s "
        "join generations g on g.source = s.id and g.number = s.generation order by s.path"
    )
    found = [_Source(*row) for row in rows]
    if wanted is None:
        return found
    exact = os.path.abspath(wanted)
    names = {exact, os.path.realpath(exact), wanted}
    inside = tuple(name.rstrip("/") + "/" for name in names)
    chosen = [source for source in found if source.path in names or source.path.startswith(inside)]
    if not chosen:
        raise NoSuchSource(wanted)
    return chosen


def _target(out: Path, source: _Source) -> Path:
    """Return the source's own path below `out`, its root stripped."""
    path = Path(source.path if source.raw_path is None else os.fsdecode(source.raw_path))
    parts = path.parts[1:] if path.anchor else path.parts
    # recorded paths are resolved; another's index may say anything
    if not parts or ".." in parts or "\0" in str(path):
        raise LeadsOutside(source.path, out)
    target = out.joinpath(*parts)
    # a link below `out` may lead anywhere, and nobody asked to have anything replaced there
    if not Path(os.path.realpath(target.parent)).is_relative_to(os.path.realpath(out)):
        raise LeadsOutside(source.path, out)
    return target


def _write(archive: Archive, source: _Source, number: int, target: Path, *, force: bool) -> Restored:
    make_private(target.parent)
    digest, size = hashlib.sha256(), 0
    with beside(target) as file:
        for block in archive.blocks(source.id, number):
            digest.update(block)
            size += len(block)
            file.write(block)
        file.flush()
        restored = Restored(source.path, size, digest.hexdigest())
        if _stands_already(target, digest.digest()):
            return restored  # not replaced: a program may have it open, to append
        if os.path.lexists(target) and not force:
            raise WouldOverwrite(target)
        if source.mtime_ns and number == source.generation:
            os.utime(file.name, ns=(source.mtime_ns, source.mtime_ns))
        os.replace(file.name, target)
    return restored


def _stands_already(target: Path, digest: bytes) -> bool:
    """Whether the file is there with these bytes."""
    if target.is_symlink() or not target.is_file():
        return False
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest() == digest
