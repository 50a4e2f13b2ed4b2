"""Make the shared fixtures available to all tests, and prepare what child processes inherit."""

import os
import signal

from tests.making.fixtures import corpus, db, project, public_folder

__all__ = ["corpus", "db", "project", "public_folder"]

os.environ.pop("COLUMNS", None)
os.unsetenv("COLUMNS")  # GNU readline, which pytest loads, sets COLUMNS for child processes but not in os.environ

# a shell starts background jobs with SIGINT ignored, and the processes that the tests interrupt would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)
