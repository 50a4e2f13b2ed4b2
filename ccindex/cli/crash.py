"""A bug of ours, written to a file that its message names."""

import platform
import sqlite3
import sys
import tempfile
import traceback
from pathlib import Path

from ccindex import __version__


def write_crash_report(error: BaseException) -> str:
    """Write versions and traceback, ready to paste into a report; return where they are, or why they are nowhere."""
    lines = [
        f"ccindex {__version__}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {sys.platform}\n",
        f"command: {' '.join(sys.argv[1:2])}\n\n",
        *traceback.format_exception(error),
    ]
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="ccindex-crash-", suffix=".txt", delete=False, encoding="utf-8", errors="replace"
        ) as file:
            file.writelines(lines)
    except OSError as why:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"line {last.lineno} of {Path(last.filename).name}"
        return f"it says {str(error)!r} at {place}; the details could not be written: {why.strerror}"
    return f"the details are in {file.name}"
