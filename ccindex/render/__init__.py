"""What was asked of the index as text: pure functions from values to lines."""
