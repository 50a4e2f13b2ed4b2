"""Pure functions that derive tool calls, responses with cost, agents and usage totals from entries."""
