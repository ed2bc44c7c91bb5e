"""Interpreters with packages of their own: building them, finding them, and getting benchkit into them."""
