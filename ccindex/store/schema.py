"""Row types to SQLAlchemy tables, which migrations are compared with and documentation is made from.

Only upgrading an index imports this: SQLAlchemy takes a quarter of a second.
"""

from collections.abc import Iterator
from enum import StrEnum
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import sqlalchemy as sa
from sqlalchemy.types import TypeEngine

from ccindex.model.columns import Key, OneOf, Ref, Table, Unique
from ccindex.model.tables import TABLES

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
    """Whether a table is declared here; FTS5 makes its own."""
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
    """Yield a column and the check of its values."""
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
