"""Parsers of file formats, and their checks."""
