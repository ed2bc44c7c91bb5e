"""Tables as terminals, Markdown, LaTeX and HTML show them. Nothing here knows what a table says."""
