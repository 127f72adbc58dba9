"""One file a peer: NOTE, and `System(folder)` with `add(texts, vectors)` and `ask(question, vector)`."""
