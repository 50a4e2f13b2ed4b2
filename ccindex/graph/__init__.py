"""Values to values: entries and their parents in, lines and the tree they form out."""
