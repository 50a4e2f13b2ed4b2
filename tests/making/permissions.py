"""Tests of permissions, which root does not need."""

import os
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

NOBODY = 65534
# imported now, because a user without rights cannot read the package and the standard library
import_module("ccindex.store.migrate")
import_module("_strptime")


def as_nobody(deed: Callable[[], None]) -> None:
    """Run assertions without the rights of root."""
    if os.geteuid() != 0:
        deed()
        return
    child = os.fork()
    if child == 0:
        try:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            deed()
        except BaseException:  # noqa: BLE001 - reported on stderr and by the exit code
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def open_all(place: Path) -> None:
    """Let every user read and write all files below a folder."""
    for folder, _, names in os.walk(place):
        os.chmod(folder, 0o777)  # noqa: S103
        for name in names:
            os.chmod(os.path.join(folder, name), 0o666)  # noqa: S103
