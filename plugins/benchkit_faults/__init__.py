"""Faults as they happen: sensors that stick, units that change, codes for missing values, labels that are wrong."""
