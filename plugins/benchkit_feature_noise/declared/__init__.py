"""Declarations: what the plugin offers, under which names."""
