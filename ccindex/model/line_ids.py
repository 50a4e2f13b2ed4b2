"""The syntax of line ids: the session id, then a separator and an id for every agent or branch that leads to the line.

A separate module, because every command shows ids but few need `ccindex.model.graph`, which takes 5 ms to import.
"""

import re

AGENT = "#agent-"
BRANCH = "@"

_SEPARATOR = re.compile(f"({AGENT}|{BRANCH})")


def split_line_id(line_id: str) -> list[str]:
    """Split an id into its parts; the separators are at odd indexes."""
    return _SEPARATOR.split(line_id)
