"""Build SQLAlchemy tables from row types, and upgrade an index with Alembic.

Commands import this module only for an upgrade, because both libraries load slowly.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool
from sqlalchemy.types import TypeEngine

from ccindex.model.columns import Key, OneOf, Ref, Table, Unique
from ccindex.model.tables import TABLES
from ccindex.store.connection import closing
from ccindex.store.create import drop_views, init_meta, refresh_views
from ccindex.store.sql_files import directory

_TYPES: dict[type, type[TypeEngine[Any]]] = {
    int: sa.Integer,
    bool: sa.Integer,
    float: sa.REAL,
    str: sa.Text,
    bytes: sa.LargeBinary,
}

metadata = sa.MetaData(
    naming_convention={
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def is_compared(name: str | None, kind: str, _parents: object) -> bool:
    """Return whether Alembic compares an object with its declaration; the full-text tables are not declared."""
    return kind != "table" or name is None or not name.startswith("entries_fts")


def _add(table: Table) -> None:
    sa.Table(
        table.name,
        metadata,
        *_columns(table),
        *(sa.CheckConstraint(check) for check in table.checks),
        sqlite_strict=True,
        sqlite_with_rowid=table.has_rowid,
        comment=table.sentence,
    )
    columns = metadata.tables[table.name].c
    for index in table.indexes:
        sa.Index(
            f"ix_{table.name}_{index.name}",
            *(columns[name] for name in index.columns),
            unique=index.is_unique,
            sqlite_where=sa.text(index.where) if index.where else None,
        )


def _columns(table: Table) -> Iterator[sa.Column[Any] | sa.CheckConstraint]:
    if table.has_id:
        yield sa.Column("id", sa.Integer, primary_key=True)
    for part in table.parts:
        for name, hint in get_type_hints(part, include_extras=True).items():
            if name in part.__annotations__:
                yield from _column(name, hint)


def _column(name: str, hint: Any) -> Iterator[sa.Column[Any] | sa.CheckConstraint]:
    """Yield a column and, if its values are restricted, a check constraint."""
    hint, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    is_nullable = get_origin(hint) is UnionType
    if is_nullable:
        [hint] = (choice for choice in get_args(hint) if choice is not NoneType)
    values: tuple[str, ...] = ()
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        hint, values = str, tuple(hint)
    for mark in marks:
        if isinstance(mark, OneOf):
            values = mark.values
    yield sa.Column(
        name,
        _TYPES.get(hint, sa.Text),  # lists are stored as text
        *(sa.ForeignKey(f"{mark.table}.id") for mark in marks if isinstance(mark, Key | Ref) and mark.table),
        primary_key=any(isinstance(mark, Key) for mark in marks),
        autoincrement=False,
        nullable=is_nullable,
        unique=any(isinstance(mark, Unique) for mark in marks) or None,
        comment=next((mark for mark in marks if isinstance(mark, str)), None),
    )
    if values:
        quoted = (f"'{value}'" for value in values)
        yield sa.CheckConstraint(f"{name} in ({', '.join(quoted)})")


for _table in TABLES.values():
    _add(_table)


def upgrade_index(connection: sqlite3.Connection, rebuild: Callable[[sqlite3.Connection], object]) -> None:
    """Run the migrations, recreate the views and call `rebuild` to recreate the rows, all in one transaction."""
    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    config = Config()
    config.set_main_option("script_location", str(directory("migrations")).replace("%", "%%"))
    with engine.connect() as wrapped, _driver_errors():
        # explicit, because the driver does not begin a transaction for DDL; leaving the block without a commit rolls
        # the transaction back
        wrapped.exec_driver_sql("begin immediate")
        drop_views(connection)
        config.attributes["connection"] = wrapped
        command.upgrade(config, "head")
        init_meta(connection)
        refresh_views(connection)
        rebuild(connection)
        wrapped.commit()


def schema() -> str:
    """Return the content of `sql/schema.sql`: the schema that the migrations create in an empty database."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        upgrade_index(connection, lambda _: None)  # an empty database has no rows to rebuild
        drop_views(connection)
        rows = connection.execute(
            # FTS5 creates its internal tables together with entries_fts
            "select sql from sqlite_schema where sql is not null and name not glob 'entries_fts_*' order by rowid"
        )
        statements = [sql.strip() for (sql,) in rows]
        (version,) = connection.execute("select version_num from alembic_version").fetchone()
    header = "-- Every table and index of an empty index, as the migrations create them; generated by scripts/docs."
    statements.append(f"insert into alembic_version values ('{version}')")  # noqa: S608 - a revision from this repository
    return "\n".join([header, *(f"{statement};" for statement in statements)]) + "\n"


@contextmanager
def _driver_errors() -> Iterator[None]:
    """Convert SQLAlchemy errors to the driver's errors, which the rest of ccindex handles."""
    try:
        yield
    except DBAPIError as error:
        raise (error.orig or error) from error
