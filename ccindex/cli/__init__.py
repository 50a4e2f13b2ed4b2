"""The command-line entry point. It turns exceptions into messages and exit codes."""

import os
import signal
import sys


def main() -> None:
    """Run the command line.

    Exit codes: 0 success, 1 user error, 2 usage error, 3 bug in ccindex, 130 interrupted.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the parent process closed it
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open until the process ends
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        _finish_output()
        for number in (signal.SIGINT, signal.SIGTERM):  # otherwise Python prints a traceback during shutdown
            signal.signal(number, signal.SIG_IGN)


def _run() -> None:
    # imported here so that an interrupt during imports is handled too
    from ccindex.cli.app import app, write_crash_report  # noqa: PLC0415
    from ccindex.cli.output import print_message  # noqa: PLC0415
    from ccindex.errors import CcindexError  # noqa: PLC0415

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="ccindex")
    except CcindexError as error:
        print_message(str(error))
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the error boundary
        if isinstance(error, FileNotFoundError) and _is_current_folder_missing():
            print_message("the current folder no longer exists; change to another folder and try again")
            sys.exit(1)
        print_message(f"this is a bug in ccindex ({type(error).__name__}); {write_crash_report(error)}")
        sys.exit(3)


def _is_current_folder_missing() -> bool:
    """Return whether the current folder was removed."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _finish_output() -> None:
    """Flush stdout. If the reading process has exited, discard the output so that Python reports no error at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
