"""Pure functions that derive tool pairs, responses with cost, agents, usage totals and queued text from entries."""
