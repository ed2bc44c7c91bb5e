"""A report as text, tables, files and archives."""
