"""Declarations, by kind."""
