"""Every table of the index, as SQLAlchemy metadata: the single truth that migrations are compared with.

Only creating and upgrading an index import this; rows go through the driver (`store.recorded`).
"""

from . import derived, files, objects
from .columns import metadata

__all__ = ["derived", "files", "metadata", "objects"]
