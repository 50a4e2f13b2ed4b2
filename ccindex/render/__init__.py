"""Format query results as text for people. Nothing in this package prints or runs queries."""
