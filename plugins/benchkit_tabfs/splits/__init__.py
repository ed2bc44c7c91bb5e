"""Ways of dividing rows."""
