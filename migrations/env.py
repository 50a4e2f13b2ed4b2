"""Run migrations on the caller's connection or, from the command line, on the database given with `-x url=…`."""

from alembic import context
from sqlalchemy import Connection, create_engine

from ccindex.store.migrate import is_compared, metadata


def run(connection: Connection) -> None:
    """Run the requested migrations in the caller's transaction."""
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=True, include_name=is_compared)
    with context.begin_transaction():
        context.run_migrations()


caller_connection = context.config.attributes.get("connection")
if caller_connection is not None:
    run(caller_connection)
else:
    with create_engine(context.get_x_argument(as_dictionary=True)["url"]).begin() as new_connection:
        run(new_connection)
