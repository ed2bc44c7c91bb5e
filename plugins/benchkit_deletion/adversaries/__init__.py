"""Adversaries that delete features."""
