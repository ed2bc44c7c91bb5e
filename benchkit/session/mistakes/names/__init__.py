"""What a suite names and the plugins do not have, or not so: found without data."""
