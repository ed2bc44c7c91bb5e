"""Bounds on the risk, brackets of the error under deletion, and the metrics that show them."""
