"""Configuration files of agent clients, which Combray is wired into: minimal edits, a ledger, undo."""
