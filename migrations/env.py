"""Runs migrations on the connection it is handed, or on `-x url=…` for an author of migrations."""

from alembic import context
from sqlalchemy import Connection, create_engine

from ccindex.store.migrate import is_compared, metadata


def run(connection: Connection) -> None:
    """Run what `context` was asked for, in the caller's transaction."""
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=True, include_name=is_compared)
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    with create_engine(context.get_x_argument(as_dictionary=True)["url"]).begin() as own:
        run(own)
