"""Makes the shared fixtures available to all tests, and removes the terminal width from their environment."""

import os

from tests.making.fixtures import corpus, db, open_place, project

__all__ = ["corpus", "db", "open_place", "project"]

os.environ.pop("COLUMNS", None)
os.unsetenv("COLUMNS")  # GNU readline, which pytest loads, sets it for child processes behind Python's back
