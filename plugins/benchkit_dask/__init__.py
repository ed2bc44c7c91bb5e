"""Trials on the workers of a dask cluster."""
