"""Other memory stores, timed on the same texts, questions and vectors, each in its own virtual environment."""
