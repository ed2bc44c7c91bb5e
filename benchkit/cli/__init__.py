"""The command line: one file per command; each parses arguments, calls one function below, and prints."""

import gc

# What is imported stays, 150,000 objects: looks for garbage among them at every 700 take an eighth of the start.
gc.set_threshold(50_000)
