"""The suite: its file format, how it is validated, and how it expands into trials."""
