"""Natural language: words, dates, entities, intents, causes, polarity, claims.

Pure functions of text. `<code>/` holds everything of one language as data, one JSON file per section; `tables.py`
loads it, and docs/howto/add-a-language.md shows how to add a language. Tables hold words and patterns, never
thresholds: those are stage settings, or constants at the head of the module that uses them.

What stays in code: rules of a script (`folding.py`, `scripts.py`: character ranges, and the language that a
script alone decides), rules of English morphology (`claim_tokens.py`: inflections and possessives, around the
Porter stemmer), and formats that no language owns (paths, URLs, role names of chats). `technology.json` lists
product names, which are the same in every language.
"""
