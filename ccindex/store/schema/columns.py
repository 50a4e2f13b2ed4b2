"""The metadata that all tables belong to, and columns in the few words that tell them apart."""

from typing import Any

from sqlalchemy import Column, ForeignKey, Integer, MetaData
from sqlalchemy.types import TypeEngine

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def key(name: str = "id", *, doc: str | None = None) -> Column[int]:
    """The row's number, or a part of its key."""
    return Column(name, Integer, primary_key=True, comment=doc)


def must(name: str, kind: type[TypeEngine[Any]] = Integer, *, doc: str | None = None) -> Column[Any]:
    """A column that always has a value."""
    return Column(name, kind, nullable=False, comment=doc)


def may(name: str, kind: type[TypeEngine[Any]] = Integer, *, doc: str | None = None) -> Column[Any]:
    """A column that may be NULL."""
    return Column(name, kind, nullable=True, comment=doc)


def of(name: str, target: str, *, nullable: bool = False) -> Column[int]:
    """A row of another table."""
    return Column(name, Integer, ForeignKey(target), nullable=nullable)


def key_of(name: str, target: str) -> Column[int]:
    """A row of another table, as the key or a part of it."""
    return Column(name, Integer, ForeignKey(target), primary_key=True)
