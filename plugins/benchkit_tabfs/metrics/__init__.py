"""Metrics of which columns are absent."""
