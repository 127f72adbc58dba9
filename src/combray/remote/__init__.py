"""The engine of a server: `combray.open("https://…")`. The same verbs, carried out elsewhere."""
