"""Published results: files that others can read, join with their own rows, run again and show as a site."""
