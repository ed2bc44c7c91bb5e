"""Kernel machines on incomplete rows."""
