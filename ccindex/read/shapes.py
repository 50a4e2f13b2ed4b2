"""What the keys of an object tell without its values; most objects of a file have the same keys in the same order."""

from typing import Any, NamedTuple

from .known import KEYS

# Keys that have a column or a table; the others go to `details` as JSON.
_PLACED = frozenset(
    "uuid parentUuid sessionId timestamp type subtype isSidechain userType cwd version gitBranch slug "
    "entrypoint teamName message toolUseResult agentId isMeta isCompactSummary isApiErrorMessage is_active "
    "logicalParentUuid toolUseID parentToolUseID sourceToolAssistantUUID content toolDenialKind".split()
)
# Keys that few entries have, read only where one of them is.
_RARE = frozenset(
    "subtype attachment content isMeta isCompactSummary isApiErrorMessage is_active logicalParentUuid "
    "forkedFrom".split()
)
_MOST_SHAPES = 500
_MOST_KEYS = 80
_LONGEST_KEYS = 2_000  # in all; no transcript of use comes near, and what a hostile one has must not stay


class Shape(NamedTuple):
    """Whether all keys are known, whether rare ones are among them, and those whose values go to `details`."""

    is_known: bool
    has_rare: bool
    details: tuple[str, ...]


_shapes: dict[tuple[str, ...], Shape] = {}


def shape_of(value: dict[str, Any]) -> Shape:
    """Tell the shape of an object by its keys."""
    keys = tuple(value)
    shape = _shapes.get(keys)
    return _made(keys) if shape is None else shape


def _made(keys: tuple[str, ...]) -> Shape:
    shape = Shape(KEYS.issuperset(keys), not _RARE.isdisjoint(keys), tuple(key for key in keys if key not in _PLACED))
    if len(keys) <= _MOST_KEYS and sum(map(len, keys)) <= _LONGEST_KEYS:
        if len(_shapes) >= _MOST_SHAPES:
            _shapes.clear()
        _shapes[keys] = shape
    return shape
