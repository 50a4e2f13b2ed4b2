"""Multiply a folder of transcripts: write every file unchanged, then further copies with new ids."""

from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from .ids import IdCollection, generate_renamings, has_id, split_at_ids


def multiply(source: Path, out: Path, *, times: int, seed: int) -> int:
    """Write every file `times` times and return the number of files written.

    Within a copy each id is renamed everywhere: in lines, file names, sidecars and text. This keeps all links within a
    copy, and there are no links between copies. Lengths stay the same, except for project folder names.
    """
    paths = sorted(path for path in source.rglob("*") if path.is_file())
    names = [path.relative_to(source) for path in paths]
    ids = IdCollection()
    for path, name in zip(paths, names, strict=True):
        ids.collect(b"/" + str(name).encode())
        ids.collect(path.read_bytes())
    folders = {name.parts[_project_index(name)] for name in names}
    copies = [
        renaming | {folder.encode(): folder_of_copy(folder, number).encode() for folder in folders}
        for number, renaming in enumerate(islice(generate_renamings(ids, seed), times - 1), 2)
    ]
    for path, name in zip(paths, names, strict=True):
        data = path.read_bytes()
        parts = split_at_ids(data)
        _write(out / name, data)
        for number, renaming in enumerate(copies, 2):
            _write(out / _rename_path(name, number, renaming), b"".join(_replace_ids(parts, renaming)))
    return len(paths) * times


def folder_of_copy(name: str, number: int) -> str:
    """Return the name of a project folder in a copy. The number comes first so that folders sort as before."""
    return f"-copy{number}{name}" if name.startswith("-") else f"copy{number}-{name}"


def _project_index(name: Path) -> int:
    """Return the index of the project folder in a path: the parent of the first part with an id, or of the file."""
    first_id = next((index for index, part in enumerate(name.parts) if has_id(part)), len(name.parts) - 1)
    return max(first_id - 1, 0)


def _rename_path(name: Path, number: int, renaming: Mapping[bytes, bytes]) -> Path:
    parts = [b"".join(_replace_ids(split_at_ids(part.encode()), renaming)).decode() for part in name.parts]
    index = _project_index(name)
    if not has_id(name.parts[index]):  # otherwise it is the name of a file, which already has a new id
        parts[index] = folder_of_copy(name.parts[index], number)
    return Path(*parts)


def _replace_ids(parts: list[bytes], renaming: Mapping[bytes, bytes]) -> list[bytes]:
    """Replace the parts with odd indexes, which are the possible ids."""
    replaced = list(parts)
    replaced[1::2] = (renaming.get(part, part) for part in parts[1::2])
    return replaced


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
