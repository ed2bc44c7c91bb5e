"""What a report says in tables: one file for each, from the results to a `ReportTable`, whatever shows it."""
