"""Make the shared fixtures available to all tests, and remove COLUMNS from the environment."""

import os

from tests.making.fixtures import corpus, db, project, public_folder

__all__ = ["corpus", "db", "project", "public_folder"]

os.environ.pop("COLUMNS", None)
os.unsetenv("COLUMNS")  # GNU readline, which pytest loads, sets COLUMNS for child processes but not in os.environ
