"""Write files and folders."""

from pathlib import Path

Files = dict[str, bytes]  # file contents by path relative to a folder


def write(path: Path, *lines: str | bytes, end: str = "\n") -> Path:
    """Write a file with the given lines, and create its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = [item if isinstance(item, bytes) else item.encode() for item in lines]
    path.write_bytes(b"".join(part + end.encode() for part in parts))
    return path


def write_all(root: Path, files: dict[str, bytes]) -> None:
    """Write files under a folder, and create their folders."""
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def append(path: Path, data: str | bytes) -> None:
    """Append text or bytes to a file."""
    with path.open("ab") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
