"""Rows to typed answers."""
