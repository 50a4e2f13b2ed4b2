"""Names of files made from ids, whatever signs those hold: safe on any disk, and never one for two ids."""

import hashlib
import re

_PLAIN = re.compile(r"[0-9a-z_-][0-9a-z._-]{0,99}")
# what a name made of another id could end in
_TAKEN = re.compile(r".*(-[0-9a-f]{10}|_path[0-9]+|_abandoned|_agent-.*)", re.DOTALL)
_OTHER = re.compile(r"[^0-9a-z._-]")
_KEPT = 80
_DIGITS = 10


def safe(name: str) -> str:
    """An id as part of a file's name: as it is where no disk can mind, else cut and told apart by a hash."""
    if _PLAIN.fullmatch(name) and not _TAKEN.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()
    # lower case only: some disks take A and a for the same
    return f"{_OTHER.sub('_', name)[:_KEPT]}-{digest[:_DIGITS]}"
