"""The values that flow between the rooms; imports nothing of ours."""
