"""Find transcripts, read their JSON lines and parse them into events."""
