"""Values to rows and back: the only room that knows the database."""
