"""Text to masked text; pure functions."""
