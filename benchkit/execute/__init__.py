"""Takes trials, returns records: where, in parallel, under which limits. Knows no science."""
