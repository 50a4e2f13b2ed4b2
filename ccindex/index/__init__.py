"""The write side: read and store in order, and what is derived from it."""
