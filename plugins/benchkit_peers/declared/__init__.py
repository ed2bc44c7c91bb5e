"""Declarations, one file per extra: what is declared under which name, and what it needs."""
