"""When two texts ask for the same: white space, case and the wrapping of a teammate's message do not matter."""

import re

# an attribute may hold a `>`
_TEAMMATE = re.compile(r"""<teammate-message(?:[^>"']|"[^"]*"|'[^']*')*>(.*?)(?:</teammate-message>|$)""", re.DOTALL)


def fold(text: str) -> str:
    """Text with white space and case made alike."""
    return " ".join(text.split()).casefold()


def ways_to_say(text: str) -> frozenset[str]:
    """The ways in which a first prompt may equal a call's: whole, or as the body of a teammate's message."""
    message = _TEAMMATE.match(text, max(text.find("<teammate-message"), 0))  # the first alone: texts may be long
    bodies = [message.group(1)] if message else []
    return frozenset(folded for words in (text, *bodies) if (folded := fold(words)))
