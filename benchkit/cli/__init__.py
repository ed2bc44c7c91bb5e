"""The command line: one file per command; each parses arguments, calls one function below, and prints."""
