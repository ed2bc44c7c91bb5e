"""A session: one command from its suite to its results."""
