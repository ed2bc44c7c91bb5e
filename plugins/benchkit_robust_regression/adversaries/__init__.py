"""Adversaries that corrupt responses of the training part."""
