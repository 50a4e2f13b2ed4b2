"""Chance, as hypothesis or a seed deals it: smaller numbers are plainer transcripts."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import strategies as st

Item = TypeVar("Item")
Numbers = Callable[[int, int], int]  # one of those from the first to the last, both included

FLAGS = [True, True, 1, "true", False, "yes"]


def dealt(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Numbers:
    """Numbers that hypothesis draws, and can make smaller."""
    return lambda first, last: int(draw(st.integers(first, last)))


def seeded(seed: int | str) -> Numbers:
    """The same numbers for the same seed, everywhere and always."""
    return random.Random(seed).randint  # noqa: S311


@dataclass
class Dice:
    """Draws choices."""

    number: Numbers

    def chance(self, percent: int) -> bool:
        return self.number(0, 99) >= 100 - percent

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.number(0, len(items) - 1)]

    def some(self, items: Sequence[Item], least: int, most: int) -> list[Item]:
        """That many of the items, each once, in any order."""
        left = list(items)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(min(self.number(least, most), len(left)))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """All of the items in any order."""
        return self.some(items, len(items), len(items))
