"""Compute derived rows from recorded rows and store them."""
