"""Text for prompts: token budgets, the fence around stored text, and one-line renderings of memories."""
