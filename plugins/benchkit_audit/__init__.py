"""``benchkit audit`` and `benchkit.audit`: how robust a fitted model is, and which column hurts."""
