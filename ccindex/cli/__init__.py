"""The entry point: errors become messages and exit codes here."""

import os
import signal
import sys


def main() -> None:
    """Run the command line; exit code 0: done, 1: an error of the user, 2: usage, 3: a bug, 130: interrupted."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the parent process
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open until the process ends
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        _finish_output()
        for late in (signal.SIGINT, signal.SIGTERM):  # else Python prints a traceback during shutdown
            signal.signal(late, signal.SIG_IGN)


def _run() -> None:
    # imported here, so that an interrupt during imports is handled as well
    from ccindex.cli.app import app, write_crash_report  # noqa: PLC0415
    from ccindex.cli.output import complain  # noqa: PLC0415
    from ccindex.errors import CcindexError  # noqa: PLC0415

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="ccindex")
    except CcindexError as error:
        complain(str(error))
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the boundary
        if isinstance(error, FileNotFoundError) and _is_nowhere():
            complain("the folder that this was started in is gone; go to another and run it again")
            sys.exit(1)
        complain(f"this is a bug in ccindex ({type(error).__name__}); {write_crash_report(error)}")
        sys.exit(3)


def _is_nowhere() -> bool:
    """Whether the working folder was removed."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _finish_output() -> None:
    """Flush stdout; if its reader is gone, discard the rest so that Python does not complain at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
