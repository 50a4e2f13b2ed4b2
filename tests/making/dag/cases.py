"""Read case files. Every case consists of a sentence, the recorded graph and the outcome."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.making.folders import CASE_FILES

from .outcome import KINDS

FOLDERS = ("ladder", "repair", "tree")
FILES = [path for folder in FOLDERS for path in sorted((CASE_FILES / folder).glob("*.dag"))]


class Case(NamedTuple):
    """One case in a file."""

    sentence: str
    recorded: str
    expected: str

    @property
    def kinds(self) -> list[str]:
        """The kinds of facts that the case lists besides lines and set-aside entries."""
        first_words = {line.removeprefix("no ").split(" ")[0].rstrip(":") for line in self.expected.splitlines()}
        return [kind for kind in KINDS if kind in first_words]


def cases(path: Path) -> Iterator[Case]:
    """Yield the cases of a file."""
    for text in path.read_text(encoding="utf-8").split("\n===\n"):
        case, _, expected = text.partition("\n---\n")
        sentence, _, recorded = case.strip().partition("\n\n")
        lines = (line.strip() for line in expected.splitlines())
        yield Case(sentence, recorded, "\n".join(sorted(line for line in lines if line)))
