"""Published datasets, read from their files."""
