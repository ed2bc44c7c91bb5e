"""Adversaries that remove values of the training part."""
