"""How much of the truth is recovered, and the bound on it."""
