"""Published results: written for others, joined with a run's own rows, run again, and shown as a site."""
