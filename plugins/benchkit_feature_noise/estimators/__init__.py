"""Classifiers that expect features to be deleted, and what they are compared with."""
