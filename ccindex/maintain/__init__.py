"""Rebuilding, forgetting and restoring."""
