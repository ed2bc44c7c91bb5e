"""Robust regression with features arriving online (Zhang et al., RoOFS) and what it is compared with."""
