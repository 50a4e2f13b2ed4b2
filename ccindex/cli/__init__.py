"""The command line: the one place where errors become sentences and exit codes."""

import os
import signal
import sys


def main() -> None:
    """Run the command line; exit 0 done, 1 the user can put it right, 2 usage, 3 our bug, 130 interrupted."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever started us: nobody asks, nobody wants to hear
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open to the end
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        _finish_output()
        for late in (signal.SIGINT, signal.SIGTERM):  # Python takes a while to go, and would tell where it was
            signal.signal(late, signal.SIG_IGN)


def _run() -> None:
    # inside, so that an interrupt while they are imported is none of the user's business either
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
    """Whether the working folder was removed, so that no relative path means anything."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _finish_output() -> None:
    """Write out what is left, and keep Python from complaining at exit if nobody reads it."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
