"""Select, order and count the children of a fork."""

from collections.abc import Iterable, Sequence

from ccindex.model.graph import Child, EntryKind, Fork


def indexes(children: Iterable[Child]) -> tuple[int, ...]:
    """Return the index of each child in the family's time order."""
    return tuple([child.index for child in children])


def by_time(*groups: Iterable[Child]) -> tuple[int, ...]:
    """Return the indexes of the children of all groups, in time order."""
    return tuple(sorted(child.index for group in groups for child in group))


def user_children(fork: Fork) -> list[Child]:
    """Return the main children that are prompts or results."""
    return [child for child in fork.main if child.node.is_user]


def assistant_children(fork: Fork) -> list[Child]:
    """Return the main children that are assistant entries."""
    return [child for child in fork.main if child.node.kind == EntryKind.ASSISTANT]


def own_results(fork: Fork) -> list[Child]:
    """Return the results that answer only calls of the parent."""
    if fork.parent.kind != EntryKind.ASSISTANT or not fork.parent_uses:
        return []
    return [
        child
        for child in fork.main
        if child.node.kind == EntryKind.RESULT and all(answer in fork.parent_uses for answer in child.answers)
    ]


def with_latest_talk(children: Sequence[Child]) -> Child:
    """Return the child with the latest talk entry at or below it."""
    return max(children, key=lambda child: child.latest_talk)


def count_of(items: Sequence[object], name: str) -> str:
    """Return the number of items and their name, in the plural unless there is exactly one."""
    if len(items) == 1:
        return f"1 {name}"
    plural = f"{name}ren" if name.endswith("child") else f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    return f"{len(items):,} {plural}"
