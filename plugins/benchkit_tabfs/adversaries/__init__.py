"""Adversaries that take columns in the order of their correlations."""
