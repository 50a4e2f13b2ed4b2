"""Run permission tests as another user, because permissions do not apply to root."""

import os
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

NOBODY = 65534
# imported in advance, because the other user may not have permission to read the package or the standard library
import_module("ccindex.store.migrate")
import_module("_strptime")


def as_nobody(action: Callable[[], None]) -> None:
    """Run an action without root privileges; fail if it fails."""
    if os.geteuid() != 0:
        action()
        return
    child = os.fork()
    if child == 0:
        try:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            action()
        except BaseException:  # noqa: BLE001 - reported on stderr and by the exit code
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def allow_all_users(root: Path) -> None:
    """Let all users read and write all files under a folder."""
    for folder, _, names in os.walk(root):
        os.chmod(folder, 0o777)  # noqa: S103
        for name in names:
            os.chmod(os.path.join(folder, name), 0o666)  # noqa: S103
