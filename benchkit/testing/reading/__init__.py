"""What a plugin reads without declaring it: watched while a process of its own tries all that it declares."""
