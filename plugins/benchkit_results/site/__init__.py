"""Published results as a static site: who is most robust, where, and how that is known."""
