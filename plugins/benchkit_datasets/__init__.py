"""The data of all papers: files and generators."""
