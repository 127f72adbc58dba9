"""Conversations: turns stored as episodes, context for the next turn, automatic facts."""
