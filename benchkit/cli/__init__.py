"""The command line: each command parses arguments, calls one function below, and prints; `main` lists them."""

import gc

# What is imported stays, 150,000 objects: looks for garbage among them at every 700 take an eighth of the start.
gc.set_threshold(50_000)
