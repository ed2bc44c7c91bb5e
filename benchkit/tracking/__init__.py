"""Sinks that listen to a run's hooks."""
