"""A folder of transcripts to a folder with so many of each: the first as it is, the others under ids of their own."""

from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from .ids import Ids, has_id, renamings, split


def multiply(source: Path, out: Path, *, times: int, seed: int) -> int:
    """Write every file `times` times and return how many files that made.

    Within a copy each id is renamed everywhere: in lines, names of files, sidecars, mentions. So what hangs together
    still does, and nothing hangs together with another copy. Lengths stay, but for the names of project folders.
    """
    paths = sorted(path for path in source.rglob("*") if path.is_file())
    names = [path.relative_to(source) for path in paths]
    ids = Ids()
    for path, name in zip(paths, names, strict=True):
        ids.note(b"/" + str(name).encode())
        ids.note(path.read_bytes())
    folders = {name.parts[_project(name)] for name in names}
    copies = [
        renaming | {folder.encode(): marked(folder, number).encode() for folder in folders}
        for number, renaming in enumerate(islice(renamings(ids, seed), times - 1), 2)
    ]
    for path, name in zip(paths, names, strict=True):
        data = path.read_bytes()
        parts = split(data)
        _write(out / name, data)
        for number, renaming in enumerate(copies, 2):
            _write(out / _renamed(name, number, renaming), b"".join(_exchanged(parts, renaming)))
    return len(paths) * times


def marked(name: str, number: int) -> str:
    """The name of a project folder in a copy; the mark stands first so that folders sort as before."""
    return f"-copy{number}{name}" if name.startswith("-") else f"copy{number}-{name}"


def _project(name: Path) -> int:
    """Return which part of a path names the project: the folder above the first part with an id, else its own."""
    owned = next((at for at, part in enumerate(name.parts) if has_id(part)), len(name.parts) - 1)
    return max(owned - 1, 0)


def _renamed(name: Path, number: int, renaming: Mapping[bytes, bytes]) -> Path:
    parts = [b"".join(_exchanged(split(part.encode()), renaming)).decode() for part in name.parts]
    at = _project(name)
    if not has_id(name.parts[at]):  # a file right in the source that has an id needs no mark
        parts[at] = marked(name.parts[at], number)
    return Path(*parts)


def _exchanged(parts: list[bytes], renaming: Mapping[bytes, bytes]) -> list[bytes]:
    exchanged = list(parts)
    exchanged[1::2] = (renaming.get(part, part) for part in parts[1::2])
    return exchanged


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
