"""The read side: typed answers out of the database."""
