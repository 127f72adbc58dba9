"""Auto-memory: which messages are kept as facts, against our own labelled messages."""
