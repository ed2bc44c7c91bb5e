"""What a suite is to decide: its claims, or which method is best at every point; and what is still open of it."""
