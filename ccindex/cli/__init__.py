"""The command line: the one place where errors become sentences and exit codes."""

import os
import sys

from ccindex.errors import CcindexError


def main() -> None:
    """Run the command line; exit 0 done, 1 the user can put it right, 2 usage, 3 our bug, 130 interrupted."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us: nobody wants to hear
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open to the end
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        _finish_output()


def _run() -> None:
    # inside, so that an interrupt while they are imported is none of the user's business either
    from .app import app  # noqa: PLC0415
    from .crash import write_crash_report  # noqa: PLC0415
    from .output import complain  # noqa: PLC0415

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="ccindex")
    except CcindexError as error:
        complain(str(error))
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the boundary
        complain(f"this is a bug in ccindex ({type(error).__name__}); the details are in {write_crash_report(error)}")
        sys.exit(3)


def _finish_output() -> None:
    """Write out what is left, and keep Python from complaining at exit if nobody reads it."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
