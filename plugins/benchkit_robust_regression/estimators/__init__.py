"""Regressors that survive corrupted responses."""
