"""Short names for ids that stay apart."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

SHORT = 12  # characters of a uuid that name a branch


def short_names(uuids: Iterable[str]) -> dict[str, str]:
    """Cut ids to their first twelve characters; those that would collide to the least length at which they differ."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for uuid in uuids:
        groups[uuid[:SHORT]].append(uuid)
    names: dict[str, str] = {}
    for group in groups.values():
        length = _apart(group) if len(group) > 1 else SHORT
        names.update((uuid, uuid[:length]) for uuid in group)
    return names


def _apart(uuids: list[str]) -> int:
    """The least length at which all of some distinct ids differ: neighbours in order are the closest."""
    ordered = sorted(uuids)
    return max(_common(one, other) + 1 for one, other in pairwise(ordered))


def _common(one: str, other: str) -> int:
    """How many characters two ids begin with alike, by halving the stretch in which the first difference lies."""
    low, high = 0, min(len(one), len(other))  # alike up to low, different or ended within high
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
