"""Speed beside two floors in the same run: plain SQLite FTS5 and a NumPy scan."""
