"""Models that were fitted elsewhere: read from a file, matched with a table, asked about its rows."""
