"""Build the ids of nested lines from line names. The name of a branch refers to the name of its parent line."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ccindex.model.line_ids import BRANCH


@dataclass(frozen=True, slots=True, eq=False)
class LineName:
    """The last part of a line's id, and the name of the line that this line branches off from.

    Storing only the last parts takes linear space. The full ids of nested branches would take quadratic space.
    """

    part: str
    above: "LineName | None" = None

    def __str__(self) -> str:
        """Return the full id."""
        parts, name = [], self
        while name.above is not None:
            parts.append(name.part)
            name = name.above
        return BRANCH.join([name.part, *reversed(parts)])


def line_ids(names: Sequence[LineName]) -> Iterator[tuple[int, str]]:
    """Yield an (index, id) pair per name, in depth-first order so that only one id is in memory at a time."""
    indexes: defaultdict[LineName, list[int]] = defaultdict(list)
    children: defaultdict[LineName | None, list[LineName]] = defaultdict(list)
    for index, name in enumerate(names):
        ancestor: LineName | None = name
        while ancestor is not None and ancestor not in indexes:
            indexes[ancestor] = []  # stays empty if no line has this name
            children[ancestor.above].append(ancestor)
            ancestor = ancestor.above
        indexes[name].append(index)
    parts: list[str] = []
    stack = [(name, 0) for name in reversed(children[None])]
    while stack:
        name, depth = stack.pop()
        del parts[depth:]
        parts.append(name.part)
        if indexes[name]:
            line_id = BRANCH.join(parts)
            yield from ((index, line_id) for index in indexes[name])
        stack.extend((child, depth + 1) for child in reversed(children.get(name, ())))
