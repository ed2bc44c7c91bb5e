"""Adversaries that delete or corrupt features of the test part; they know no solver."""
