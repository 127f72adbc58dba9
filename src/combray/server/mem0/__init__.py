"""mem0's two REST surfaces over Combray: its own server's and its platform's, which `MemoryClient` calls."""
