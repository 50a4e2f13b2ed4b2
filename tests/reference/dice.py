"""Chance, as hypothesis deals it: smaller draws are plainer transcripts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import strategies as st

Item = TypeVar("Item")

FLAGS = [True, True, 1, "true", False, "yes"]


@dataclass
class Dice:
    """Draws choices."""

    draw: Callable[[st.SearchStrategy[Any]], Any]

    def chance(self, percent: int) -> bool:
        return bool(self.draw(st.integers(0, 99)) >= 100 - percent)

    def pick(self, items: list[Item]) -> Item:
        item: Item = self.draw(st.sampled_from(items))
        return item
