"""Line ids, which nest: stored as parts that refer to each other and assembled one at a time."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ccindex.model.line_ids import BRANCH


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    """The last part of a line's id, and the name of the line that it branches off.

    All ids of nested branches together grow with the square of the depth, their parts do not.
    """

    part: str
    above: "Name | None" = None

    def __str__(self) -> str:
        """The whole id."""
        parts, name = [], self
        while name.above is not None:
            parts.append(name.part)
            name = name.above
        return BRANCH.join([name.part, *reversed(parts)])


def line_ids(names: Sequence[Name]) -> Iterator[tuple[int, str]]:
    """Give the place of every name and its id, depth first: no more than one id is held at a time."""
    places: defaultdict[Name, list[int]] = defaultdict(list)
    below: defaultdict[Name | None, list[Name]] = defaultdict(list)
    for place, name in enumerate(names):
        up: Name | None = name
        while up is not None and up not in places:
            places[up] = []  # a name above may be no line's own
            below[up.above].append(up)
            up = up.above
        places[name].append(place)
    parts: list[str] = []
    waiting = [(name, 0) for name in reversed(below[None])]
    while waiting:
        name, depth = waiting.pop()
        del parts[depth:]
        parts.append(name.part)
        if places[name]:
            line_id = BRANCH.join(parts)
            yield from ((place, line_id) for place in places[name])
        waiting.extend((child, depth + 1) for child in reversed(below.get(name, ())))
