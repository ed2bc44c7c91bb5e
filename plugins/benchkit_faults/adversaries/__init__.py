"""Faults, one to a file."""
