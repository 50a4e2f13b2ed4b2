"""Transcripts in any number, from real ones or made up: what `scripts/corpus` writes and `scripts/bench` measures."""
