"""New plugins: packages made from templates, which are real files, ready to be edited."""
