"""Make random choices with numbers from hypothesis or a seed. Smaller numbers give simpler transcripts."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import strategies as st

Item = TypeVar("Item")
Numbers = Callable[[int, int], int]  # returns a number between two limits, both inclusive

FLAGS = [True, True, 1, "true", False, "yes"]


def numbers_from_hypothesis(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Numbers:
    """Return a random-number function whose results hypothesis generates and can shrink."""
    return lambda first, last: int(draw(st.integers(first, last)))


def numbers_from_seed(seed: int | str) -> Numbers:
    """Return a random-number function whose results depend only on the seed."""
    return random.Random(seed).randint  # noqa: S311


@dataclass
class RandomChoices:
    """Makes choices with a source of random numbers."""

    number: Numbers

    def chance(self, percent: int) -> bool:
        return self.number(0, 99) >= 100 - percent

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.number(0, len(items) - 1)]

    def some(self, items: Sequence[Item], least: int, most: int) -> list[Item]:
        """Return some of the items, each at most once, in random order."""
        left = list(items)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(min(self.number(least, most), len(left)))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return all items in random order."""
        return self.some(items, len(items), len(items))
