"""Result files of other tools: one file per tool, each with `recognises` and `read`."""
