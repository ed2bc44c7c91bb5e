"""Strong methods of today, each with the packages that it needs."""
