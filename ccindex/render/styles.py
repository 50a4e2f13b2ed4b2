"""A line of text in pieces, each with a style that only a terminal shows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Styled:
    """Pairs of style and text; a style is rich's, such as `bold cyan`, and '' is none."""

    spans: tuple[tuple[str, str], ...]


def styled(style: str, text: str) -> Styled:
    """A line in one style."""
    return Styled(((style, text),))
