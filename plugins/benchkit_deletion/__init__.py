"""Who deletes features, and how the worst deletion is found; other plugins build on it."""
