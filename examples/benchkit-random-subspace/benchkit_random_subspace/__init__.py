"""The random subspace method as a plugin of benchkit."""
