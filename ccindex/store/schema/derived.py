"""Derived: rows that can be dropped and made again from recorded ones at any time."""

from sqlalchemy import Table

from .columns import key_of, may, metadata, must

ranks = Table(
    "ranks",
    metadata,
    key_of("session", "session_ids.id"),
    must("first_at"),
    may("first_own_at"),
    sqlite_strict=True,
    comment="Derived: how sessions that share uuids rank when a copy's owner is elected.",
)
