"""Read-only queries on the index, which return typed values."""
