"""Think: one answer to a question, every sentence of it checked against the memory it cites."""
