"""The command line: the app, and the one place where errors become sentences and exit codes."""

import os
import sys

from ccindex.errors import CcindexError

from .app import app
from .crash import write_crash_report
from .output import complain


def main() -> None:
    """Run the command line; exit 0 done, 1 the user can put it right, 2 usage, 3 our bug, 130 interrupted."""
    try:
        app()
    except CcindexError as error:
        complain(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        complain("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        # the reader of our output has seen enough; keep Python from complaining about it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 - the boundary
        complain(f"this is a bug in ccindex ({type(error).__name__}); the details are in {write_crash_report(error)}")
        sys.exit(3)
