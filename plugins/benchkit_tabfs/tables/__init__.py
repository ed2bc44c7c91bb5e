"""The tables of the benchmark, as numbers."""
