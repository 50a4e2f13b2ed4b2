"""Find and mask secrets in text."""
