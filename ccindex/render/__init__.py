"""What the index tells, as lines of text for people: transcripts, pages, trees, graphs; nothing here prints."""
