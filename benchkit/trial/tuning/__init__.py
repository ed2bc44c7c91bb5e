"""Choosing an algorithm's parameters: what is searched, on which rows candidates are judged, what it cost."""
