"""Hooks of agent clients: a digest for a session, memories for a prompt, turns captured through a queue."""
