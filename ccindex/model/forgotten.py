"""What was forgotten and may not come back."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from .sources import Place, Role


class Forgets(StrEnum):
    """What kind of thing a tombstone names."""

    SESSION = "session"
    PROJECT = "project"
    FILE = "file"
    LEAF = "leaf"


class Tombstone(NamedTuple):
    """One thing that was forgotten."""

    kind: Forgets
    name: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """All tombstones that speak of files."""

    sessions: frozenset[str] = frozenset()
    projects: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()

    def covers(self, path: str, place: Place) -> bool:
        """Whether a file is of something forgotten, by its path alone."""
        is_transcript_of_one = place.role is Role.SESSION and place.stem in self.sessions
        return (
            is_transcript_of_one
            or place.session_hint in self.sessions
            or place.project in self.projects
            or path in self.files
        )


class Span(NamedTuple):
    """Some bytes of a generation."""

    start: int
    length: int


def blanked(data: bytes, start: int, spans: list[Span]) -> bytes:
    """Bytes that begin at an offset, with blanks where the spans are: nothing moves, and a line of them is empty.

    The spans are in order and do not overlap.
    """
    first = bisect_right(spans, start, key=lambda span: span.start + span.length)
    here = spans[first : bisect_left(spans, start + len(data), key=lambda span: span.start)]
    if not here:
        return data
    changed = bytearray(data)
    for span in here:
        first, last = max(0, span.start - start), min(len(data), span.start + span.length - start)
        changed[first:last] = b" " * (last - first)
    return bytes(changed)
