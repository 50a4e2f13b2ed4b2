"""Values in, values out: what entries mean to a person: calls, responses, prices, subagents."""
