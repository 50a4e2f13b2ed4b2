"""Format query results as human-readable text. Nothing in this package prints or runs queries."""
