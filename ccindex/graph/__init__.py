"""Pure functions that turn a family's entries into threads, lines, a tree of lines, junctions and paths."""
