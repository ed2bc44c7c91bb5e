"""What the commands share: options, completion, the console, errors, progress."""
