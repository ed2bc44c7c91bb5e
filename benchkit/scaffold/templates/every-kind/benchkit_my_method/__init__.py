"""A plugin of benchkit."""
