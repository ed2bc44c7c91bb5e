"""Reads the journal; never runs anything."""
