"""Entries to tool calls, responses and cost, agents and totals; pure functions."""
