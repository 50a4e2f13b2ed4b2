"""The id of a line to its parts: the session's id, then a sign and an id per line that leaves.

A module of its own, because all commands show ids, and few need the values of the graph, which take 5 ms to load.
"""

import re

AGENT = "#agent-"
BRANCH = "@"

_SIGN = re.compile(f"({AGENT}|{BRANCH})")


def parts_of(line_id: str) -> list[str]:
    """Split an id into its parts, with the signs between them at odd places."""
    return _SIGN.split(line_id)
