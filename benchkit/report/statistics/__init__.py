"""Means, tests and ranks of records."""
