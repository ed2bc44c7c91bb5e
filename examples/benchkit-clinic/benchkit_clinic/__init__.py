"""A clinic's split, preprocessing step and feature values."""
