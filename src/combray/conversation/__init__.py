"""Conversations: turns in, episodes stored."""
