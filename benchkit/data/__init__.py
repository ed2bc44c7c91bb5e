"""Data files: where they are, how they get there, whether they are what they should be, and their fast form."""
