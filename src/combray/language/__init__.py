"""What the engine knows about natural language: words, entities, intents, causes, polarity, claims.

Pure functions of text. The word lists are data (`tables/<language>.json`), loaded on first use.
"""
