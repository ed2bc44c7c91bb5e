"""Declarations, by phase."""
