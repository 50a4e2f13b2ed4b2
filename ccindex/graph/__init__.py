"""A family's entries to threads, lines, tree, junctions and paths; pure functions."""
