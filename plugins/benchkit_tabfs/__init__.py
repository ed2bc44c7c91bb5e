"""Columns absent at test time, shifted as TabFSBench does: its tables, its adversary, its split."""
