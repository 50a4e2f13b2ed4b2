"""Declare tables as row types whose annotations mark keys, references and permitted values.

    class FileTouch(NamedTuple):
        \"\"\"One row per tool call and file path in its input.\"\"\"

        idx: Annotated[int, Key()]
        path: Annotated[str, Key()]
        operation: Annotated[str, OneOf("read", "write", "edit", "notebook", "search")]

    Table("file_touches", EntryKey, FileTouch, has_rowid=False)

A string among the annotations is the column's comment. A column can be NULL only if its type allows None.
"""

from dataclasses import dataclass
from functools import cached_property
from types import NoneType
from typing import Annotated, Any, get_args, get_origin


@dataclass(frozen=True, slots=True)
class Key:
    """Marks a primary key column; `table` is the table that the column refers to, if any."""

    table: str = ""


@dataclass(frozen=True, slots=True)
class Ref:
    """Marks a column that contains the id of a row in `table`."""

    table: str


@dataclass(frozen=True, slots=True)
class RowId:
    """Marks a column that contains the id of a row in `table`, without a foreign key constraint."""

    table: str


class OneOf:
    """Marks a text column with a fixed set of permitted values."""

    def __init__(self, *values: str) -> None:
        self.values = values


class Unique:
    """Marks a column whose values are unique in the table."""


class Index:
    """An index on one or more columns; `where` restricts it to the rows that match a condition."""

    def __init__(self, *columns: str, name: str = "", is_unique: bool = False, where: str = "") -> None:
        self.columns = columns
        self.name = name or "_".join(columns)
        self.is_unique = is_unique
        self.where = where


class Table:
    """A table whose columns are the fields of its row types, in order.

    A table can have several row types so that the parser can build rows without the columns that the writer adds.
    `has_id`: the first column is `id`; SQLite assigns its values, and no row type contains it.
    `has_rowid`: False for a WITHOUT ROWID table.
    """

    def __init__(
        self,
        name: str,
        *parts: type,
        indexes: tuple[Index, ...] = (),
        checks: tuple[str, ...] = (),
        has_id: bool = False,
        has_rowid: bool = True,
    ) -> None:
        self.name = name
        self.parts = parts
        self.indexes = indexes
        self.checks = checks
        self.has_id = has_id
        self.has_rowid = has_rowid

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns in order, without an `id` that SQLite assigns."""
        return tuple(name for part in self.parts for name in part.__annotations__)

    @cached_property
    def required(self) -> frozenset[str]:
        """The columns that are never NULL."""
        hints = ((name, hint) for part in self.parts for name, hint in part.__annotations__.items())
        return frozenset(name for name, hint in hints if not _allows_none(hint))

    @cached_property
    def referenced(self) -> dict[str, str]:
        """The tables whose ids the columns contain, by column. An `id` that the table assigns itself is included."""
        hints = {name: hint for part in self.parts for name, hint in part.__annotations__.items()}
        tables = {name: _referenced_table(hint) for name, hint in hints.items()}
        own = {"id": self.name} if self.has_id or "id" in hints else {}
        return own | {name: table for name, table in tables.items() if table}

    @property
    def sentence(self) -> str:
        """The description of the table: the first line of the row type docstring that starts with "One row per"."""
        return next(doc for part in self.parts if (doc := part.__doc__ or "").startswith("One row per")).split("\n")[0]


def _referenced_table(hint: Any) -> str:
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((mark.table for mark in marks if isinstance(mark, Key | Ref | RowId)), "")


def _allows_none(hint: Any) -> bool:
    choices = get_args(get_args(hint)[0] if get_origin(hint) is Annotated else hint)
    return NoneType in choices
