"""What is proved about the worst case, as metrics."""
