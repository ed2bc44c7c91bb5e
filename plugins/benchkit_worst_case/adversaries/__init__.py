"""Adversaries that know what a model is made of."""
