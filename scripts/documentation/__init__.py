"""Generators for the documentation in docs/, and the runner for its console examples."""
