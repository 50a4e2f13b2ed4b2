"""Answers to text for people; nothing here prints or queries."""
