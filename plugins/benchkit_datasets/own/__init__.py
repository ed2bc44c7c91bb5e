"""A user's own tables: CSV, Parquet, LIBSVM, OpenML."""
