"""The parts of a line's id: its session, an agent's thread, a branch below each."""

import re

AGENT = "#agent-"
BRANCH = "@"

_SIGN = re.compile(f"({AGENT}|{BRANCH})")


def parts_of(line_id: str) -> list[str]:
    """Split an id into its parts, with the signs between them at odd places."""
    return _SIGN.split(line_id)
