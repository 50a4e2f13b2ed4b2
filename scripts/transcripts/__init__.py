"""Generate transcripts, from real ones or at random. `scripts/corpus` writes them, and `scripts/bench` uses them."""
