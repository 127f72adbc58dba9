"""Text for a prompt: a token budget, the fence around stored text, the lines that show a memory."""
