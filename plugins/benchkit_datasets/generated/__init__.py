"""Datasets that are drawn anew in every repetition."""
