"""Fits: done once for all trials that share them, with what they warned of."""
